// Two servers on one set of files would destroy it.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimFolder, claimName, FolderInUseError, ownerOf } from '../../../cli/parts/claim.ts';
import { openHome } from '../../../cli/parts/home.ts';

const claimModule = resolve(import.meta.dirname, '..', '..', '..', 'cli', 'parts', 'claim.ts');
const isLinux = process.platform === 'linux';
const isRoot = process.getuid?.() === 0;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'isthmus-claim-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A process of its own that runs a script, in which `claimFolder` and `folder` are known. */
function program(script: string, options: { readonly uid?: number } = {}) {
  const known = `import { claimFolder } from ${JSON.stringify(claimModule)}; const folder = ${JSON.stringify(folder)};`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', known + script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...options,
  });
  let output = '';
  const said = new Promise<void>((resolve) =>
    child.stdout.on('data', (data: Buffer) => {
      output += data.toString();
      resolve();
    }),
  );
  const ended = new Promise<string>((resolve) => child.once('close', () => resolve(output)));
  return { child, said, ended };
}

describe('claimFolder', () => {
  it('refuses a second owner and names the first, until that one lets go', async () => {
    const claim = await claimFolder(folder);
    await expect(claimFolder(folder)).rejects.toThrow(FolderInUseError);
    await expect(claimFolder(folder)).rejects.toThrow(`Process ${process.pid} already runs Isthmus`);
    expect(ownerOf(folder)).toBe(String(process.pid));
    claim.release();
    expect(ownerOf(folder)).toBeUndefined();
    (await claimFolder(folder)).release();
  });

  it('knows a folder by what it is, whatever it is called, and a copy from what it was copied from', async () => {
    const link = `${folder}-link`;
    const copy = `${folder}-copy`;
    const moved = `${folder}-moved`;
    symlinkSync(folder, link);
    mkdirSync(copy);
    const claim = await claimFolder(folder);
    copyFileSync(join(folder, claimName), join(copy, claimName));
    await expect(claimFolder(link)).rejects.toThrow(FolderInUseError);
    (await claimFolder(copy)).release();
    renameSync(folder, moved);
    expect(ownerOf(moved)).toBe(String(process.pid));
    mkdirSync(folder);
    (await claimFolder(folder)).release(); // its successor is another
    claim.release();
    for (const one of [link, copy, moved]) rmSync(one, { recursive: true });
  });

  it('has one owner at a time, however many ask, die and look', { timeout: 60_000 }, async () => {
    const [processes, rounds] = [5, 60];
    // what two owners would both make; and one of them dies now and then without a word
    const script = `
      const { mkdirSync, rmdirSync } = await import('node:fs');
      const { ownerOf } = await import(${JSON.stringify(claimModule)});
      const { setTimeout: delay } = await import('node:timers/promises');
      for (let round = 0; round < ${rounds}; round += 1) {
        ownerOf(folder);
        const claim = await claimFolder(folder).catch((error) => {
          if (error.name !== 'FolderInUseError') throw error;
        });
        if (claim !== undefined) {
          mkdirSync(folder + '/test-one');
          await delay(Math.random() * 4);
          rmdirSync(folder + '/test-one');
          console.log('owned');
          if (round === ${rounds} - 1) process.kill(process.pid, 'SIGKILL');
          claim.release();
        }
        await delay(Math.random() * 4);
      }`;
    const all = Array.from({ length: processes }, () => program(script));
    const outputs = await Promise.all(all.map((one) => one.ended));
    const owned = outputs.map((output) => output.match(/owned/g)?.length ?? 0);
    expect(all.map(({ child: { exitCode, signalCode } }) => exitCode ?? signalCode)).toEqual(
      all.map(() => expect.toBeOneOf([0, 'SIGKILL']) as unknown),
    );
    expect(Math.min(...owned)).toBeGreaterThan(0);
    (await claimFolder(folder)).release();
  });

  it('is not refused because somebody has only asked who the owner is', { timeout: 60_000 }, async () => {
    (await claimFolder(folder)).release();
    const asking = program(`
      const { ownerOf } = await import(${JSON.stringify(claimModule)});
      console.log('asks');
      for (const until = Date.now() + 1_500; Date.now() < until;) ownerOf(folder);`);
    await asking.said;
    for (let round = 0; round < 200; round += 1) (await claimFolder(folder)).release();
    await asking.ended;
  });

  it.runIf(isLinux)('asks for no name that whoever may not write to the folder can take', async () => {
    const { dev, ino } = statSync(folder, { bigint: true });
    const name = createHash('sha256').update(`${dev}:${ino}`).digest('hex').slice(0, 16);
    const squatter = createServer();
    await new Promise<void>((listening) => squatter.listen(`\0isthmus-${name}`, listening)); // as versions before did
    (await claimFolder(folder)).release();
    await new Promise((closed) => squatter.close(closed));
  });

  it('keeps its file to the owner of the folder', async () => {
    (await claimFolder(folder)).release();
    expect(statSync(join(folder, claimName)).mode & 0o777).toBe(0o600);
  });

  it('keeps it to them again where somebody has opened the folder to all', async () => {
    (await claimFolder(folder)).release();
    chmodSync(join(folder, claimName), 0o644);
    (await claimFolder(folder)).release();
    expect(statSync(join(folder, claimName)).mode & 0o777).toBe(0o600);
  });

  it('says who holds it where that is nobody who runs Isthmus, and how to find them', async () => {
    (await claimFolder(folder)).release();
    const holder = program(`
      const { openSync } = await import('node:fs');
      const { tryLock } = await import('fs-native-extensions');
      tryLock(openSync(folder + '/${claimName}', 'r'), { shared: true });
      console.log('held');
      setInterval(() => undefined, 1_000);`);
    await holder.said;
    const refused = await claimFolder(folder).catch((error: unknown) => error);
    expect(refused).not.toBeInstanceOf(FolderInUseError);
    expect(String(refused)).toContain(`fuser ${join(folder, claimName)} names it`);
    holder.child.kill('SIGKILL');
    await holder.ended;
    (await claimFolder(folder)).release();
  });

  it('lets go once: what is released again is nobody else’s', async () => {
    const other = `${folder}-other`;
    mkdirSync(other);
    const claim = await claimFolder(folder);
    claim.release();
    const next = await claimFolder(other); // its descriptor has the number of the one before
    claim.release();
    expect(ownerOf(other)).toBe(String(process.pid));
    next.release();
    rmSync(other, { recursive: true });
  });

  it.runIf(isLinux && isRoot)(
    'cannot be kept from its owner by another user, who may look into the folder',
    async () => {
      chmodSync(folder, 0o755);
      (await claimFolder(folder)).release();
      const other = program(
        `
      const { openSync } = await import('node:fs');
      const { tryLock } = await import('fs-native-extensions');
      const codes = [];
      for (const path of [folder, folder + '/${claimName}']) {
        try {
          tryLock(openSync(path, 'r'), { shared: true });
        } catch (error) {
          codes.push(error.code);
        }
      }
      console.log(codes.join(' '), await claimFolder(folder).catch((error) => error.message));
      setInterval(() => undefined, 1_000);`,
        { uid: 65_534 },
      );
      await other.said;
      (await claimFolder(folder)).release();
      other.child.kill('SIGKILL');
      expect(await other.ended).toMatch(/EACCES[^]*cannot be locked: this user has no right to/);
    },
  );

  it('is free again when its owner was killed', async () => {
    const owner = program(`
      await claimFolder(folder);
      setInterval(() => undefined, 1_000);
      console.log('claimed');`);
    await owner.said;
    await expect(claimFolder(folder)).rejects.toThrow(`Process ${String(owner.child.pid)} `);
    owner.child.kill('SIGKILL');
    await owner.ended;
    (await claimFolder(folder)).release();
    openHome(folder); // what is left of a claim is ours
  });

  it.runIf(isLinux)('has its owner also where that one stands still', async () => {
    const owner = program(`
      await claimFolder(folder);
      setInterval(() => undefined, 1_000);
      console.log('claimed');`);
    await owner.said;
    owner.child.kill('SIGSTOP');
    await expect(claimFolder(folder)).rejects.toThrow(`Process ${String(owner.child.pid)} already`);
    owner.child.kill('SIGKILL');
    await owner.ended;
  });

  it.each([
    ['text that is no process number', '\u001b[2Jsafe to go on'],
    ['digits without end', '1'.repeat(100_000)],
    ['nothing', ''],
  ])('says that another has it where its file says %s', async (_, text) => {
    const claim = await claimFolder(folder);
    writeFileSync(join(folder, claimName), text);
    await expect(claimFolder(folder)).rejects.toThrow('Process another already runs Isthmus');
    claim.release();
    const next = await claimFolder(folder);
    expect(ownerOf(folder)).toBe(String(process.pid));
    next.release();
  });

  it('says which folder cannot be marked as in use, and what to do, and holds nothing of the try', async () => {
    const path = join(folder, claimName);
    const refused = (reason: string) =>
      expect(claimFolder(folder)).rejects.toThrow(
        new RegExp(`^${path}, .* cannot be locked: ${reason}.*[Ss]et ISTHMUS_HOME to a folder`),
      );
    const unread = (reason: string) =>
      expect(() => ownerOf(folder)).toThrow(
        new RegExp(`^${path}, .* cannot be read: ${reason}.*[Ss]et ISTHMUS_HOME to a folder`),
      );
    mkdirSync(path);
    await refused('it is a folder');
    rmSync(path, { recursive: true });
    const elsewhere = join(folder, 'test-elsewhere');
    writeFileSync(elsewhere, 'of somebody');
    symlinkSync(elsewhere, path);
    await refused('its symbolic links');
    unread('its symbolic links');
    expect(readFileSync(elsewhere, 'utf8')).toBe('of somebody');
    rmSync(path);
    (await claimFolder(folder)).release();
  });
});
