// One process at a time installs: npm ci removes node_modules first, also under the feet of another. The claim is a file with
// a process number, outside of what is removed; one whose process has died counts for nothing. It must not import anything but
// node:, for it runs in a bare clone.
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'; // alive, of another user
  }
}

/**
 * @param {string} root folder of the project
 * @returns {{ release: () => void } | { owner: number }} the process that installs already, if one does
 */
export function claimInstall(root) {
  const name = createHash('sha256').update(resolve(root)).digest('hex').slice(0, 16);
  const path = join(tmpdir(), `isthmus-install-${name}.pid`);
  for (let tries = 0; tries < 2; tries += 1) {
    try {
      writeFileSync(path, String(process.pid), { flag: 'wx' });
      break;
    } catch {
      const owner = ownerIn(path);
      if (owner !== undefined && isAlive(owner)) return { owner };
      rmSync(path, { force: true }); // of a process that died, or of nobody
    }
  }
  return { release: () => rmSync(path, { force: true }) };
}

/**
 * @param {string} path
 * @returns {number | undefined}
 */
function ownerIn(path) {
  try {
    return Number(readFileSync(path, 'utf8')) || undefined;
  } catch {
    return undefined; // it has ended meanwhile
  }
}
