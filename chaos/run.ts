// One run: starts the system, sends payments, plays the faults, heals, waits for rest, gathers the evidence
// and judges it. The evidence stays in its folder. The servers and their data are removed.
import { spawnSync } from 'node:child_process';
import { setMaxListeners } from 'node:events';
import {
  copyFileSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  writeFileSync,
  type WriteStream,
} from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Say } from '../cli/parts/progress.ts';
import type { Environment } from '../core/settings/environment-variables.ts';
import type { Exchange, FaultRecord, MachineBeat, RunRecord } from './oracle/evidence.ts';
import { gather } from './gather.ts';
import { carriedShare, openMachineProbe, type MachineProbe } from './machine.ts';
import { openLoad } from './load/load.ts';
import { createRandom } from './load/random.ts';
import { judge } from './oracle/judge.ts';
import { readEvidence } from './oracle/read-evidence.ts';
import type { Verdict } from './oracle/verdict.ts';
import type { PlannedFault } from './plan.ts';
import { playFaults, within } from './play.ts';
import { isAnyWaiting, untilQuiet } from './quiet.ts';
import { makeOlder } from './system/ageing.ts';
import { startSystem, type ChaosSystem } from './system/system.ts';

export interface RunOptions {
  readonly env: Environment;
  readonly root: string;
  /** Folder of the code under test. */
  readonly tree: string;
  readonly seed: number;
  readonly minutes: number;
  readonly ratePerSecond: number;
  /** The command-line options that repeat this run. The run record contains them. */
  readonly askedBy?: string;
  readonly planned: readonly PlannedFault[];
  /**
   * Time in milliseconds between the last fault and the verdict on waiting payments. The default is 61 s,
   * slightly more than I-15 allows.
   */
  readonly settleMs?: number;
  /** Folder of the evidence. */
  readonly folder: string;
  /** Folder of temporary files. */
  readonly workFolder: string;
  readonly binFolder: string;
  readonly stopped: AbortSignal;
  readonly say: Say;
}

export interface RunResult {
  readonly verdict: Verdict;
  readonly faults: readonly FaultRecord[];
}

const settleMsDefault = 61_000;
const restMs = 120_000; // I-15 allows 60 s; the oracle reports work that is still open after this time
const slowRestMs = 600_000; // used on a machine that is too slow; only lost work stays open for so long
const calibrationMs = 3_000;
const tellEveryMs = 15_000;

// Each limit is longer than the sum of the time limits inside its step.
const startSeconds = 400;
const healthSeconds = 400;
const sendersSeconds = 200;
const gatherSeconds = 300;
const stopSeconds = 120;

export async function runOnce(options: RunOptions): Promise<RunResult> {
  const { folder, workFolder } = options;
  setMaxListeners(0, options.stopped); // each waiting fault adds a listener
  const startedAt = now();
  const evidence = openCase(folder);
  const canaries = canariesOf(options.seed);
  const machine = await openMachineProbe(join(workFolder, 'machine-probe'), (beat) =>
    evidence.recordBeat(beat),
  );
  try {
    await runMeasured(options, { machine, evidence, canaries, startedAt });
  } finally {
    await machine.stop();
  }
  const read = readEvidence(folder);
  return { verdict: judge(read), faults: read.faults };
}

/** Writes the evidence folder during a run. The oracle later reads this folder and nothing else. */
interface Case {
  recordExchange(exchange: Exchange): void;
  recordFault(fault: FaultRecord): void;
  recordBeat(beat: MachineBeat): void;
  /** Writes run.json last, so that a folder without run.json belongs to an unfinished run. */
  close(run: RunRecord): Promise<void>;
}

function openCase(folder: string): Case {
  mkdirSync(folder, { recursive: true });
  const streams: WriteStream[] = [];
  const recorder = (name: string) => {
    const stream = createWriteStream(join(folder, name));
    streams.push(stream);
    return (line: object) => void stream.write(`${JSON.stringify(line)}\n`);
  };
  return {
    recordExchange: recorder('exchanges.jsonl'),
    recordFault: recorder('faults.jsonl'),
    recordBeat: recorder('machine.jsonl'),
    close: async (run) => {
      await Promise.all(streams.map((stream) => finished(stream.end())));
      writeFileSync(join(folder, 'run.json'), `${JSON.stringify(run, null, 2)}\n`);
    },
  };
}

interface Measured {
  readonly machine: MachineProbe;
  readonly evidence: Case;
  readonly canaries: readonly string[];
}

async function runMeasured(
  options: RunOptions,
  { startedAt, ...measured }: Measured & { readonly startedAt: string },
): Promise<void> {
  const { folder, workFolder } = options;
  const { machine, evidence, canaries } = measured;
  await delay(calibrationMs);
  options.say(`✓ the machine is ${machine.lateMs()} ms late with 20 ms of work`);
  const starting = startSystem({
    ...options,
    folder: workFolder,
    logFolder: join(folder, 'logs'),
    journalFolder: join(folder, 'journal'),
  });
  const system = await within(startSeconds, 'the system starts', starting);
  try {
    const times = await playAll(options, { system, ...measured });
    await comeToRest(system, machine, options.say);
    const settlesInMs = Date.parse(times.healedAt) + (options.settleMs ?? settleMsDefault) - Date.now();
    if (settlesInMs > 0 && (await isAnyWaiting(system))) {
      options.say(`▶ ${Math.ceil(settlesInMs / 1_000)} s more: some payments wait, and must not wait on us`);
      await delay(settlesInMs, undefined, { signal: options.stopped }).catch(() => undefined);
    }
    const gathering = gather({
      folder,
      databaseUrl: system.servers.database().url,
      temporalAddress: system.servers.engine().address,
      namespace: system.namespace,
    });
    const gatheredAt = await within(gatherSeconds, 'the evidence is gathered', gathering);
    await within(stopSeconds, 'the system stops', system.stop());
    keepServerLogs(workFolder, folder);
    await machine.stop();
    await evidence.close({ ...described(options, system), startedAt, ...times, gatheredAt, canaries });
  } finally {
    await within(stopSeconds, 'the system stops', system.stop());
  }
}

/** Plays the load and the faults until both are over and the system is healthy again. */
async function playAll(
  options: RunOptions,
  { system, machine, evidence, canaries }: Measured & { readonly system: ChaosSystem },
): Promise<Pick<RunRecord, 'loadEndedAt' | 'healedAt'>> {
  const { seed, minutes, ratePerSecond, planned, stopped, say } = options;
  const random = createRandom(seed);
  const load = openLoad({
    apis: system.apis.map(({ name, url }) => ({ name, url })),
    random: random.fork(),
    ratePerSecond,
    share: () => carriedShare(machine.lateMs()),
    callbackUrl: (...asked) => system.parties.callbackUrl(...asked),
    ageQuote: makeOlder((...asked) => system.query(...asked)),
    canaries,
    record: (exchange) => evidence.recordExchange(exchange),
  });
  say(`▶ ${minutes.toFixed(1)} min of payments, ${planned.length} faults (seed ${seed})`);
  load.start();
  const ended = new AbortController();
  const pace = () => {
    const rate = ratePerSecond * carriedShare(machine.lateMs());
    return `${rate.toFixed(1)} a second, as the machine is ${machine.lateMs()} ms late`;
  };
  const telling = tellOf(load, { say, pace, ended: ended.signal });
  const record = (fault: FaultRecord) => evidence.recordFault(fault);
  let healedAt: string;
  try {
    await Promise.all([
      playFaults({ system, planned, random: random.fork(), stopped, record, say }),
      delay(minutes * 60_000, undefined, { signal: stopped }).catch(() => undefined),
    ]);
    healedAt = now();
    say('▶ All faults are over; the last senders finish');
    await within(healthSeconds, 'the system is healthy again', system.untilHealthy());
  } finally {
    await within(sendersSeconds, 'the last senders have their answers', load.stop());
    ended.abort();
    await telling;
  }
  const { defects } = load.stats();
  if (defects.length > 0) throw new Error(`the load itself is wrong: ${defects.join('; ')}`);
  return { healedAt, loadEndedAt: now() };
}

async function comeToRest(system: ChaosSystem, machine: MachineProbe, say: Say): Promise<void> {
  let open = '';
  const mostMs = () => (machine.isTooSlow() ? slowRestMs : restMs);
  const isAtRest = await untilQuiet(system, mostMs, (counts) => {
    open = Object.entries(counts)
      .map(([what, count]) => `${count} ${what}`)
      .join(', ');
  });
  say(isAtRest ? '✓ at rest' : `✗ not at rest after ${mostMs() / 1_000} s: ${open}`);
}

function described({ seed, minutes, askedBy, tree }: RunOptions, system: ChaosSystem) {
  const { proxies, otherAddresses } = system.parties;
  return {
    seed,
    minutes,
    ...(askedBy === undefined ? {} : { options: askedBy }),
    ...codeOf(tree),
    registeredOrigins: [...proxies.values(), ...otherAddresses.values()].map((proxy) => proxy.origin),
    trapConnections: system.trap.connections,
  };
}

/**
 * Reads the version and the commit of the code under test. The commit is absent if `tree` is not a git
 * checkout.
 */
function codeOf(tree: string): Pick<RunRecord, 'version' | 'commit'> {
  const { version } = JSON.parse(readFileSync(join(tree, 'package.json'), 'utf8')) as { version: string };
  const asked = ['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*'];
  const { status, stdout } = spawnSync('git', asked, { cwd: tree, encoding: 'utf8' });
  return { version, ...(status === 0 ? { commit: stdout.trim() } : {}) };
}

const now = () => new Date().toISOString();

/**
 * Returns texts that cannot occur by chance. The load uses them as personal data, and I-14 searches for them.
 */
function canariesOf(seed: number): readonly string[] {
  const random = createRandom(seed ^ 0x5eed);
  return ['Zqx', 'Vkj', 'Wqz'].map((word) => `${word}${random.hex(8)}`);
}

function keepServerLogs(from: string, to: string): void {
  for (const name of ['postgres.log', 'temporal.log']) {
    const path = join(from, 'servers', name);
    if (existsSync(path)) copyFileSync(path, join(to, 'logs', name));
  }
}

async function tellOf(
  load: ReturnType<typeof openLoad>,
  { say, pace, ended }: { readonly say: Say; readonly pace: () => string; readonly ended: AbortSignal },
): Promise<void> {
  const isOver = () => ended.aborted;
  while (!isOver()) {
    await delay(tellEveryMs, undefined, { signal: ended }).catch(() => undefined);
    const sent = Object.values(load.stats().exchanges).reduce((sum, count) => sum + count, 0);
    if (!isOver()) say(`  ${sent} requests (${pace()})`);
  }
}
