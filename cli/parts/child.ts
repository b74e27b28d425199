// Starts a server of somebody else (Postgres, Temporal) as a child that ends when we do, and stops it in order.
// It has a session of its own, so that Ctrl-C does not take a server away from under the api that still drains.
import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { UserError } from '../errors.ts';
import { spawnGuarded } from './guard.mjs';
import { identityOf } from './place.ts';

export interface ChildOptions {
  readonly command: string;
  readonly args: readonly string[];
  /**
   * Where it works; ours unless given. It may name what is in there by its path as it ends, so where another folder is
   * there by then it is not asked to stop, but ended at once, and touches nothing of that one.
   */
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
  /** Everything the child prints; begun anew at each start unless `keepLog`. */
  readonly logFile: string;
  readonly keepLog?: boolean;
  /** Holds the child's process number while it runs, for `stopOrphan`. */
  readonly pidFile: string;
  /** What asks it to stop. */
  readonly stopSignal: NodeJS.Signals;
  /** What ends it at once; SIGKILL unless given. */
  readonly killSignal?: NodeJS.Signals;
  /** Unprivileged user to run as; undefined: ours. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
}

export interface Child {
  readonly pid: number;
  /** Settles with a sentence when the child has ended, asked or not. Never rejects. */
  readonly exited: Promise<string>;
  /** Asks it to stop, kills it after `stopTimeoutMs`, and returns when it is gone. May be called twice. */
  stop(): Promise<void>;
}

/** The folder that a process works in, where the system says it, wherever that folder is moved. */
export const ownCwd = '/proc/self/cwd';

const startTimeoutMs = 60_000; // recovery after a crash, or the first making of its tables, on a busy machine
const askEveryMs = 25;

/**
 * Waits until a server that was started does its work.
 * @param isUp asks it, and never throws
 * @throws UserError when it ends before, or takes longer than a minute, with the end of its log
 */
export async function untilUp(
  child: Child,
  isUp: () => Promise<boolean>,
  { logFile, says, advice }: { readonly logFile: string; readonly says: string; readonly advice: string },
): Promise<void> {
  const deadline = performance.now() + startTimeoutMs;
  const ended = child.exited.then((how) => ({ how }));
  for (;;) {
    const answer = await Promise.race([ended, isUp()]);
    if (answer === true) return;
    const reason = typeof answer === 'object' ? answer.how : undefined;
    if (reason !== undefined || performance.now() > deadline) {
      throw new UserError(
        `${says}: ${reason ?? `no answer within ${startTimeoutMs / 1_000} s`}. ${advice}, or start over with npm run reset, which removes the demo's data.\n` +
          `End of ${logFile}:\n${tail(logFile)}`,
      );
    }
    await delay(askEveryMs);
  }
}

const stopTimeoutMs = 15_000; // a fast shutdown of Postgres with a full buffer pool takes a few seconds

/** @throws when the command cannot be started */
export async function startChild(options: ChildOptions): Promise<Child> {
  const { cwd } = options;
  const place = cwd === undefined ? undefined : identityOf(cwd);
  const log = openSync(options.logFile, options.keepLog === true ? 'a' : 'w');
  const child = spawnGuarded(
    options.command,
    options.args,
    {
      ...(cwd !== undefined && { cwd }),
      env: options.env,
      stdio: ['ignore', log, log],
      ...options.user,
    },
    { stop: options.stopSignal, ...(options.killSignal && { kill: options.killSignal }) },
  );
  closeSync(log);
  const exited = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => {
      resolve(signal === null ? `it exited with code ${String(code)}` : `it was ended by ${signal}`);
    });
    child.once('error', (error) => resolve(`it could not be started: ${error.message}`));
  });
  const { pid } = child;
  if (pid === undefined) throw new UserError(`${options.command}: ${await exited}`);
  try {
    writeFileSync(options.pidFile, String(pid));
  } catch (error) {
    child.kill('SIGKILL'); // nobody would know of it
    await exited;
    throw error;
  }
  void exited.then(() => removeOwn(options.pidFile, pid));
  return {
    pid,
    exited,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const isMoved = cwd !== undefined && identityOf(cwd) !== place;
      child.kill(isMoved ? (options.killSignal ?? 'SIGKILL') : options.stopSignal);
      const timer = new AbortController();
      await Promise.race([
        exited,
        delay(stopTimeoutMs, undefined, { signal: timer.signal, ref: false }).catch(() => undefined),
      ]);
      timer.abort();
      if (isAlive(pid)) child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Unless somebody else's is there by now: a folder may be moved while it is in use. */
function removeOwn(pidFile: string, pid: number): void {
  if (existsSync(pidFile) && readFileSync(pidFile, 'utf8').trim() !== String(pid)) return;
  rmSync(pidFile, { force: true });
}

/**
 * Last lines of a log, for an error message; without stacks, which are for whoever mends the code: of a program in Go
 * that panicked, everything behind what it panicked about.
 */
export function tail(logFile: string, lines = 15): string {
  if (!existsSync(logFile)) return '';
  const said = readFileSync(logFile, 'utf8').trimEnd().split('\n');
  const panic = said.findLastIndex((line) => line.startsWith('panic: '));
  return said
    .slice(0, panic === -1 ? undefined : panic + 1)
    .filter((line) => !/^\s+at /.test(line))
    .slice(-lines)
    .join('\n');
}

/**
 * Stops a server that an earlier run left behind, if it is still there.
 * @param pidFile its first line is a process number
 * @param mark text in that process's command line; without it the number now belongs to somebody else
 * @param cwd folder that it works in: one that works in another, whatever that is called by now, is somebody else's, as
 *   where this is a copy of a folder that is in use
 * @param path text in its command line instead, where the system does not say in which folder a process works
 * @returns true when there was one and it is gone now
 */
export async function stopOrphan(
  pidFile: string,
  {
    mark,
    cwd,
    path,
    signal,
  }: {
    readonly mark: string;
    readonly cwd: string;
    readonly path: string;
    readonly signal: NodeJS.Signals;
  },
): Promise<boolean> {
  const pid = existsSync(pidFile) ? Number.parseInt(readFileSync(pidFile, 'utf8'), 10) : Number.NaN;
  if (!Number.isInteger(pid) || pid <= 0) return false;
  const told = runs(pid) ? await commandLine(pid) : '';
  const ours =
    told.includes(mark) &&
    (existsSync(ownCwd) ? identityOf(`/proc/${pid}/cwd`) === identityOf(cwd) : told.includes(path));
  if (ours) {
    process.kill(pid, signal);
    const deadline = Date.now() + stopTimeoutMs;
    while (runs(pid) && Date.now() < deadline) await delay(50);
    if (runs(pid)) process.kill(pid, 'SIGKILL');
    while (runs(pid)) await delay(50);
  }
  rmSync(pidFile, { force: true });
  return ours;
}

/** Alive, and not merely waiting for a parent that stands still to hear of its end. */
function runs(pid: number): boolean {
  if (!isAlive(pid)) return false;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return isAlive(pid); // it has ended since, or the system has no such file
  }
}

/** @internal exported for tests */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Command line of a process; empty when it cannot be read. */
async function commandLine(pid: number): Promise<string> {
  const proc = `/proc/${pid}/cmdline`;
  if (existsSync(proc)) return readFileSync(proc, 'utf8').replaceAll('\0', ' ');
  return new Promise((resolve) => {
    const child = spawn('ps', ['-o', 'command=', '-p', String(pid)], { stdio: ['ignore', 'pipe', 'ignore'] });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
    child.once('error', () => resolve(''));
    child.once('close', () => resolve(text));
  });
}
