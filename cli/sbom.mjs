// `npm run sbom`: prints the bill of materials (CycloneDX) of the npm packages in the image, from
// package-lock.json alone. `npm sbom --omit dev` would also omit packages that both production and
// development need. So this script lists all packages and removes those that only development needs. It also
// removes the npm packages of Node, because the image has its own Node.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { name: ownName, version: ownVersion } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
/** @type {Readonly<Record<string, { version?: string, dev?: boolean }>>} */
const packages = JSON.parse(readFileSync(`${root}/package-lock.json`, 'utf8')).packages;
const inImage = new Set(
  Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && dev !== true && !path.startsWith('node_modules/node-linux-'))
    .map(([path, { version }]) => `${path.slice(path.lastIndexOf('node_modules/') + 13)}@${version}`),
);

const options = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'];
const bill = JSON.parse(
  execFileSync('npm', ['sbom', ...options], { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1_048_576 }),
);
/** @param {{ name: string, version: string }} one */
const isIn = ({ name, version }) => inImage.has(`${name}@${version}`);
/** @type {readonly { name: string, version: string, 'bom-ref': string }[]} */
const components = bill.components.filter(isIn);
const own = bill.metadata.component;
const kept = new Set([...components.map((one) => one['bom-ref']), own['bom-ref']]);
/** @type {readonly { ref: string, dependsOn?: readonly string[] }[]} */
const dependencies = bill.dependencies
  .filter((/** @type {{ ref: string }} */ { ref }) => kept.has(ref))
  .map((/** @type {{ ref: string, dependsOn?: readonly string[] }} */ { ref, dependsOn = [] }) => ({
    ref,
    dependsOn: dependsOn.filter((one) => kept.has(one)),
  }));
const component = { ...own, name: ownName, version: ownVersion };
const shown = { ...bill, metadata: { ...bill.metadata, component }, components, dependencies };
process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
