// npm ci refuses a lockfile that lacks a platform's package, and a registry may lack the newest ones when it is made.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

interface Lockfile {
  readonly packages: Readonly<
    Record<string, { readonly optionalDependencies?: Readonly<Record<string, string>> }>
  >;
}

const text = readFileSync(resolve(import.meta.dirname, '..', '..', 'package-lock.json'), 'utf8');
const { packages } = JSON.parse(text) as Lockfile;

describe('package-lock.json', () => {
  it('holds every optional package that another one names, so that npm ci accepts it on every platform', () => {
    const names = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)));
    const missing = Object.values(packages)
      .flatMap((one) => Object.keys(one.optionalDependencies ?? {}))
      .filter((name) => !names.has(name));
    expect(missing).toEqual([]);
  });

  it('names no registry: whoever installs uses their own', () => {
    expect(text).not.toContain('"resolved": "http');
  });
});
