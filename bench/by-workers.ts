// Throughput by the number of workers (`--workers 1,2,4`), and the part that limits it. Each number is measured
// beside the floor. More workers are tried until they bring less than 5 %.
import { cpus } from 'node:os';
import { cpuTimesByName, machineCpuTime, threadTimes } from './cpu-time.ts';

/** A reading of clock and CPU times, in milliseconds. The difference of two readings is the use between them. */
export interface UseReading {
  readonly atMs: number;
  readonly machineMs: number;
  readonly partMs: Readonly<Record<string, number>>;
  /** By part and thread id, for the parts on Node. */
  readonly threadMs: Readonly<Record<string, number>>;
}

/** Mean numbers of cores that were busy while payments ran. */
export interface UsedCores {
  readonly machineCores: number;
  readonly parts: Readonly<Record<string, number>>;
  /** The busiest thread of the parts on Node, which run JavaScript on one thread. */
  readonly busiestThread: { readonly part: string; readonly cores: number };
}

const nodeParts = ['api', 'worker', 'sandbox', 'load generator'];
const nearlyAll = 0.9; // of the machine's cores, or of one core for a thread
const leastGain = 0.05;

export function readUse(processes: Readonly<Record<string, readonly number[]>>): UseReading {
  const node = nodeParts.map((part) => [part, processes[part] ?? []] as const);
  return {
    atMs: performance.now(),
    machineMs: machineCpuTime(),
    partMs: cpuTimesByName(processes),
    threadMs: threadTimes(Object.fromEntries(node)),
  };
}

/** @param rounds readings before and after each round, at least one */
export function usedCores(
  rounds: readonly (readonly [before: UseReading, after: UseReading])[],
  machineCores = cpus().length,
): UsedCores {
  const rise = (read: (reading: UseReading) => number) =>
    sum(rounds.map(([before, after]) => read(after) - read(before)));
  const elapsedMs = rise(({ atMs }) => atMs);
  const coresBy = (figure: 'partMs' | 'threadMs') =>
    Object.keys(rounds[0]?.[0][figure] ?? {}).map(
      (name) => [name, rise((reading) => reading[figure][name] ?? 0) / elapsedMs] as const,
    );
  const parts = Object.fromEntries(coresBy('partMs'));
  const all = rise(({ machineMs }) => machineMs) / elapsedMs;
  const [thread = '', cores = 0] = mostOf(coresBy('threadMs'));
  return {
    machineCores,
    // other programs, and what the kernel does for no process
    parts: { ...parts, 'everything else': Math.max(0, all - sum(Object.values(parts))) },
    busiestThread: { part: thread.slice(0, thread.lastIndexOf('/')), cores },
  };
}

/**
 * @param gain throughput with more workers as a share of the throughput now, minus one; NaN if not measured
 * @internal exported for tests
 */
export function limitOf({ machineCores, parts, busiestThread }: UsedCores, gain: number): string {
  if (sum(Object.values(parts)) > nearlyAll * machineCores) {
    const [most = '', cores = 0] = mostOf(Object.entries(parts));
    return `the cores of this machine, most used by ${most} (${cores.toFixed(1)} of ${machineCores})`;
  }
  if (busiestThread.cores > nearlyAll)
    return `one thread of ${busiestThread.part} (${busiestThread.cores.toFixed(2)} of one core)`;
  return gain >= leastGain ? 'the number of workers' : 'none found';
}

/** What is compared of a measurement with some number of workers. */
interface Throughput {
  readonly workers: number;
  readonly usedCores: UsedCores;
  readonly payments: { readonly perSecond: number };
  readonly fixedFloor: { readonly perSecond: number };
}

/** Whether the last number of workers brought less than 5 % more payments than the one before. */
export function isSaturated(results: readonly Throughput[]): boolean {
  return gainAfter(results, results.length - 2) < leastGain;
}

function gainAfter(results: readonly Throughput[], at: number): number {
  return (results[at + 1]?.payments.perSecond ?? NaN) / (results[at]?.payments.perSecond ?? NaN) - 1;
}

export function limitsOf(results: readonly Throughput[]): readonly string[] {
  return results.map((result, at) => limitOf(result.usedCores, gainAfter(results, at)));
}

export function renderByWorkers(results: readonly Throughput[]): string {
  const row = (name: string, value: (result: Throughput) => string) =>
    `${name.padEnd(24)}${results.map((result) => value(result).padStart(9)).join('')}`;
  const limits = limitsOf(results);
  return [
    '',
    row('workers', ({ workers }) => String(workers)),
    row('payments/s', ({ payments }) => payments.perSecond.toFixed(1)),
    row('fixed floor/s', ({ fixedFloor }) => fixedFloor.perSecond.toFixed(1)),
    row('of it', (one) => percent(one.payments.perSecond / one.fixedFloor.perSecond)),
    ...Object.keys(results[0]?.usedCores.parts ?? {}).map((part) =>
      row(`cores: ${part}`, ({ usedCores: { parts } }) => (parts[part] ?? 0).toFixed(2)),
    ),
    row('machine busy', ({ usedCores: { parts, machineCores } }) =>
      percent(sum(Object.values(parts)) / machineCores),
    ),
    ...results.map(({ workers }, at) => `limit with ${workers}: ${limits[at]}`),
  ].join('\n');
}

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const mostOf = (entries: readonly (readonly [string, number])[]): readonly [string?, number?] =>
  entries.toSorted(([, a], [, b]) => b - a)[0] ?? [];
