// Starts programs that must not outlive us, in separate sessions. They are stopped when this process dies, however
// suddenly.
// It may import only node: modules, because the bootstrap uses it before any dependency is installed.
import { spawn } from 'node:child_process';

/**
 * The shell waits for a word from us on a pipe, then execs the program. If we die first, the word never comes and
 * nothing starts. So a program never runs without its guard.
 */
const starter = 'read -r word <&3 && exec "$@" 3<&-';

const stopTimeoutMs = 15_000; // a fast shutdown of Postgres with a full buffer pool takes a few seconds

// The guard's shell waits on a pipe from us. A word means that the program has ended normally. End of file means that
// we died.
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
 * The running programs, each with its signals to stop it and to kill it.
 * @type {Map<import('node:child_process').ChildProcess, { stop: NodeJS.Signals, kill: NodeJS.Signals }>}
 */
const running = new Map();
let halted = false;

/**
 * Starts a program that is stopped when this process ends, for whatever reason.
 * @param {string} command a path, or a name on the PATH; if it does not exist, a shell says so on standard error (exit
 *   code 127)
 * @param {readonly string[]} args
 * @param {Omit<import('node:child_process').SpawnOptions, 'stdio'> & { stdio: readonly ('ignore' | 'inherit' | 'pipe' | number)[] }} options
 *   with stdin, stdout and stderr in `stdio`
 * @param {{ stop: NodeJS.Signals, kill?: NodeJS.Signals }} signals `stop` asks it to stop, with SIGKILL after 15 s;
 *   `kill` ends it immediately, default SIGKILL
 * @returns {import('node:child_process').ChildProcess} without a `pid` if it could not be started
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
  word?.on('error', () => undefined); // the program has already ended
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

/** Whether no program may be started any more. */
export function isHalted() {
  return halted;
}

/**
 * Starts nothing from now on, asks every running program to stop, and waits for their end. It kills them after 15 s.
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

/** Starts nothing from now on, and kills every running program. */
export function killGuarded() {
  halted = true;
  for (const [child, { kill }] of running) child.kill(kill);
}

/**
 * @param {number} pid the child
 * @param {NodeJS.Signals} signal
 * @returns {() => void} call it when the child has ended, so that the guard never signals a reused pid
 */
function guard(pid, signal) {
  const shell = spawn('/bin/sh', ['-c', watcher, 'isthmus-guard', String(pid), signal.replace(/^SIG/, '')], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  shell.on('error', () => undefined); // without a guard, the child is still stopped on every orderly exit
  shell.stdin.on('error', () => undefined);
  shell.unref();
  // A pipe keeps the event loop alive unless it is unref'ed.
  if ('unref' in shell.stdin && typeof shell.stdin.unref === 'function') shell.stdin.unref();
  return () => shell.stdin.end('done\n');
}
