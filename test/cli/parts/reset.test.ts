// `npm run reset` removes the demo's data, and nothing that is not its own.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
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

  it('leaves nothing in a folder that is somebody else’s', () => {
    writeFileSync(join(folder, 'thesis.txt'), 'three years');
    const before = readdirSync(folder);
    expect(() => resetFolder({ folder, all: true })).toThrow('not from Isthmus (thesis.txt)');
    expect(readdirSync(folder)).toEqual(before);
  });
});
