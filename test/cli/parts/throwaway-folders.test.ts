// A benchmark, a run under faults and the tests remove what those before them left, and never what another runs on.
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimFolder, claimName, FolderInUseError } from '../../../cli/parts/claim.ts';
import { makeThrowaway, removeLeftovers, removeThrowaway } from '../../../cli/parts/throwaway-folders.ts';

const root = resolve(import.meta.dirname, '..', '..', '..');
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

  it('are folders: a file or a link of such a name is somebody’s own', () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'isthmus-elsewhere-'));
    mkdirSync(join(elsewhere, 'postgres'));
    symlinkSync(elsewhere, join(home, 'bench-link'));
    writeFileSync(join(home, 'bench-notes.txt'), 'mine');
    removeLeftovers(home, 'bench');
    expect(existsSync(join(elsewhere, 'postgres'))).toBe(true);
    expect(readFileSync(join(home, 'bench-notes.txt'), 'utf8')).toBe('mine');
    rmSync(elsewhere, { recursive: true });
  });

  it('that cannot be claimed, as those of another user, stay and keep nobody from what they do', () => {
    mkdirSync(join(home, 'bench-odd', 'owner.lock'), { recursive: true });
    mkdirSync(join(home, 'bench-dead'));
    const { left } = removeLeftovers(home, 'bench');
    expect(left).toEqual([
      expect.stringMatching(/bench-odd is left where it is: .* cannot be locked: it is a folder/),
    ]);
    expect(readdirSync(home)).toEqual(['bench-odd']);
  });

  it(
    'of several commands of a kind that begin and end together stay whole',
    { timeout: 60_000 },
    async () => {
      const [commands, rounds] = [4, 150];
      const script = `
      import { existsSync, writeFileSync } from 'node:fs';
      import { inThrowawayPlace } from ${JSON.stringify(join(root, 'cli', 'throwaway.ts'))};
      const context = {
        env: {}, folder: ${JSON.stringify(home)}, interruption: { handTo() {} }, terminal: { line() {} },
      };
      for (let round = 0; round < ${rounds}; round += 1) {
        await inThrowawayPlace(context, { kind: 'bench', name: 'r' }, async ({ folder }) => {
          writeFileSync(folder + '/data', 'live');
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
          if (!existsSync(folder + '/data')) throw new Error('removed under a command that runs');
          return 0;
        });
      }`;
      const ended = Array.from({ length: commands }, () => {
        const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
          cwd: root,
          stdio: ['ignore', 'ignore', 'inherit'],
        });
        return new Promise((done) => child.once('close', done));
      });
      expect(await Promise.all(ended)).toEqual(ended.map(() => 0));
      expect(readdirSync(home)).toEqual([claimName]);
    },
  );
});
