// Starts a third-party server (Postgres, Temporal) as a child process, and stops it gracefully. The server
// also stops when this process dies. It runs in its own session, so that Ctrl-C does not stop it while the
// api still drains.
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Environment } from '../../core/settings/environment-variables.ts';
import { UserError } from '../errors.ts';
import { spawnGuarded } from './guard.mjs';

export interface ChildOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** Working directory; default: that of this process. */
  readonly cwd?: string;
  readonly env: Environment;
  /** File for the child's output. It is truncated at each start unless `keepLog` is set. */
  readonly logFile: string;
  readonly keepLog?: boolean;
  /** Signal that asks the child to stop. */
  readonly stopSignal: NodeJS.Signals;
  /** Signal that ends the child immediately; default: SIGKILL. */
  readonly killSignal?: NodeJS.Signals;
  /** User that runs the child; undefined: the user of this process. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
}

export interface Child {
  readonly pid: number;
  /** Resolves with a message when the child has ended for any reason. Never rejects. */
  readonly exited: Promise<string>;
  /**
   * Asks the child to stop, kills it after `stopTimeoutMs`, and resolves when it has ended. May be called
   * twice.
   */
  stop(): Promise<void>;
}

const startTimeoutMs = 60_000; // enough for crash recovery or table creation on a busy machine
const askEveryMs = 25;

/**
 * Waits until a started server is up.
 * @param isUp polls the server; must not throw
 * @throws UserError with the end of the log, if the server ends or needs longer than a minute
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

/** Whether the address answers with a 2xx status now. */
export async function answersOk(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

const stopTimeoutMs = 15_000; // Postgres with a full buffer pool needs a few seconds to shut down

/** @throws UserError if the command cannot be started */
export async function startChild(options: ChildOptions): Promise<Child> {
  const { cwd } = options;
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
  return {
    pid,
    exited,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill(options.stopSignal);
      const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
      await exited;
      clearTimeout(timer);
    },
  };
}

/**
 * Returns the last lines of a log without stack traces, for an error message. After a panic of a Go program,
 * the last line is the panic message.
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
