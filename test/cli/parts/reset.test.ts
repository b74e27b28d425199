// npm run reset: back to the seed data, without fetching the Temporal server again.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimFolder, claimName } from '../../../cli/parts/claim.ts';
import { openHome } from '../../../cli/parts/home.ts';
import { resetFolder } from '../../../cli/parts/reset.ts';

describe('resetFolder', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'isthmus-reset-'));
    writeFileSync(join(folder, claimName), '');
    for (const name of ['bin', 'postgres', 'temporal']) mkdirSync(join(folder, name));
    writeFileSync(join(folder, 'bin', 'temporal'), 'binary');
    writeFileSync(join(folder, 'temporal', 'temporal.db'), 'data');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('removes the data and keeps the fetched server', () => {
    const { removed } = resetFolder({ folder, all: false });
    expect([...removed].sort()).toEqual([join(folder, 'postgres'), join(folder, 'temporal')]);
    expect(existsSync(join(folder, 'temporal'))).toBe(false);
    expect(existsSync(join(folder, 'bin', 'temporal'))).toBe(true);
  });

  it('removes the fetched server too when asked for all', () => {
    resetFolder({ folder, all: true });
    expect(existsSync(join(folder, 'bin'))).toBe(false);
  });

  it('removes nothing while somebody runs on the folder', () => {
    const claim = claimFolder(folder);
    expect(() => resetFolder({ folder, all: true })).toThrow('already runs Isthmus');
    expect(existsSync(join(folder, 'temporal', 'temporal.db'))).toBe(true);
    claim.release();
  });

  it('leaves a folder within it where somebody runs, and says so', () => {
    for (const name of ['bench-quotes-a', 'chaos-dead']) mkdirSync(join(folder, name));
    const claim = claimFolder(join(folder, 'bench-quotes-a'));
    const { left } = resetFolder({ folder, all: false });
    expect(left).toEqual([expect.stringContaining(`Process ${process.pid} already runs Isthmus on`)]);
    expect(readdirSync(folder).sort()).toEqual(['bench-quotes-a', 'bin', claimName]);
    claim.release();
  });

  it('leaves files and links that are called like a folder of a benchmark', () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'isthmus-elsewhere-'));
    writeFileSync(join(elsewhere, 'thesis.txt'), 'three years');
    symlinkSync(elsewhere, join(folder, 'bench-link'));
    writeFileSync(join(folder, 'bench-notes.txt'), 'mine');
    resetFolder({ folder, all: true });
    expect(readdirSync(folder).sort()).toEqual(['bench-link', 'bench-notes.txt', claimName]);
    expect(readdirSync(elsewhere)).toEqual(['thesis.txt']);
    rmSync(elsewhere, { recursive: true });
  });

  it('removes nothing from a folder that Isthmus was never in, though all in it is called like what is ours', () => {
    rmSync(join(folder, claimName));
    mkdirSync(join(folder, 'logs'));
    const before = readdirSync(folder);
    expect(() => resetFolder({ folder, all: true })).toThrow(
      /holds files and no owner\.lock, which Isthmus leaves in its folder \(bin\)\. Set ISTHMUS_HOME/,
    );
    expect(() => openHome(folder), 'nor does it become ours').toThrow('no owner.lock');
    expect(readdirSync(folder)).toEqual(before);
  });

  it('leaves what cannot be claimed, and says so', () => {
    mkdirSync(join(folder, 'bench-odd', claimName), { recursive: true });
    const { left } = resetFolder({ folder, all: false });
    expect(left).toEqual([expect.stringMatching(/bench-odd is left where it is: .*it is a folder/)]);
    expect(readdirSync(folder).sort()).toEqual(['bench-odd', 'bin', claimName]);
  });

  it('leaves nothing in a folder that is somebody else’s', () => {
    writeFileSync(join(folder, 'thesis.txt'), 'three years');
    const before = readdirSync(folder);
    expect(() => resetFolder({ folder, all: true })).toThrow('not from Isthmus (thesis.txt)');
    expect(readdirSync(folder)).toEqual(before);
  });

  it('has nothing to do before the first start', () => {
    rmSync(folder, { recursive: true });
    expect(resetFolder({ folder, all: false })).toEqual({ removed: [], left: [] });
  });
});
