// The credentials that `isthmus ops` uses, and how it renews an expired token.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connectGateway } from '../../cli/ops/connection.ts';
import { writeRunFile } from '../../cli/demo/run-file.ts';
import { listening } from '../harness/listening.ts';
import { opsOn } from './ops-context.ts';

/** Statuses of the next answers, in order; after them 200. */
const statuses: number[] = [];
const asked: string[] = [];
let tokens = 0;
const instanceId = '3f1c9d8e-6a0b-4b57-9a44-0d2a1f3e5c77';
const url = await listening((request, response) => {
  asked.push(`${request.url ?? ''} ${request.headers.authorization ?? ''}`);
  const status = statuses.shift() ?? 200;
  const isToken = request.url === '/oauth/token';
  if (isToken && status === 200) tokens += 1;
  const body = isToken && status === 200 ? JSON.stringify({ access_token: `token-${tokens}` }) : '{}';
  const headers = { 'content-type': 'application/json', 'isthmus-instance': instanceId };
  response.writeHead(status, headers).end(body);
});
const { context } = opsOn({ url });

test('a token that has ended is asked for anew, also where that fails first', async () => {
  const gateway = await connectGateway(context());
  await gateway.get('/payments');
  statuses.push(401, 503);
  await expect(gateway.get('/payments')).rejects.toThrow('503');
  expect(await gateway.get('/payments')).toBe('{}');
  expect(asked.at(-1)).toBe(`/payments Bearer token-${tokens}`);
  statuses.push(401, 200, 401);
  await expect(gateway.get('/payments')).rejects.toThrow('401');
});

test('of the demo that runs here its own secret, unless another one is given', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-demo-'));
  const elsewhere = 'http://127.0.0.1:9';
  writeRunFile(folder, {
    instanceId,
    apiUrl: url,
    temporalAddress: '127.0.0.1:9',
    temporalNamespace: 'default',
    databaseUrl: 'postgres://demo',
    sandbox: { source: elsewhere, destination: elsewhere, fxProvider: elsewhere },
    metrics: { api: 'http://127.0.0.1:9/metrics', worker: 'http://127.0.0.1:9/metrics' },
    journalDirectory: folder,
    logDirectory: folder,
    replaced: { operators: {}, fxps: {} },
    pids: {},
  });
  const askAs = async (env: Readonly<Record<string, string>>) => {
    const here = context({ ISTHMUS_URL: '', ISTHMUS_CLIENT_ID: '', ISTHMUS_CLIENT_SECRET: '', ...env });
    await (await connectGateway({ ...here, folder })).get('/payments');
    return asked.findLast((one) => one.startsWith('/oauth/token'));
  };
  const basic = (pair: string) => `/oauth/token Basic ${Buffer.from(pair).toString('base64')}`;
  expect(await askAs({})).toBe(basic('operator:demo-operator'));
  expect(await askAs({ ISTHMUS_CLIENT_ID: 'operator2' })).toBe(basic('operator2:demo-operator2'));
  expect(await askAs({ ISTHMUS_CLIENT_SECRET: 'mine' })).toBe(basic('operator:mine'));
});

test('a secret is given once, and where its file cannot be read, the path is not repeated', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'isthmus-secret-')), 'secret');
  writeFileSync(file, 'demo-operator\n');
  const from = (env: Readonly<Record<string, string>>) => connectGateway(context(env));
  await expect(from({ ISTHMUS_CLIENT_SECRET_FILE: file })).rejects.toThrow('are both set');
  const unread = { ISTHMUS_CLIENT_SECRET: '', ISTHMUS_CLIENT_SECRET_FILE: 'a-secret-by-mistake' };
  await expect(from(unread)).rejects.toThrow(/^ISTHMUS_CLIENT_SECRET_FILE does not name a file .*ENOENT/);
  const gateway = await from({ ISTHMUS_CLIENT_SECRET: '', ISTHMUS_CLIENT_SECRET_FILE: file });
  await gateway.get('/payments');
  const basic = Buffer.from('operator:demo-operator').toString('base64');
  expect(asked).toContain(`/oauth/token Basic ${basic}`);
});
