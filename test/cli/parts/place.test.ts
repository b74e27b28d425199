// A demo ends when its folder is its own no longer: moved, removed, or emptied so that another may claim it.
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { claimFolder, claimName } from '../../../cli/parts/claim.ts';
import { watchPlace } from '../../../cli/parts/place.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'isthmus-place-'));
});
afterEach(() => {
  for (const path of [folder, `${folder}-moved`]) rmSync(path, { recursive: true, force: true });
});

it.each<[string, () => void]>([
  ['moved', () => renameSync(folder, `${folder}-moved`)],
  [
    'moved, with a successor at its place',
    () => {
      renameSync(folder, `${folder}-moved`);
      mkdirSync(folder);
    },
  ],
  ['removed', () => rmSync(folder, { recursive: true })],
  ['left by the mark of its owner', () => rmSync(join(folder, claimName))],
])('a folder that is %s is left, and it is said which', async (_, change) => {
  const claim = await claimFolder(folder);
  const place = watchPlace(folder);
  expect(await Promise.race([place.left, delay(600, 'still there')])).toBe('still there');
  change();
  expect(await Promise.race([place.left, delay(2_000, 'still there')])).toContain(`${folder} was moved`);
  place.close();
  claim.release();
});
