// Two servers on one set of files would destroy it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimFolder, claimName, FolderInUseError } from '../../../cli/parts/claim.ts';
import { openHome } from '../../../cli/parts/home.ts';

const claimModule = resolve(import.meta.dirname, '..', '..', '..', 'cli', 'parts', 'claim.ts');

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'isthmus-claim-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('claimFolder', () => {
  it('refuses a second owner and names the first, until that one lets go', () => {
    const claim = claimFolder(folder);
    expect(() => claimFolder(folder)).toThrow(FolderInUseError);
    expect(() => claimFolder(folder)).toThrow(`Process ${process.pid} already runs Isthmus`);
    claim.release();
    claim.release(); // at the exit, once more
    claimFolder(folder).release();
  });

  it('keeps its file to the owner of the folder', () => {
    claimFolder(folder).release();
    expect(statSync(join(folder, claimName)).mode & 0o777).toBe(0o600);
  });

  it('is free again when its owner was killed', async () => {
    const script = `
      const { claimFolder } = await import(${JSON.stringify(claimModule)});
      claimFolder(${JSON.stringify(folder)});
      setInterval(() => undefined, 1_000);
      console.log('claimed');`;
    const owner = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(owner.stdout, 'data');
    expect(() => claimFolder(folder)).toThrow(`Process ${String(owner.pid)} `);
    owner.kill('SIGKILL');
    await once(owner, 'close');
    claimFolder(folder).release();
    openHome(folder); // what is left of a claim is ours
  });

  it('says which folder cannot be marked as in use, and what to do', () => {
    const path = join(folder, claimName);
    mkdirSync(path);
    expect(() => claimFolder(folder)).toThrow(
      new RegExp(
        `^${path}, .* cannot be locked: illegal operation on a directory.*set ISTHMUS_HOME to a folder`,
      ),
    );
  });
});
