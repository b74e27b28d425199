// An empty production system (ADM-1) is filled by the guide alone (docs/how-to/set-up-a-scheme.md), by its own commands, by two
// people; then a payment runs. The only things that differ are the addresses of the parties, which run here.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { instruction } from '../../fixtures/instruction.ts';
import { blocksOf, readDocument, root } from '../docs/documents.ts';
import { testGateway } from '../harness/gateway.ts';
import { askFor } from '../harness/offers.ts';
import { askQuotes, bestQuote, submit } from '../harness/payer.ts';

const gateway = await testGateway({ scheme: 'none' });
const { dist } = await askFor('commands');
const folder = mkdtempSync(join(tmpdir(), 'isthmus-scheme-'));
afterAll(() => rmSync(folder, { recursive: true }));
symlinkSync(join(root, 'docs'), join(folder, 'docs'));
const { sandbox } = gateway;

/** As a person puts their own addresses into the files. */
function withOwnAddresses(): void {
  const origin = new URL(sandbox.callbackUrl('SGDFAST')).origin;
  const directory = join(folder, 'my-scheme');
  for (const file of readdirSync(directory)) {
    const path = join(directory, file);
    const text = readFileSync(path, 'utf8')
      .replaceAll('https://ipso-sg.example/isthmus', sandbox.destinationUrl('IPSO-SG'))
      .replaceAll('https://ipso-th.example/isthmus', sandbox.destinationUrl('IPSO-TH'))
      .replaceAll(/https:\/\/ipso-(sg|th)\.example/g, origin)
      .replaceAll('https://fx.example', sandbox.fxpBaseUrl('MERISGS0'));
    writeFileSync(path, text);
  }
}

const functions: string[] = [];

/** The block as the guide has it, after the functions of those before. */
async function run(block: string): Promise<string> {
  const own = block.replaceAll('http://127.0.0.1:8080', gateway.url);
  const script = [
    'set -euo pipefail',
    // `npm run --silent admin -- ...`, from the bundle
    `npm() { shift 4; ${process.execPath} ${join(dist, 'ops.js')} admin "$@"; }`,
    ...functions,
    own,
  ].join('\n');
  if (/^\w+\(\) \{/m.test(own)) functions.push(own.replace(/^as boris .*$/gm, ''));
  const env = { ...process.env, DATABASE_URL: gateway.databaseUrl, ISTHMUS_HOME: folder, NODE_ENV: '' };
  const { stdout, stderr } = await promisify(execFile)('bash', ['-c', script], { cwd: folder, env });
  if (own.includes('example-scheme')) withOwnAddresses();
  return stdout + stderr;
}

it('the guide leads from an empty system to a payment', async () => {
  const blocks = blocksOf(readDocument('docs/how-to/set-up-a-scheme.md')).filter(
    ({ language }) => language === 'sh',
  );
  expect(blocks).toHaveLength(8);
  const [first, second, copied, compared, approved, secrets, ready, changed] = blocks.map(({ text }) => text);
  expect(await run(first ?? '')).toMatch(/✓ operator anna, secret shown this once: \S{43}\n/);
  await run(second ?? '');
  await run(copied ?? '');
  expect(await run(compared ?? '')).toContain('Nothing counts yet: another operator looks at it');
  expect((await fetch(`${gateway.url}/health/live`)).status).toBe(200);
  expect(await run(approved ?? '')).toContain('approved by boris');
  for (const [, client, secret] of (await run(secrets ?? '')).matchAll(/Secret of (\S+), .*: (\S+)/g)) {
    gateway.secrets.set(client ?? '', secret ?? '');
  }
  expect([...gateway.secrets.keys()]).toEqual(['LOTUSGS0', 'LOTUTHS0', 'MERISGS0', 'SGDFAST', 'THBPPAY']);
  const said = await run(ready ?? '');
  expect(said).toContain('SGDFAST lacks nothing.');
  expect(said).toContain('SG-LOTU lacks nothing.');
  expect(said).toContain('! rates: It has posted no rate yet: POST /api/v1/rates');

  const posted = await fetch(`${gateway.url}/api/v1/rates`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await gateway.token('MERISGS0')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      sourceCountry: 'SG',
      sourceCurrency: 'SGD',
      destinationCountry: 'TH',
      destinationCurrency: 'THB',
      rate: '25',
    }),
  });
  expect(posted.status).toBe(200);
  const quote = await bestQuote(gateway);
  const { report } = await submit(gateway, instruction(quote));
  expect(report?.status).toBe('ACTC');
  await expect
    .poll(() => gateway.db.selectFrom('decisions').select('status').execute())
    .toEqual([{ status: 'ACCC' }]);

  expect(await run(changed ?? '')).toContain('/creditorAgentFee/nominalFeeAmount: "75.00" -> "60.00"');
  await expect.poll(async () => JSON.stringify(await askQuotes(gateway))).toContain('24915'); // 25,000 less 60 and 0.1 %
});
