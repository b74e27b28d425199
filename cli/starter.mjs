// Whom we were started by: npm passes signals on, but it may be killed, or be told to stop before it listens. Then nobody
// is left who could pass anything on. It must not import anything but node:, for it runs in a bare clone.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const lookMs = 250; // as long as nobody notices

/**
 * Looks from time to time whether npm, when it started us, is still there. Whoever starts us without npm may go away.
 * @param {() => void} onGone called once
 */
export function watchStarter(onGone) {
  if (!(process.env['npm_config_user_agent'] ?? '').startsWith('npm/')) return;
  const first = process.ppid;
  if (wasAdopted(first)) {
    onGone();
    return;
  }
  const timer = setInterval(() => {
    if (process.ppid === first) return;
    clearInterval(timer);
    onGone();
  }, lookMs);
  timer.unref();
}

/**
 * Whether our parent is not the one who started us: npm leaves its children in its own process group, and a process that
 * adopts orphans has another.
 * @param {number} parent
 */
function wasAdopted(parent) {
  const group = groupOf(process.pid);
  return group !== undefined && group !== process.pid && group !== groupOf(parent);
}

/** @param {number} pid @returns {number | undefined} its process group; undefined when that cannot be told */
function groupOf(pid) {
  try {
    const [, group] = /\) \S \d+ (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return Number(group);
  } catch {
    const { stdout } = spawnSync('ps', ['-o', 'pgid=', '-p', String(pid)], { encoding: 'utf8' });
    return Number.parseInt(stdout ?? '', 10) || undefined;
  }
}
