// Temporary folders of benchmarks, chaos runs and tests: leftovers of dead owners are removed, those in use stay.
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimFolder, FolderInUseError } from '../../../cli/parts/claim.ts';
import { makeThrowaway, removeLeftovers, removeThrowaway } from '../../../cli/parts/throwaway-folders.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'isthmus-throwaway-'));
});
afterEach(() => rmSync(home, { recursive: true }));

describe('throwaway folders', () => {
  it('are owned from the beginning to the end', () => {
    const own = makeThrowaway(home, { kind: 'bench', name: 'quotes' });
    expect(readdirSync(home)).toEqual([expect.stringMatching(/^bench-quotes-\w{6}$/)]);
    expect(() => claimFolder(own.folder)).toThrow(FolderInUseError);
    removeThrowaway(own);
    removeThrowaway(own); // at the exit, once more
    expect(readdirSync(home)).toEqual([]);
  });

  it('of the dead are removed, those of the living and of other kinds stay', () => {
    for (const name of ['bench-dead', 'chaos-dead']) {
      mkdirSync(join(home, name, 'servers'), { recursive: true });
    }
    const { folder, claim } = makeThrowaway(home, { kind: 'bench', name: 'quotes' });
    removeLeftovers(home, 'bench');
    expect(readdirSync(home).map((name) => join(home, name))).toEqual([folder, join(home, 'chaos-dead')]);
    claim.release();
  });
});
