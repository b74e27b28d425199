// Two servers on one set of files would destroy it.
import { spawn } from 'node:child_process';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  claimFolder,
  claimName,
  claimPlace,
  FolderInUseError,
  ownerOf,
  placesOf,
} from '../../../cli/parts/claim.ts';

import { openHome } from '../../../cli/parts/home.ts';

const claimModule = resolve(import.meta.dirname, '..', '..', '..', 'cli', 'parts', 'claim.ts');

/** As a process leaves it that was killed. */
async function leaveSocket(path: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(`${path}.left`, listening));
  renameSync(`${path}.left`, path);
  await new Promise((closed) => server.close(closed));
}

describe('claimFolder', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'isthmus-claim-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('refuses a second owner and names the first, until that one lets go', async () => {
    const claim = await claimFolder(folder);
    await expect(claimFolder(folder)).rejects.toThrow(FolderInUseError);
    await expect(claimFolder(folder)).rejects.toThrow(`Process ${process.pid} already runs Isthmus`);
    await claim.release();
    const next = await claimFolder(folder);
    await next.release();
  });

  it('knows a folder by what it is, whatever it is called', async () => {
    const link = `${folder}-link`;
    symlinkSync(folder, link);
    const claim = await claimFolder(folder);
    await expect(claimFolder(link)).rejects.toThrow(FolderInUseError);
    await expect(ownerOf(link)).resolves.toBe(String(process.pid));
    await claim.release();
    rmSync(link);
  });

  it.runIf(process.platform === 'linux')(
    'refuses a second owner with another temporary folder, or that asks at the same moment',
    async () => {
      const claim = await claimFolder(folder);
      const before = process.env['TMPDIR'];
      process.env['TMPDIR'] = folder;
      try {
        await expect(claimFolder(folder)).rejects.toThrow(FolderInUseError);
      } finally {
        if (before === undefined) delete process.env['TMPDIR'];
        else process.env['TMPDIR'] = before;
        await claim.release();
      }
      for (let round = 0; round < 100; round += 1) {
        const claims = await Promise.allSettled([claimFolder(folder), claimFolder(folder)]);
        const owners = claims.filter((one) => one.status === 'fulfilled');
        expect(owners).toHaveLength(1);
        await owners[0]?.value.release();
      }
    },
  );

  it.runIf(process.platform === 'linux')(
    'refuses a second owner in another network, which has names of its own',
    async () => {
      const server = createServer((socket) => socket.end('4711'));
      await new Promise<void>((listening) => server.listen(join(folder, claimName), listening));
      // so it stands for one who has the folder, and whose name nobody here sees
      await expect(claimFolder(folder)).rejects.toThrow('Process 4711 already runs Isthmus');
      await expect(ownerOf(folder)).resolves.toBe('4711');
      await new Promise((closed) => server.close(closed));
      await (await claimFolder(folder)).release();
    },
  );

  it.runIf(process.platform === 'linux')(
    'has one owner where two ask at the same moment in two networks, with and without a socket that an owner left',
    async () => {
      const claim = () => claimPlace(placesOf(folder).at(-1)!, folder);
      for (let round = 0; round < 100; round += 1) {
        if (round % 2 === 0) await leaveSocket(join(folder, claimName));
        const claims = await Promise.allSettled([claim(), claim(), claim()]);
        const owners = claims.filter((one) => one.status === 'fulfilled');
        expect(owners).toHaveLength(1);
        await expect(claim()).rejects.toThrow(FolderInUseError);
        await owners[0]?.value.release();
        expect(readdirSync(folder)).toEqual([]);
      }
    },
  );

  it.runIf(process.platform === 'linux')(
    'says which folder cannot be marked as in use, and what to do',
    async () => {
      mkdirSync(join(folder, claimName));
      await expect(claimFolder(folder)).rejects.toThrow(
        new RegExp(
          `^${join(folder, claimName)}, .* cannot be created: something else is already there.*Set ISTHMUS_HOME to a folder`,
        ),
      );
      rmSync(join(folder, claimName), { recursive: true });
      await (await claimFolder(folder)).release(); // nothing of the first try is held
    },
  );

  it.runIf(process.platform === 'linux')(
    'has its owner also where another took its socket away and was killed before it could put it back',
    async () => {
      const claim = () => claimPlace(placesOf(folder).at(-1)!, folder);
      const owner = await claim();
      renameSync(join(folder, claimName), join(folder, `${claimName}.4711-0-left`));
      await expect(claim()).rejects.toThrow(`Process ${process.pid} already runs Isthmus`);
      openHome(folder); // what is left of a claim is ours
      await owner.release();
      await leaveSocket(join(folder, `${claimName}.4711-0`));
      await (await claim()).release();
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  it.runIf(process.platform === 'linux')(
    'has its owner also where that one stands still, and as many wait for its word as can',
    async () => {
      const script = `
        import { createServer } from 'node:net';
        createServer().listen({ path: ${JSON.stringify(join(folder, claimName))}, backlog: 1 }, () => console.log('up'));`;
      const owner = spawn(process.execPath, ['--input-type=module', '--eval', script], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await new Promise((up) => owner.stdout.once('data', up));
      owner.kill('SIGSTOP');
      const waiting = Array.from({ length: 8 }, () =>
        connect(join(folder, claimName)).on('error', () => undefined),
      );
      await delay(100);
      await expect(claimPlace(placesOf(folder).at(-1)!, folder)).rejects.toThrow('Process another already');
      for (const one of waiting) one.destroy();
      owner.kill('SIGKILL');
    },
  );

  it.each([
    ['text that is no process number', (socket: Socket) => socket.end('\u001b[2Jsafe to go on')],
    ['digits without end', (socket: Socket) => socket.end('1'.repeat(100_000))],
    ['nothing, for as long as it is asked', () => undefined],
  ])('says that another has it where the answer is %s', async (_, answer) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      answer(socket);
    });
    await new Promise<void>((listening) => server.listen(join(folder, claimName), listening));
    await expect(claimFolder(folder)).rejects.toThrow('Process another already runs Isthmus');
    await new Promise((closed) => server.close(closed));
  });

  it('is free again when its owner was killed', async () => {
    const script = `
      import { claimFolder } from ${JSON.stringify(claimModule)};
      await claimFolder(${JSON.stringify(folder)});
      setInterval(() => undefined, 1_000);
      console.log('claimed');
    `;
    const owner = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((claimed) => owner.stdout.once('data', claimed));
    await expect(claimFolder(folder)).rejects.toThrow(`Process ${String(owner.pid)} `);
    const ended = new Promise((done) => owner.once('exit', done));
    owner.kill('SIGKILL');
    await ended;
    const claim = await claimFolder(folder);
    await claim.release();
  });
});
