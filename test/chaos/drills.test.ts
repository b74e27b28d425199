// Each drill of `npm run drill`, in small: a whole system, a few payments a second, and the judge.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, onTestFailed, test } from 'vitest';
import { drills, type DrillName } from '../../chaos/drills/all.ts';
import { runDrill, type DrillResult } from '../../chaos/drills/run.ts';
import { makeThrowaway, removeThrowaway } from '../../cli/parts/throwaway-folders.ts';
import { postgresFolders } from '../../cli/parts/postgres-home.ts';
import { commandFolder } from '../cli/command.ts';
import { root } from '../docs/documents.ts';

const home = join(root, '.isthmus');
const ends: (() => Promise<unknown>)[] = [];
const leave = async () => {
  for (const end of ends.splice(0).reverse()) await end().catch(() => undefined);
};
afterAll(leave);

async function play(name: DrillName): Promise<DrillResult> {
  const own = makeThrowaway(home, { kind: 'test', name });
  ends.push(async () => {
    await Promise.resolve();
    removeThrowaway(own);
  });
  const said: string[] = [];
  onTestFailed(() => void process.stderr.write(`${said.join('\n')}\n`));
  const result = await runDrill(name, {
    root,
    place: {
      env: process.env,
      folder: own.folder,
      binFolder: join(home, 'bin'),
      atEnd: (work) => void ends.push(work),
    },
    seconds: 4,
    ratePerSecond: 3,
    say: (line) => said.push(line),
  });
  await leave();
  return result;
}

/** What each drill must show beside the absence of faults: without it, the drill had no effect. */
const shown: Readonly<Record<DrillName, (result: DrillResult) => void>> = {
  upgrade: ({ times }) => expect(times.unanswered).toBe(0),
  rollback: ({ times }) => expect(times.unanswered).toBe(0),
  restore: ({ judgement }) => {
    expect(judgement.lost?.acknowledged).toBeGreaterThan(0);
    expect(judgement.lost?.credited).toBeGreaterThan(0);
  },
  'lost-engine': ({ times }) => expect(times.repeated).toBeGreaterThan(0),
  'lost-primary': ({ times }) => expect(times.unansweredMs).toBeGreaterThan(5_000), // nobody notices before
};

test.each(Object.keys(drills) as DrillName[])(
  'the drill %s loses, doubles and contradicts no acknowledged payment',
  { timeout: 600_000 },
  async (name) => {
    const result = await play(name);
    expect(result.judgement.faults).toEqual([]);
    expect(result.times.acceptedAfter).toBeGreaterThan(0);
    shown[name](result);
  },
);

test('a drill that is ended by Ctrl-C leaves nothing on the disk', async () => {
  const place = await commandFolder();
  try {
    const left = () => readdirSync(place.folder).filter((name) => name.startsWith('drill-'));
    const drill = place.run('drill', 'lost-primary');
    await drill.says('two apis, two workers');
    const [own = ''] = left();
    const folders = ['servers', 'copy'].flatMap((name) =>
      postgresFolders(join(place.folder, own, name, 'postgres')),
    );
    drill.child.kill('SIGINT');
    expect(await drill.ended, drill.output()).toBe(130);
    expect(left()).toEqual([]);
    expect(folders.filter((folder) => existsSync(folder))).toEqual([]);
  } finally {
    place.remove();
  }
});

test('a drill that does not exist is told in a sentence', async () => {
  const place = await commandFolder();
  const { code, output } = await place.finish('drill', 'lost-keys');
  place.remove();
  expect(code).toBe(2);
  expect(output).toMatch(/^✗ There is no drill lost-keys\. .*lost-primary\.$/m);
});
