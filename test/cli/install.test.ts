// What the first command of a bare clone decides before any dependency is there.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installKey, installState, markInstalled, refuseNode } from '../../cli/install.mjs';

describe('refuseNode', () => {
  it.each(['20.19.0', '20.20.2', '22.0.0', '24.1.0'])('accepts Node %s', (version) => {
    expect(refuseNode(version)).toBeUndefined();
  });

  it.each(['20.18.3', '18.20.8', '8.0.0'])('refuses Node %s and says what to install', (version) => {
    expect(refuseNode(version)).toContain('needs Node 20.19.0 or newer');
    expect(refuseNode(version)).toContain(version);
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

  it('is current when the marker holds the hash of this lockfile on this platform', () => {
    write(installed, {});
    markInstalled(root);
    expect(installState(root)).toBe('current');
  });

  it('is changed when the lockfile is another than at the last install', () => {
    write(installed, { 'node_modules/one': package1 });
    markInstalled(root);
    const before = installKey(root);
    write(lockfile, { '': {}, 'node_modules/one': { version: '1.0.1', integrity: 'sha512-b' } });
    expect(installKey(root)).not.toBe(before);
    expect(installState(root)).toBe('changed');
  });

  it('is current when somebody ran npm by hand', () => {
    write(installed, { 'node_modules/one': package1 });
    expect(installState(root)).toBe('current');
  });

  it('is current without the optional packages of other platforms, and changed without any other', () => {
    write(installed, { 'node_modules/one': package1 });
    write(lockfile, {
      '': {},
      'node_modules/one': package1,
      'node_modules/mac': { version: '1.0.0', optional: true },
    });
    expect(installState(root)).toBe('current');
    write(lockfile, { '': {}, 'node_modules/one': package1, 'node_modules/two': { version: '1.0.0' } });
    expect(installState(root)).toBe('changed');
  });

  it('is changed when something is installed that the lockfile no longer names', () => {
    write(installed, { 'node_modules/one': package1, 'node_modules/gone': package1 });
    expect(installState(root)).toBe('changed');
  });
});
