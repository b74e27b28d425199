// Measures the CPU time of the processes that a benchmark started. It includes all descendants, because a
// Postgres server consists of many processes. The numbers come from /proc of Linux and include finished
// children.
import { readdirSync, readFileSync } from 'node:fs';

interface ProcessTime {
  readonly parent: number;
  readonly milliseconds: number;
}

// the kernel counts in ticks of 1/USER_HZ s; USER_HZ is 100 on every Linux that Node supports
const msPerTick = 10;

/**
 * Returns the milliseconds of CPU time (user and system) that each process and its descendants have used
 * since their start. For this process it omits the descendants, because they are the other roots.
 */
function cpuTimes(roots: readonly number[]): readonly number[] {
  const times = timesIn('/proc');
  const children = new Map<number, number[]>();
  for (const [pid, { parent }] of times) children.set(parent, [...(children.get(parent) ?? []), pid]);
  const total = (pid: number): number =>
    (times.get(pid)?.milliseconds ?? 0) +
    (children.get(pid) ?? []).reduce((sum, child) => sum + total(child), 0);
  return roots.map((pid) => (pid === process.pid ? ownTime() : total(pid)));
}

/** Returns the milliseconds of CPU time of each group of processes. Leaves out empty groups. */
export function cpuTimesByName(
  groups: Readonly<Record<string, readonly number[]>>,
): Readonly<Record<string, number>> {
  const known = Object.entries(groups).filter(([, pids]) => pids.length > 0);
  const times = cpuTimes(known.flatMap(([, pids]) => pids));
  let next = 0;
  const sum = (pids: readonly number[]) => pids.reduce((total) => total + (times[next++] ?? 0), 0);
  return Object.fromEntries(known.map(([name, pids]) => [name, sum(pids)]));
}

function ownTime(): number {
  const { user, system } = process.cpuUsage(); // in microseconds
  return (user + system) / 1_000;
}

/** Returns the milliseconds of CPU time of each thread, by group and thread id, such as `api/123`. */
export function threadTimes(
  groups: Readonly<Record<string, readonly number[]>>,
): Readonly<Record<string, number>> {
  const threads = Object.entries(groups).flatMap(([name, pids]) =>
    pids.flatMap((pid) =>
      [...timesIn(`/proc/${pid}/task`)].map(([id, { milliseconds }]) => [`${name}/${id}`, milliseconds]),
    ),
  );
  return Object.fromEntries(threads) as Record<string, number>;
}

/** @param folder `/proc` for all processes, or the task folder of one process for its threads */
function timesIn(folder: string): Map<number, ProcessTime> {
  const times = new Map<number, ProcessTime>();
  for (const name of readdirSync(folder)) {
    if (!/^\d+$/.test(name)) continue;
    let stat: string;
    try {
      stat = readFileSync(`${folder}/${name}/stat`, 'latin1');
    } catch {
      continue; // the process has just ended, and its parent's numbers now include its time
    }
    // the process name before the last ) may contain spaces and parentheses
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [utime, stime, finishedUtime, finishedStime] = fields.slice(11, 15).map(Number);
    const ticks = (utime ?? 0) + (stime ?? 0) + (finishedUtime ?? 0) + (finishedStime ?? 0);
    times.set(Number(name), { parent: Number(fields[1]), milliseconds: ticks * msPerTick });
  }
  return times;
}

/** Returns the milliseconds for which all cores of the machine have been busy since its start, whoever used them. */
export function machineCpuTime(): number {
  const [all = ''] = readFileSync('/proc/stat', 'latin1').split('\n');
  const [, user = 0, nice = 0, system = 0, , , interrupts = 0, softInterrupts = 0, stolen = 0] = all
    .split(/ +/)
    .map(Number);
  return (user + nice + system + interrupts + softInterrupts + stolen) * msPerTick;
}
