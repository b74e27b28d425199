// The folder of data and logs takes nothing of ours for somebody else's, or a second command beside the first is
// refused.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openHome, ownEntries } from '../../../cli/parts/home.ts';

describe('openHome', () => {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-home-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('knows the file by which another command finds out at this moment whether the folder can be written to', () => {
    openHome(folder);
    const probe = `probe-${process.pid + 1}.pid`;
    writeFileSync(join(folder, probe), '');
    openHome(folder);
    expect(ownEntries(folder)).toEqual(['owner.lock', probe]);
  });
});
