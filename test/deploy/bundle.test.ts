// What an image holds, without an engine: the bundled processes beside the data files and the packages, nothing else
// of the checkout. Each one starts and does its work.
import { execFile, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withClient } from '../../cli/parts/postgres.ts';
import { quietPort } from '../harness/quiet-port.ts';
import { testDatabase } from '../harness/database.ts';
import { testTemporal } from '../harness/temporal.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '..', '..');
const image = mkdtempSync(join(tmpdir(), 'isthmus-image-'));
const database = await testDatabase('empty');
const temporal = await testTemporal();
const port = await quietPort();
const url = `http://127.0.0.1:${port}`;
const env = {
  PATH: process.env['PATH'] ?? '',
  NODE_ENV: 'production',
  DATABASE_URL: database.url,
  TEMPORAL_ADDRESS: temporal.address,
  PORT: String(port),
  PUBLIC_URL: url,
  AUTH: 'builtin',
  DEMO: '1',
  ALLOW_LOOPBACK_CALLBACKS: '1',
};

beforeAll(async () => {
  await run(process.execPath, ['cli/bundle.mjs', join(image, 'dist')], { cwd: root });
  for (const path of [
    'package.json',
    'schemas',
    'db/seed',
    'docs/reference/rules.md',
    'docs/operations/alerts.md',
  ]) {
    cpSync(join(root, path), join(image, path), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(image, 'node_modules'));
});
afterAll(() => rmSync(image, { recursive: true }));

it('the bundle says nothing of the folder that it was made in, so that whoever makes it again can compare it', () => {
  const dist = join(image, 'dist');
  const texts = readdirSync(dist).map((name) => {
    const text = readFileSync(join(dist, name), 'utf8');
    const inline = /sourceMappingURL=data:application\/json;charset=utf-8;base64,(.+)/.exec(text)?.[1] ?? '';
    return [name, text + Buffer.from(inline, 'base64').toString()] as const;
  });
  expect(
    texts.filter(([, text]) => text.includes(root) || text.includes(image)).map(([name]) => name),
  ).toEqual([]);
  const sources = texts
    .filter(([name]) => name.endsWith('.map'))
    .flatMap(([, text]) => (JSON.parse(text) as { readonly sources: readonly string[] }).sources);
  expect(sources).toContain('../api/main.ts');
  expect(sources.filter((path) => !path.startsWith('../') || path.startsWith('../..'))).toEqual([]);
  const workflows = texts.find(([name]) => name === 'workflow-bundle.js')?.[1];
  expect(workflows).toContain('"workflows/index.ts"'); // of its source map
});

describe('the bundled processes', () => {
  it('migrate: brings an empty database to the newest schema, and may run again', async () => {
    const migrate = () => run(process.execPath, ['dist/migrate.js'], { cwd: image, env });
    await migrate();
    await migrate();
    await withClient(database.url, async (client) => {
      const { rows } = await client.query<{ count: number }>('select count(*)::int as count from payments');
      expect(rows).toEqual([{ count: 0 }]);
    });
  });

  it('retention: says what it would drop, and what it does not understand', async () => {
    const retention = (args: readonly string[], further = {}) =>
      run(process.execPath, ['dist/retention.js', ...args], { cwd: image, env: { ...env, ...further } });
    const { stdout } = await retention(['--dry-run']);
    expect(JSON.parse(stdout)).toEqual({
      service: 'isthmus-retention',
      msg: 'nothing is older than it is kept: bytes of messages are kept for 13 months, records for 10 years',
    });
    await expect(retention(['--dryrun'])).rejects.toMatchObject({
      code: 2,
      stderr: 'isthmus retention failed: --dryrun is not understood: it takes --dry-run, or nothing.\n',
    });
    await expect(retention([], { RECORDS_KEPT_YEARS: '1' })).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'MESSAGES_KEPT_MONTHS=13 is longer than RECORDS_KEPT_YEARS=1',
      ) as string,
    });
  });

  it('api: answers that it is ready, and ends in order', async () => {
    const api = start('dist/api.js', env);
    await api.says('api is listening');
    const ready = await fetch(`${url}/health/ready`);
    expect(ready.status).toBe(200);
    expect((await fetch(`${url}/rules/PAY-7`)).status).toBe(200);
    expect((await fetch(`${url}/alert-kinds/payment.in-doubt`)).status).toBe(200);
    api.stop();
    expect(await api.ended).toBe(0);
  });

  it('ops: asks the api as an operator, and is called as in an image', async () => {
    const api = start('dist/api.js', env);
    await api.says('api is listening');
    const operator = { ISTHMUS_CLIENT_ID: 'operator', ISTHMUS_CLIENT_SECRET: 'demo-operator' };
    const ops = (args: readonly string[], further = {}) =>
      run(process.execPath, ['dist/ops.js', 'ops', ...args], {
        cwd: image,
        env: { PATH: env.PATH, ISTHMUS_URL: url, ...operator, ...further },
      });
    expect(JSON.parse((await ops(['list', '--json'])).stdout)).toEqual({ payments: [], next: null });
    expect((await ops(['list', '--help'])).stdout).toContain('Usage: isthmus ops list [options]');
    await expect(ops(['list'], { ISTHMUS_URL: '' })).rejects.toMatchObject({
      stderr: expect.stringContaining('To ask another gateway, name it in ISTHMUS_URL.') as string,
    });
    api.stop();
    expect(await api.ended).toBe(0);
  });

  it('worker: takes the prebuilt workflow bundle, runs, and ends in order', async () => {
    const worker = start('dist/worker.js', env);
    await worker.says('worker is running');
    worker.stop();
    expect(await worker.ended).toBe(0);
  });

  it('sandbox: listens, and ends in order', async () => {
    const ports = { SOURCE_PORT: '0', DESTINATION_PORT: '0', FXP_PORT: '0' };
    const sandbox = start('dist/sandbox.js', { PATH: env.PATH, TOKEN_URL: `${url}/oauth/token`, ...ports });
    await sandbox.says('listening');
    sandbox.stop();
    expect(await sandbox.ended).toBe(0);
  });
});

function start(file: string, environment: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, ['--enable-source-maps', file], {
    cwd: image,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const ended = new Promise<number | null>((done) => child.once('close', done));
  const said = (words: string) =>
    new Promise<void>((heard) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk: Buffer) => {
          text += chunk.toString('utf8');
          if (text.includes(words)) heard();
        });
      }
    });
  return {
    ended,
    /** @throws with what it said when it ends before */
    says: (words: string) =>
      Promise.race([
        said(words),
        ended.then((code) => {
          throw new Error(`${file} ended with ${String(code)}:\n${text}`);
        }),
      ]),
    stop: () => child.kill('SIGTERM'),
  };
}
