// The record of a payment on a whole gateway: who sees what, and that it agrees with the parties and the database.
import { randomUUID } from 'node:crypto';
import { expect, describe, test } from 'vitest';
import { buildPacs008 } from '../../../core/iso20022/build-pacs008.ts';
import type { Evidence } from '../../../fixtures/bodies.ts';
import { evidenceOf, type Party } from '../../harness/evidence.ts';
import { testGateway } from '../../harness/gateway.ts';
import { endingIn, type Ending } from '../../../fixtures/endings.ts';
import { instruction, type Changes } from '../../../fixtures/instruction.ts';
import { jsonRoutes } from '../../harness/json-routes.ts';
import { bestQuote, sha256, submit, submitXml } from '../../harness/payer.ts';

const gateway = await testGateway();
const evidence = evidenceOf(gateway);

const ask = await jsonRoutes(gateway);
const get = (path: string, client: string | null) => ask('GET', path, undefined, client);

async function timeline(uetr: string, client: string): Promise<Evidence> {
  const { status, body } = await get(`/payments/${uetr}`, client);
  expect(status, JSON.stringify(body)).toBe(200);
  return body as Evidence;
}

/** A payment of 1,000 SGD to TH that has ended. */
async function ended(ending: Ending, changes: Changes = {}): Promise<string> {
  const message = instruction(await bestQuote(gateway), { ending, ...changes });
  expect((await submit(gateway, message)).httpStatus).toBe(200);
  await evidence.arrival(message.uetr, 'source', 'pacs002');
  await evidence.closed(message.uetr);
  return message.uetr;
}

const line = (one: Evidence['messages'][number]) =>
  [one.direction, one.leg, one.party, one.message.slice(0, 8), one.status, one.reasonCode]
    .filter((part) => part !== null)
    .join(' ');

describe('a payment that was credited', async () => {
  const uetr = await ended(endingIn.creditedAtOnce);

  test('every message is in the timeline, with the hash and size of what the parties saw', async () => {
    const { messages, ...told } = await timeline(uetr, 'operator');
    expect(told).toMatchObject({
      status: 'ACCC',
      sourceClearingSystem: 'SGDFAST',
      destinationClearingSystem: 'THBPPAY',
      corridor: 'SG-TH',
      priority: 'NORM',
    });
    expect(messages.map(line).sort()).toEqual([
      'in destination THBPPAY pacs.002 ACCC',
      'in source SGDFAST pacs.008',
      'out destination THBPPAY pacs.002 ACCC',
      'out destination THBPPAY pacs.008',
      'out fxp MERISGS0 fxtr.017',
      'out source SGDFAST pacs.002 ACCC',
      'out source SGDFAST pacs.002 ACTC',
    ]);
    const journaled = evidence.entries(uetr).filter((entry) => entry.bytes !== undefined);
    for (const entry of journaled) {
      const shown = messages.find((one) => one.sha256 === sha256(entry.bytes ?? ''));
      expect(shown, `${entry.party} ${entry.kind}`).toBeDefined();
      expect(shown?.size).toBe(entry.bytes?.length);
    }
    expect(journaled.length).toBeGreaterThan(4);
  });

  test('the decision names its source and the report that decided', async () => {
    const { decision, messages } = await timeline(uetr, 'operator');
    expect(decision).toMatchObject({
      status: 'ACCC',
      decidedBy: 'destination',
      ruleId: null,
      reasonCode: null,
      reportMessageId: messages.find((one) => one.direction === 'in' && one.leg === 'destination')?.messageId,
      notificationMessageId: messages.find((one) => one.leg === 'fxp')?.messageId,
    });
  });

  test('every delivery shows its attempts (CBK-4)', async () => {
    const { deliveries } = await timeline(uetr, 'operator');
    expect(deliveries.map(({ kind }) => kind).sort()).toEqual([
      'callback',
      'confirmation',
      'instruction',
      'notification',
    ]);
    for (const { attempts, deliveredAt } of deliveries) {
      expect(deliveredAt).not.toBeNull();
      expect(attempts).toMatchObject([
        { attempt: 1, outcome: 'ANSWERED', httpStatus: 200, errorClass: null },
      ]);
    }
  });

  test('each field that differs between received and forwarded pacs.008 has its rule (MSG-9, MSG-10, PAY-4)', async () => {
    const { difference } = await timeline(uetr, 'operator');
    const fields = difference?.fields ?? [];
    expect(fields.filter((one) => one.ruleId === null)).toEqual([]);
    const amount = fields.find((one) => one.receivedXpath?.endsWith('/IntrBkSttlmAmt'));
    expect(amount).toMatchObject({
      change: 'changed',
      ruleId: 'MSG-10',
      received: '1000',
      forwarded: '25000',
    });
    expect(fields.filter((one) => one.ruleId === 'PAY-4').map((one) => one.forwardedXpath)).toContain(
      '/Document/FIToFICstmrCdtTrf/CdtTrfTxInf/PrvsInstgAgt1/FinInstnId/BICFI',
    );
  });

  test.each([
    ['the source operator', 'SGDFAST', 'source'],
    ['the destination operator', 'THBPPAY', 'destination'],
    ['the debtor agent', 'LOTUSGS0', 'source'],
    ['the creditor agent', 'LOTUTHS0', 'destination'],
  ] satisfies [string, string, Party][])(
    '%s sees the timeline of both sides, reads the messages of its own leg, and no values of the other',
    async (_, client, leg) => {
      const { messages, difference } = await timeline(uetr, client);
      expect(messages).toHaveLength(leg === 'source' ? 7 : 6); // without the fxtr.017
      expect(new Set(messages.filter((one) => one.href !== null).map((one) => one.leg))).toEqual(
        new Set([leg]),
      );
      expect(difference?.fields.length).toBeGreaterThan(5);
      expect(difference?.fields.every((one) => !('received' in one) && !('forwarded' in one))).toBe(true);
      for (const { messageId, href } of messages) {
        const answer = await get(`/payments/${uetr}/messages/${messageId}`, client);
        expect(answer.status).toBe(href === null ? 404 : 200);
      }
    },
  );

  test('a message is served byte for byte, with its digest', async () => {
    const [instructionSeen] = evidence.received(uetr, 'destination', 'pacs008');
    const { messages } = await timeline(uetr, 'operator');
    const sent = messages.find((one) => one.direction === 'out' && one.message.startsWith('pacs.008'));
    const answer = await get(sent?.href ?? '', 'operator');
    expect(answer.status).toBe(200);
    expect(answer.bytes.equals(Buffer.from(instructionSeen?.bytes ?? ''))).toBe(true);
    expect(answer.headers.get('content-type')).toBe('application/xml; charset=utf-8');
    expect(answer.headers.get('etag')).toBe(`"${sent?.sha256}"`);
    const base64 = Buffer.from(sent?.sha256 ?? '', 'hex').toString('base64');
    expect(answer.headers.get('repr-digest')).toBe(`sha-256=:${base64}:`);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  test.each([
    ['another payment system', 'MYRRPP'],
    ['another PSP', 'BANYSGS0'],
  ])('for %s the payment does not exist: 404 (as QUO-9)', async (_, client) => {
    const answer = await get(`/payments/${uetr}`, client);
    expect([answer.status, answer.body]).toMatchObject([404, { code: 'unknown-payment' }]);
    expect((answer.body as { detail: string }).detail).toMatch(/no payment [0-9a-f-]{36}/);
    const { messages } = await timeline(uetr, 'operator');
    const bytes = await get(`/payments/${uetr}/messages/${messages[0]?.messageId ?? ''}`, client);
    expect([bytes.status, bytes.body]).toMatchObject([404, { code: 'unknown-payment' }]);
  });

  test('an FX provider is refused before anything is looked up: 403', async () => {
    for (const path of [`/payments/${uetr}`, `/payments/${uetr}/messages/${randomUUID()}`]) {
      expect((await get(path, 'MERISGS0')).status).toBe(403);
      expect((await get(path, null)).status).toBe(401);
    }
  });
});

test('a payment that nobody submitted is not found; a UETR that is no UUID v4 is a bad request', async () => {
  expect(await get(`/payments/${randomUUID()}`, 'operator')).toMatchObject({
    status: 404,
    body: { code: 'unknown-payment' },
  });
  for (const path of ['/payments/PAYMENT-1', `/payments/${randomUUID()}/messages/1`]) {
    expect(await get(path, 'operator')).toMatchObject({ status: 400, body: { code: 'invalid-request' } });
  }
});

test('a payment that the gateway rejects shows its rule, nothing forwarded, and is shown to its debtor agent only', async () => {
  const uetr = await ended(endingIn.creditedAtOnce, { clearingSystemId: 'MYRRPP' });
  for (const client of ['operator', 'SGDFAST', 'LOTUSGS0']) {
    const told = await timeline(uetr, client);
    expect(told).toMatchObject({ status: 'RJCT', destinationClearingSystem: null, difference: null });
    expect(told.decision).toMatchObject({
      status: 'RJCT',
      reasonCode: 'AGNT',
      decidedBy: 'gateway',
      ruleId: 'MSG-5',
      reportMessageId: null,
    });
    expect(told.deliveries.map(({ kind }) => kind)).toEqual(['callback']);
    expect(told.messages.map(line)).toEqual([
      'in source SGDFAST pacs.008',
      'out source SGDFAST pacs.002 RJCT AGNT',
    ]);
  }
  for (const client of ['MYRRPP', 'THBPPAY', 'LOTUTHS0', 'BANYSGS0']) {
    expect((await get(`/payments/${uetr}`, client)).status).toBe(404);
  }
});

test('a debtor agent that is no member of the submitting system sees nothing of what is said in its name (PAY-6)', async () => {
  const agent = { bicfi: 'LOTUMYS0' };
  const quote = await bestQuote(gateway);
  const [fee, other] = instruction(quote).charges;
  const uetr = await ended(endingIn.creditedAtOnce, {
    debtorAgent: agent,
    charges: [{ ...fee, agent }, other],
  });
  expect((await timeline(uetr, 'operator')).decision).toMatchObject({ reasonCode: 'AGNT', ruleId: 'PAY-6' });
  expect((await get(`/payments/${uetr}`, 'LOTUMYS0')).status).toBe(404);
});

test('a contradiction is shown to both sides; a security event to operators only', async () => {
  const quote = await bestQuote(gateway);
  const message = instruction(quote, { ending: endingIn.contradicting });
  await submit(gateway, message);
  await evidence.arrival(message.uetr, 'destination', 'pacs002');
  await evidence.closed(message.uetr);
  const changed = buildPacs008({ ...message, endToEndId: 'E2E-2' });
  expect((await submitXml(gateway, changed)).report).toMatchObject({ status: 'RJCT', reasonCode: 'DUPL' });
  await expect
    .poll(async () => (await timeline(message.uetr, 'operator')).events.map(({ kind }) => kind))
    .toEqual(expect.arrayContaining(['payment.contradiction', 'payment.content-changed']));
  for (const client of ['SGDFAST', 'THBPPAY']) {
    expect((await timeline(message.uetr, client)).events).toMatchObject([
      {
        kind: 'payment.contradiction',
        severity: 'alert',
        detail: { decided: 'ACCC', reported: 'RJCT' },
      },
    ]);
  }
});

test('what another system sends under the UETR of a payment is shown to operators, not to its sides', async () => {
  const quote = await bestQuote(gateway);
  const message = instruction(quote, { ending: endingIn.creditedAtOnce });
  await submit(gateway, message);
  await evidence.closed(message.uetr);
  const foreign = buildPacs008({
    ...message,
    messageIdentification: 'FOREIGN-1',
    clearingSystemId: 'MYRRPP',
  });
  expect((await submitXml(gateway, foreign, { clientId: 'MYRRPP' })).report).toMatchObject({
    status: 'RJCT',
  });
  const parties = async (client: string) =>
    new Set((await timeline(message.uetr, client)).messages.map((one) => one.party));
  expect(await parties('operator')).toContain('MYRRPP');
  expect(await parties('SGDFAST')).not.toContain('MYRRPP');
  expect((await get(`/payments/${message.uetr}`, 'MYRRPP')).status).toBe(404);
});

test('a UETR of which only a repeat came that was refused is REFUSED, judged when it was answered (DUP-2)', async () => {
  const message = instruction(await bestQuote(gateway), { ending: endingIn.creditedAtOnce });
  await submit(gateway, message);
  await evidence.closed(message.uetr);
  const other = instruction(await bestQuote(gateway), {
    messageIdentification: message.messageIdentification,
  });
  expect((await submit(gateway, other)).report).toMatchObject({ status: 'RJCT', reasonCode: 'DU01' });
  for (const client of ['SGDFAST', 'operator']) {
    const told = await timeline(other.uetr, client);
    const [, answer] = told.messages;
    expect(told.messages.map(line)).toEqual([
      'in source SGDFAST pacs.008',
      'out source SGDFAST pacs.002 RJCT DU01',
    ]);
    expect(told).toMatchObject({ status: 'REFUSED', judgedAt: answer?.at, decision: null, deliveries: [] });
  }
  const corrected = { ...other, messageIdentification: `${other.messageIdentification.slice(0, 30)}-2` };
  expect((await submit(gateway, corrected)).report?.status).toBe('ACTC');
  expect((await timeline(other.uetr, 'SGDFAST')).status).not.toBe('REFUSED');
  await evidence.closed(other.uetr);
});

test('attempts that fail are told with their class, and a submission that nobody judged yet is RCVD', async () => {
  const quote = await bestQuote(gateway);
  const message = instruction(quote, { ending: endingIn.refusing });
  await submit(gateway, message);
  await evidence.arrival(message.uetr, 'source', 'pacs002');
  const { deliveries } = await timeline(message.uetr, 'SGDFAST');
  const attempts = deliveries.find(({ kind }) => kind === 'instruction')?.attempts ?? [];
  expect(attempts.map((one) => [one['outcome'], one['httpStatus']])).toEqual([
    ['MAYBE_SENT', 503],
    ['MAYBE_SENT', 503],
    ['MAYBE_SENT', 503],
    ['ANSWERED', 200],
  ]);
  await evidence.closed(message.uetr);

  await gateway.stopWorker();
  const waiting = instruction(await bestQuote(gateway), { ending: endingIn.creditedAtOnce });
  const submitting = submit(gateway, waiting);
  await expect.poll(async () => (await get(`/payments/${waiting.uetr}`, 'SGDFAST')).status).toBe(200);
  expect(await timeline(waiting.uetr, 'SGDFAST')).toMatchObject({
    status: 'RCVD',
    decision: null,
    deliveries: [],
  });
  expect((await get(`/payments/${waiting.uetr}`, 'LOTUSGS0')).status).toBe(404);
  await gateway.startWorker();
  expect((await submitting).report?.status).toBe('ACTC');
  await evidence.closed(waiting.uetr);
});

test('the destination, and its bank, see neither the quote nor the FX provider of a payment, as in the list (OBS-5)', async () => {
  const uetr = await ended(endingIn.creditedAtOnce);
  expect((await ask('POST', `/payments/${uetr}/redeliveries`, { kinds: ['notification'] })).status).toBe(200);
  const told = async (client: string) => (await get(`/payments/${uetr}`, client)).bytes.toString();
  await expect.poll(() => told('SGDFAST')).toContain('operator.redelivery');
  const { quoteId, deliveries } = await timeline(uetr, 'SGDFAST');
  const fxp = deliveries.find(({ kind }) => kind === 'notification')?.party ?? '';
  expect([fxp, quoteId]).toEqual(['MERISGS0', expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  for (const client of ['THBPPAY', 'LOTUTHS0']) {
    const seen = await timeline(uetr, client);
    expect([seen.quoteId, seen.decision?.notificationMessageId]).toEqual([null, null]);
    expect(seen.deliveries.map(({ kind }) => kind).sort()).toEqual([
      'callback',
      'confirmation',
      'instruction',
    ]);
    for (const hidden of [fxp, quoteId ?? '', 'fxtr', '"notification"', 'operator.redelivery'])
      expect(await told(client)).not.toContain(hidden);
  }
});
