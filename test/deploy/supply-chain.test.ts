// What others wrote and we run: pinned, of a licence that allows it, with few install scripts, each of which somebody has
// decided about; and a bill of materials by command.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { root } from '../docs/documents.ts';

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}
const readJson = (file: string): unknown => JSON.parse(readFileSync(join(root, file), 'utf8'));
const { packages } = readJson('package-lock.json') as { readonly packages: Readonly<Record<string, Locked>> };
const own = readJson('package.json') as {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly allowScripts: Readonly<Record<string, boolean>>;
};
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
const locked = Object.entries(packages).filter(([path]) => path !== '');
const inImage = locked.filter(
  ([path, { dev }]) => dev !== true && !path.startsWith('node_modules/node-linux-'), // the image has its own
);

it('every dependency is pinned to one version, and every package to its bytes', () => {
  const asked = Object.entries({ ...own.dependencies, ...own.devDependencies, ...own.optionalDependencies });
  expect(asked.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  expect(locked.filter(([, { integrity }]) => integrity?.startsWith('sha512-') !== true)).toEqual([]);
});

/** Permissive ones: they ask for their text and a name. */
const allowed = [
  'MIT',
  'Apache-2.0',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'Unlicense',
];
/** Read by a person. */
const readByUs: Readonly<Record<string, string>> = {
  ibantools: 'MIT or MPL-2.0: we take MIT',
  unionfs: 'its LICENSE is the Unlicense; its package.json says nothing',
  'caniuse-lite': 'CC-BY-4.0: data about browsers, of webpack, which makes the workflow bundle',
};

it('what goes into the image has a licence that allows it', () => {
  const others = inImage.filter(
    ([path, { license = 'none' }]) =>
      readByUs[nameOf(path)] === undefined &&
      !license.split(/ AND /).every((one) => allowed.includes(one.replaceAll(/[()]/g, ''))),
  );
  expect(others.map(([path, { license }]) => `${path}: ${license ?? 'none'}`)).toEqual([]);
  for (const name of Object.keys(readByUs)) expect(inImage.map(([path]) => nameOf(path))).toContain(name);
});

it('somebody has decided about every install script of what goes into the image', () => {
  const scripts = inImage.filter(([, { hasInstallScript }]) => hasInstallScript === true);
  const undecided = scripts.filter(([path]) => own.allowScripts[nameOf(path)] === undefined);
  expect(undecided.map(([path]) => path)).toEqual([]);
  expect(scripts.length).toBeLessThan(6);
});

it('npm run sbom writes a bill of what goes into the image, as CycloneDX', async () => {
  const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'sbom'], {
    cwd: root,
    maxBuffer: 16 * 1_048_576,
  });
  const bill = JSON.parse(stdout) as {
    readonly bomFormat: string;
    readonly components: readonly {
      readonly name: string;
      readonly version: string;
      readonly purl: string;
    }[];
  };
  expect(bill.bomFormat).toBe('CycloneDX');
  const named = bill.components.map(({ name, version }) => `${name}@${version}`);
  const expected = inImage.map(([path, { version }]) => `${nameOf(path)}@${version ?? ''}`);
  expect(new Set(named)).toEqual(new Set(expected));
  for (const [name, version] of Object.entries(own.dependencies))
    expect(named).toContain(`${name}@${version}`);
});
