// Ties a process that we started in a session of its own to us: when we die, however suddenly, it is stopped.
// It must not import anything but node:, for the bootstrap uses it before any dependency is installed.
import { spawn } from 'node:child_process';

// The shell waits on a pipe from us. A word on it: all went well, go away. End of file: we are dead.
const script = `
read -r word && exit 0
kill -"$2" "$1" 2>/dev/null || exit 0
for second in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
  sleep 1
  kill -0 "$1" 2>/dev/null || exit 0
done
kill -KILL "$1" 2>/dev/null
`;

/**
 * Watches over a child that would outlive us (it does not get the terminal's signals either).
 * @param {number} pid the child
 * @param {NodeJS.Signals} signal what asks it to stop when we are gone; SIGKILL follows after 15 s
 * @returns {() => void} to be called when the child has ended, so that its number is never signalled again
 */
export function guard(pid, signal) {
  const watcher = spawn('/bin/sh', ['-c', script, 'isthmus-guard', String(pid), signal.replace(/^SIG/, '')], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  watcher.on('error', () => undefined); // no shell: the child is still stopped on every orderly way out
  watcher.stdin.on('error', () => undefined);
  watcher.unref();
  // A pipe keeps the event loop alive unless it is told not to.
  if ('unref' in watcher.stdin && typeof watcher.stdin.unref === 'function') watcher.stdin.unref();
  return () => watcher.stdin.end('done\n');
}
