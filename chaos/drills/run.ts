// Runs one drill: starts a system, sends payments, plays the drill, waits until every payment is decided, and judges.
// Nothing of it remains afterwards.
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { secondsSince, type Say } from '../../cli/parts/progress.ts';
import type { ThrowawayPlace } from '../../cli/throwaway.ts';
import { readJournal } from '../../sandbox/journal-file.ts';
import { untilQuiet } from '../quiet.ts';
import { until } from '../system/processes.ts';
import { buildTree } from '../system/system.ts';
import { drills, type DrillName } from './all.ts';
import type { Drill, Stage } from './drill.ts';
import { acknowledgedIn, judge, measure, type Facts, type Judgement, type Times } from './judge.ts';
import { openDrillLoad } from './load.ts';
import { startDrillSystem, type DrillSystem, type Release } from './system.ts';

export interface RunOptions {
  /** Root folder of this project. */
  readonly root: string;
  readonly place: ThrowawayPlace;
  /** Seconds of payments before the drill's action and after it. */
  readonly seconds: number;
  readonly ratePerSecond: number;
  /** Folder of the other release, with its packages installed. Default: this code, under another version. */
  readonly otherTree?: string;
  readonly say: Say;
}

export interface DrillResult {
  readonly judgement: Judgement;
  readonly times: Times;
}

const restMs = 300_000; // the sweep needs up to two minutes for deliveries after the loss of Temporal
const firstMs = 60_000;

export async function runDrill(name: DrillName, options: RunOptions): Promise<DrillResult> {
  const { place, seconds, ratePerSecond, say } = options;
  const drill: Drill = drills[name];
  const releases = await buildReleases(name, options);
  say('✓ built as in production');
  const { tree, ...both } = releases;
  const system = await startDrillSystem(
    { ...options, ...(drill.postgresSettings && { postgresSettings: drill.postgresSettings }) },
    { first: both.before, tree },
  );
  const load = openDrillLoad(system, ratePerSecond);
  place.atEnd(async () => {
    await Promise.resolve();
    load.abandon();
  });
  const pay = () => delay(seconds * 1_000);
  let from = 0;
  const begin = () => void (from = Date.now());
  const stage: Stage = {
    system,
    load,
    place,
    releases: both,
    pay,
    begin,
    note: (what) => say(`          ${what}`),
    step: async (what, work) => {
      const beganAt = performance.now();
      const result = await work();
      say(`${secondsSince(beganAt).padStart(8)}  ${what}`);
      return result;
    },
  };
  for (const nth of [0, 1]) {
    await system.startApi(nth, both.before);
    await system.startWorker(both.before);
  }
  say('✓ two apis, two workers and the parties');
  const play = await drill.prepare(stage);
  load.start();
  const isPaid = () => acknowledgedIn(load.exchanges).size > 0;
  await until('the first payment is accepted', isPaid, firstMs);
  await pay();
  say(`▶ ${drill.tells}`);
  begin();
  const missing = await play();
  const to = Date.now();
  await pay();
  await load.stop();
  await stage.step('until every payment is decided and told', () => comeToRest(system));
  const facts = await factsOf(system, load.exchanges, missing);
  return { judgement: judge(facts), times: measure(facts, { from, to }) };
}

/** Builds the release that runs first and the one that follows. @returns them, and the code of the first */
async function buildReleases(
  name: DrillName,
  { root, place, otherTree = root }: RunOptions,
): Promise<Stage['releases'] & { readonly tree: string }> {
  const drill: Drill = drills[name];
  const trees = name === 'upgrade' ? [otherTree, root] : [root, otherTree];
  const [tree = root, next = root] = trees;
  const dist = await buildTree(tree, join(place.folder, 'image'));
  if (drill.isVersioned !== true) return { before: { dist }, after: { dist }, tree };
  const nextDist = next === tree ? dist : await buildTree(next, join(place.folder, 'next-image'));
  const version = (of: string): Pick<Release, 'buildId'> => ({ buildId: of });
  return { before: { dist, ...version('1') }, after: { dist: nextDist, ...version('2') }, tree };
}

async function comeToRest(system: DrillSystem): Promise<void> {
  let open = '';
  const isAtRest = await untilQuiet(
    system,
    () => restMs,
    (counts) => (open = JSON.stringify(counts)),
  );
  if (!isAtRest) throw new Error(`not at rest after ${restMs / 1_000} s: ${open}`);
}

async function factsOf(
  { query, journalFolder }: DrillSystem,
  exchanges: Facts['exchanges'],
  missing: ReadonlySet<string> | undefined,
): Promise<Facts> {
  const payments = await query<Facts['payments'][number]>(
    `select uetr, judged_at as "judgedAt", quote_id is not null as "hasQuote" from payments where accepted`,
  );
  const decisions = await query<Facts['decisions'][number]>(
    `select uetr, status, reason_code as "reasonCode", decided_at as "decidedAt" from decisions`,
  );
  const journal = readJournal(journalFolder);
  return { exchanges, payments, decisions, journal, ...(missing && { missing }) };
}
