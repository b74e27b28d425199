// Starts programs that must not outlive us, in sessions of their own: when we die, however suddenly, they are stopped.
// It must not import anything but node:, for the bootstrap uses it before any dependency is installed.
import { spawn } from 'node:child_process';

/**
 * The shell waits for our word on a pipe, then becomes the program: a word that never comes, because we are dead, starts
 * nothing. So no moment lies between the start of a program and the start of its guard.
 */
const starter = 'read -r word <&3 && exec "$@" 3<&-';

const stopTimeoutMs = 15_000; // a fast shutdown of Postgres with a full buffer pool takes a few seconds

// The shell waits on a pipe from us. A word on it: all went well, go away. End of file: we are dead.
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
 * What runs for us, with what asks it to stop and what ends it at once.
 * @type {Map<import('node:child_process').ChildProcess, { stop: NodeJS.Signals, kill: NodeJS.Signals }>}
 */
const running = new Map();
let halted = false;

/**
 * Starts a program that is asked to stop when we are gone, however that came about.
 * @param {string} command a path, or a name on the PATH; a shell says on standard error that there is none (exit code 127)
 * @param {readonly string[]} args
 * @param {Omit<import('node:child_process').SpawnOptions, 'stdio'> & { stdio: readonly ('ignore' | 'inherit' | 'pipe' | number)[] }} options
 *   with stdin, stdout and stderr in `stdio`
 * @param {{ stop: NodeJS.Signals, kill?: NodeJS.Signals }} signals what asks it to stop, SIGKILL follows after 15 s; and
 *   what ends it at once, SIGKILL unless given
 * @returns {import('node:child_process').ChildProcess} without a `pid` when nothing could be started
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
  word?.on('error', () => undefined); // it has ended already
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

/** Whether nothing is started any more. */
export function isHalted() {
  return halted;
}

/** Starts nothing from now on, asks everything that runs to stop, and returns when it is gone; 15 s at most. */
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

/** Starts nothing from now on and ends everything at once. */
export function killGuarded() {
  halted = true;
  for (const [child, { kill }] of running) child.kill(kill);
}

/**
 * @param {number} pid the child
 * @param {NodeJS.Signals} signal
 * @returns {() => void} to be called when the child has ended, so that its number is never signalled again
 */
function guard(pid, signal) {
  const shell = spawn('/bin/sh', ['-c', watcher, 'isthmus-guard', String(pid), signal.replace(/^SIG/, '')], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  shell.on('error', () => undefined); // the child is still stopped on every orderly way out
  shell.stdin.on('error', () => undefined);
  shell.unref();
  // A pipe keeps the event loop alive unless it is told not to.
  if ('unref' in shell.stdin && typeof shell.stdin.unref === 'function') shell.stdin.unref();
  return () => shell.stdin.end('done\n');
}
