// A worker probes a new endpoint with a harmless message before an operator approves it (ADM-1).
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { createLibxml2Engine } from '../../../xml/libxml2.ts';
import { testGateway } from '../../harness/gateway.ts';
import { problemTexts, withoutIds } from '../../harness/problem-texts.ts';
import { quietPort } from '../../harness/quiet-port.ts';

const gateway = await testGateway();
const engine = createLibxml2Engine();

async function endpoint(status: number) {
  const came: { path: string; body: string }[] = [];
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      came.push({ path: incoming.url ?? '', body: Buffer.concat(chunks).toString('utf8') });
      outgoing.writeHead(status).end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  afterAll(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, came };
}

const ask = async (client: string, path: string, body?: object) => {
  const response = await fetch(`${gateway.url}${path}`, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${await gateway.token(client)}`, 'content-type': 'application/json' },
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};
interface Probe {
  readonly url: string;
  readonly outcome: string | null;
  readonly says: string | null;
}

async function proposeEndpoint(kind: string, id: string, members: object) {
  const { body } = await ask('operator', `/admin/scheme/${kind}/${id}`);
  const document = { ...(body['document'] as object), ...members };
  const proposed = await ask('operator', '/admin/changes', {
    because: 'ticket 1',
    objects: [{ kind, document }],
  });
  expect(proposed.body['state']).toBe('pending');
  const changeId = String(proposed.body['changeId']);
  const probes = async () => (await ask('operator2', `/admin/changes/${changeId}`)).body['probes'] as Probe[];
  const approve = (more: object = {}) =>
    ask('operator2', `/admin/changes/${changeId}/approval`, { because: 'agreed', ...more });
  return { probes, approve };
}
const ended = (probes: readonly Probe[]) =>
  probes.length > 0 && probes.every(({ outcome }) => outcome !== null);

it('one that answers gets a valid pacs.028 about a payment that there is not, and may be approved', async () => {
  const { url, came } = await endpoint(404);
  const { probes, approve } = await proposeEndpoint('operators', 'IPSO-TH', { endpointUrl: url });
  await expect.poll(async () => ended(await probes())).toBe(true);
  expect(await probes()).toEqual([
    { url: `${url}/iso20022/pacs028`, outcome: 'answered', says: 'It answered HTTP 404.' },
  ]);
  expect(came.map(({ path }) => path)).toEqual(['/iso20022/pacs028']); // once
  const parsed = engine.parse(Buffer.from(came[0]?.body ?? ''), ['pacs028']);
  expect(parsed.ok).toBe(true);
  if (parsed.ok) expect(await parsed.value.validate()).toEqual([]);
  expect(await approve()).toMatchObject({ status: 200, body: { state: 'applied' } });
});

it.each([
  ['nobody', undefined, 'Nobody answered (refused).'],
  ['a server that is out of order', 503, 'It answered HTTP 503.'],
])('%s keeps it from being approved, unless somebody says so', async (_who, status, says) => {
  const url = status === undefined ? `http://127.0.0.1:${await quietPort()}` : (await endpoint(status)).url;
  const fxtr = `${url}/iso20022/fxtr017`;
  const { probes, approve } = await proposeEndpoint('institutions', 'SG-MERI', { notificationUrl: fxtr });
  await expect.poll(async () => ended(await probes())).toBe(true);
  expect(await probes()).toEqual([{ url: fxtr, outcome: 'failed', says }]);
  const refused = await approve();
  expect(refused).toMatchObject({ status: 409, body: { code: 'endpoint-untried' } });
  expect(withoutIds(String(refused.body['detail']))).toBe(
    problemTexts['endpoint-untried'].told.replace('Nobody answered (refused).', says),
  );
  expect(await approve({ despiteProbes: true })).toMatchObject({ status: 200, body: { state: 'applied' } });
});
