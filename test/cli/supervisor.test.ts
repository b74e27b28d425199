// A process of ours that ends is started again at once, more slowly when it keeps ending, and never after it was
// stopped.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { isAlive } from '../harness/is-alive.ts';
import { supervise, type ProcessPlan, type SupervisedProcess } from '../../cli/parts/supervisor.ts';

const folder = mkdtempSync(join(tmpdir(), 'isthmus-supervisor-'));
afterAll(() => rmSync(folder, { recursive: true }));

const started: number[] = [];
const said: string[] = [];

function run(name: string, script: string, more: Partial<ProcessPlan> = {}): Promise<SupervisedProcess> {
  started.length = 0;
  said.length = 0;
  return supervise({
    name,
    args: ['--eval', script],
    env: { PATH: process.env['PATH'] ?? '' },
    logFile: join(folder, `${name}.log`),
    say: (line) => void said.push(line),
    onStart: (pid) => void started.push(pid),
    ...more,
  });
}

async function until(fits: () => boolean): Promise<void> {
  while (!fits()) await delay(20);
}

const lives = 'console.log(process.pid); setInterval(() => undefined, 1000)';

describe('a supervised process', () => {
  it('is started again when it is killed, says so, and keeps its log', async () => {
    const one = await run('worker', lives);
    const first = one.pid();
    const log = () => readFileSync(join(folder, 'worker.log'), 'utf8').split('\n');
    await until(() => log().includes(String(first)));
    process.kill(first, 'SIGKILL');
    await until(() => started.length === 2);
    expect(one.pid()).toBe(started[1]);
    await until(() => log().includes(String(started[1])));
    expect(log()).toContain(String(first));
    expect(said).toEqual([
      `! worker (process ${first}) has ended: it was ended by SIGKILL. Starting it again now.`,
      `  worker runs again as process ${String(started[1])}`,
    ]);
    await one.stop();
    expect(isAlive(one.pid())).toBe(false);
    expect(started).toHaveLength(2);
  });

  it('is started more slowly when it ends again and again, and the start fails with its log', async () => {
    const one = await run('api', 'console.log("no port"); process.exit(3)');
    await expect(one.untilReady(() => Promise.resolve(false))).rejects.toThrow(
      /api exits as soon as it is started\. Fix .*End of .*api\.log:\n[^]*no port/,
    );
    expect(said[0]).toMatch(/it exited with code 3\. Starting it again now\.$/);
    expect(said[2]).toMatch(/Starting it again in 0\.5 s\.$/);
    await one.stop();
    const before = started.length;
    await delay(600);
    expect(started).toHaveLength(before);
  });
});
