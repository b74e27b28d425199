// Starts programs in separate sessions and stops them when this process dies, even after SIGKILL. It may
// import only node: modules, because the bootstrap uses it before any dependency is installed.
import { spawn } from 'node:child_process';

/**
 * This shell script waits for a line on a pipe from this process, then execs the program. If this process
 * dies first, no line arrives and the program does not start. So a program never runs without its guard.
 */
const starter = 'read -r word <&3 && exec "$@" 3<&-';

const stopTimeoutMs = 15_000; // Postgres with a full buffer pool needs a few seconds to shut down

// The guard's shell reads from a pipe of this process. A line means that the program has ended normally. End
// of file means that this process died.
const watcher = `
read -r word && exit 0
kill -"$2" "$1" 2>/dev/null || exit 0
for second in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
  sleep 1
  kill -0 "$1" 2>/dev/null || exit 0
done
kill -KILL "$1" 2>/dev/null
`;

/**
 * The running programs, each with the signals that stop and kill it.
 * @type {Map<import('node:child_process').ChildProcess, { stop: NodeJS.Signals, kill: NodeJS.Signals }>}
 */
const running = new Map();
let halted = false;

/**
 * Starts a program. The guard stops it when this process ends for any reason.
 * @param {string} command a path, or a name on the PATH. If the command does not exist, the shell prints an
 *   error and exits with 127.
 * @param {readonly string[]} args
 * @param {Omit<import('node:child_process').SpawnOptions, 'stdio'> & { stdio: readonly ('ignore' | 'inherit'
 *   | 'pipe' | number)[] }} options with stdin, stdout and stderr in `stdio`
 * @param {{ stop: NodeJS.Signals, kill?: NodeJS.Signals }} signals `stop` asks the program to stop, and
 *   SIGKILL follows after 15 s. `kill` ends it immediately; default: SIGKILL.
 * @returns {import('node:child_process').ChildProcess} it has no `pid` if the program could not be started
 * @throws Error after `haltGuarded`
 */
export function spawnGuarded(command, args, options, { stop, kill = 'SIGKILL' }) {
  if (halted) throw new Error(`${command} is not started: everything is being stopped`);
  const child = spawn('/bin/sh', ['-c', starter, 'isthmus-start', command, ...args], {
    ...options,
    stdio: [...options.stdio, 'pipe'],
    detached: true,
  });
  const word = /** @type {import('node:stream').Writable | null | undefined} */ (child.stdio[3]);
  word?.on('error', () => undefined); // the write fails harmlessly if the program has already ended
  if (child.pid === undefined) return child;
  const release = guard(child.pid, stop);
  running.set(child, { stop, kill });
  child.once('exit', () => {
    running.delete(child);
    release();
  });
  word?.end('go\n');
  return child;
}

/** Whether `haltGuarded` or `killGuarded` was called. No program can be started after that. */
export function isHalted() {
  return halted;
}

/**
 * Stops every running program and waits for its end. It kills programs that still run after 15 s. After this
 * call, no program can be started.
 */
export async function haltGuarded() {
  halted = true;
  const timer = setTimeout(killGuarded, stopTimeoutMs);
  await Promise.all(
    [...running].map(([child, { stop }]) => {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill(stop);
      return ended;
    }),
  );
  clearTimeout(timer);
}

/** Kills every running program. After this call, no program can be started. */
export function killGuarded() {
  halted = true;
  for (const [child, { kill }] of running) child.kill(kill);
}

/**
 * @param {number} pid the child
 * @param {NodeJS.Signals} signal
 * @returns {() => void} must be called when the child has ended, so that the guard never signals a reused pid
 */
function guard(pid, signal) {
  const shell = spawn('/bin/sh', ['-c', watcher, 'isthmus-guard', String(pid), signal.replace(/^SIG/, '')], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  // If the guard cannot start, the child is still stopped on every normal exit.
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  shell.unref();
  // Call unref, because an open pipe would keep this process alive.
  if ('unref' in shell.stdin && typeof shell.stdin.unref === 'function') shell.stdin.unref();
  return () => shell.stdin.end('done\n');
}
