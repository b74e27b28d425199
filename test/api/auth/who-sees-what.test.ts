// Who sees what of a payment that never came to be, or of which one side saw nothing (SEC-1, DUP-2, PAY-9).
import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import type { OriginalPacs008 } from '../../../core/iso20022/build-pacs008.ts';
import { setEndpoint } from '../../harness/destination.ts';
import { evidenceOf } from '../../harness/evidence.ts';
import { testGateway } from '../../harness/gateway.ts';
import { instruction } from '../../../fixtures/instruction.ts';
import { jsonRoutes } from '../../harness/json-routes.ts';
import { bestQuote, submit } from '../../harness/payer.ts';

const gateway = await testGateway();
const journals = evidenceOf(gateway);

const systems = {
  THBPPAY: { source: 'TH', sourceCurrency: 'THB' },
  MYRRPP: { source: 'MY', sourceCurrency: 'MYR' },
} as const;

/** To Singapore, from the system's country. */
async function message(
  clientId: keyof typeof systems,
  changes: Partial<OriginalPacs008> = {},
): Promise<OriginalPacs008> {
  const { source, sourceCurrency } = systems[clientId];
  const trip = { source, sourceCurrency, destination: 'SG', destinationCurrency: 'SGD' };
  const quote = await bestQuote(gateway, trip);
  return instruction(quote, changes);
}

interface Seen {
  readonly status: unknown;
  readonly decision: { readonly reasonCode: string; readonly confirmationMessageId: string | null } | null;
  readonly messages: readonly Readonly<Record<'direction' | 'leg' | 'party' | 'message', string>>[];
}

const ask = await jsonRoutes<Seen>(gateway);
async function evidence(clientId: string, uetr: string): Promise<{ http: number; body: Seen }> {
  const { status, body } = await ask('GET', `/payments/${uetr}`, undefined, clientId);
  return { http: status, body };
}

test('whoever was refused under a UETR sees that, also where another was refused under it before (DUP-2)', async () => {
  const uetr = randomUUID();
  for (const clientId of ['THBPPAY', 'MYRRPP'] as const) {
    const first = await message(clientId);
    expect((await submit(gateway, first, { clientId })).report?.status).toBe('ACTC');
    const second = await message(clientId, { messageIdentification: first.messageIdentification, uetr });
    expect((await submit(gateway, second, { clientId })).report?.reasonCode).toBe('DU01');
  }
  for (const clientId of ['THBPPAY', 'MYRRPP'] as const) {
    const { http, body } = await evidence(clientId, uetr);
    expect([http, body.status]).toEqual([200, 'REFUSED']);
    expect(body.messages.map(({ party }) => party)).toEqual([clientId, clientId]);
  }
});

/** Answers the one before. */
async function exchangeEndpoint(operatorId: string, url: string): Promise<string> {
  const { endpoint_url: before } = await gateway.db
    .selectFrom('operators')
    .select('endpoint_url')
    .where('operator_id', '=', operatorId)
    .executeTakeFirstOrThrow();
  await setEndpoint(gateway.db, operatorId, url);
  return before;
}

test('a destination that no byte has reached sees nothing of a payment, and no confirmation that was never sent is shown (PAY-9, SEC-1)', async () => {
  const standing = await exchangeEndpoint('IPSO-TH', 'http://127.0.0.1:9'); // nobody listens there
  onTestFinished(async () => {
    await exchangeEndpoint('IPSO-TH', standing);
  });
  const acceptanceDateTime = new Date(Date.now() - 17_000).toISOString(); // 3 s before the deadline
  const payment = instruction(await bestQuote(gateway), { priority: 'HIGH', acceptanceDateTime });
  const { uetr } = payment;
  expect((await submit(gateway, payment)).report?.status).toBe('ACTC');
  for (const client of ['THBPPAY', 'LOTUTHS0']) {
    // while an attempt is open, a byte may have left
    await expect.poll(async () => (await evidence(client, uetr)).http).toBe(404);
  }
  expect((await journals.arrival(uetr, 'source', 'pacs002')).status).toBe('RJCT');
  const { body } = await evidence('SGDFAST', uetr);
  expect(body.decision).toMatchObject({ reasonCode: 'AB03', confirmationMessageId: null });
  expect(body.messages.map((one) => [one.direction, one.leg, one.message.slice(0, 8)].join(' '))).toEqual([
    'in source pacs.008',
    'out source pacs.002',
    'out destination pacs.008',
    'out source pacs.002',
  ]);
  expect((await evidence('THBPPAY', uetr)).http).toBe(404);
  await journals.closed(uetr);
});
