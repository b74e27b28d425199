// One send of the instruction: what each answer of the destination means, and what is recorded (PAY-8, TIM-3).
import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import { once } from 'node:events';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { createForwardPayment } from '../../../activities/payments/forward-payment.ts';
import { createValidatePayment } from '../../../activities/payments/validate-payment.ts';
import type { Pacs002 } from '../../../core/iso20022/pacs002.ts';
import { setEndpoint } from '../../harness/destination.ts';
import { instruction, ownExchange } from '../../../fixtures/instruction.ts';
import { reportOn } from '../../harness/reports.ts';
import { inActivity, workbench } from '../workbench.ts';
import { acceptedAgo } from '../../harness/rewritten.ts';
import { eventually } from '../../harness/wait.ts';

const { deps, accepted, store } = await workbench();
const { db } = deps;
const forwardPayment = createForwardPayment(deps);

let answer: RequestListener = (_, response) => response.end();
const server = createServer((request, response) => {
  request.resume().once('end', () => answer(request, response));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** The operator registers another address, and the cache hears of it (REF-6). */
async function moveTo(address: string): Promise<void> {
  await setEndpoint(db, 'IPSO-TH', address);
  const heard = () => expect(deps.reference().operators.get('IPSO-TH')?.endpointUrl).toBe(address);
  await eventually(heard);
}
await moveTo(url);

const run = (payment: { uetr: string; deliveryId: string; destinationSystem: string }) =>
  inActivity(() => forwardPayment(payment));

async function forwardedId(uetr: string): Promise<string> {
  const { message_identification: identification } = await db
    .selectFrom('payments as p')
    .innerJoin('messages as m', 'm.message_id', 'p.forwarded_message_id')
    .select('m.message_identification')
    .where('p.uetr', '=', uetr)
    .executeTakeFirstOrThrow();
  return identification;
}

async function report(uetr: string, values: Partial<Pacs002> = {}): Promise<string> {
  return reportOn(
    { messageIdentification: await forwardedId(uetr), uetr },
    { messageIdentification: 'R1', ...values },
  );
}

const say =
  (status: number, body: string | Buffer = ''): RequestListener =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'application/xml' }).end(body);

const attemptsOf = async (deliveryId: string) => {
  const rows = await db
    .selectFrom('delivery_attempts')
    .select(['outcome', 'http_status'])
    .where('delivery_id', '=', deliveryId)
    .orderBy('attempt')
    .execute();
  return rows.map((row) => `${row.outcome} ${row.http_status}`);
};
const alertsOf = async (uetr: string) => {
  const rows = await db
    .selectFrom('audit_events')
    .select(['kind', 'detail'])
    .where('subject_id', '=', uetr)
    .execute();
  return rows.map((row) => `${row.kind} ${JSON.stringify(row.detail)}`);
};

async function alertOf(uetr: string): Promise<{ kind: string; detail: Record<string, string> }> {
  const alerts = await db
    .selectFrom('audit_events')
    .select(['kind', 'detail'])
    .where('subject_id', '=', uetr)
    .execute();
  expect(alerts).toHaveLength(1);
  return { kind: alerts[0]?.kind ?? '', detail: alerts[0]?.detail as Record<string, string> };
}

test('202 without a body: the final comes later', async () => {
  const payment = await accepted();
  answer = say(202);
  expect(await run(payment)).toEqual({ kind: 'pending' });
  expect(await attemptsOf(payment.deliveryId)).toEqual(['ANSWERED 202']);
});

test.each([200, 201, 204])('%i without a pacs.002: the final comes later (PAY-8)', async (status) => {
  const payment = await accepted();
  answer = say(status);
  expect(await run(payment)).toEqual({ kind: 'pending' });
  expect(await attemptsOf(payment.deliveryId)).toEqual([`ANSWERED ${status}`]);
});

test('202 with anything else stays a receipt, and what is no document is no alert (PAY-8)', async () => {
  const payment = await accepted();
  answer = say(202, '{"accepted":true}');
  expect(await run(payment)).toEqual({ kind: 'pending' });
  expect(await alertsOf(payment.uetr)).toEqual([]);
});

test.each([
  ['has a document type', (xml: string) => xml.replace('<Document', '<!DOCTYPE a><Document'), {}],
  ['is compressed otherwise', (xml: string) => brotliCompressSync(xml), {}],
])('202 with a final that %s stays a receipt, and is on record (PAY-11)', async (_, change, headers) => {
  const payment = await accepted();
  const body = change(await report(payment.uetr));
  answer = (_, response) => response.writeHead(202, headers).end(body);
  expect(await run(payment)).toEqual({ kind: 'pending' });
  expect(await alertsOf(payment.uetr)).toHaveLength(1);
});

test.each(['gzip', 'x-gzip', ' GZIP '])('a final that came as %s unasked counts (SEC-5)', async (coding) => {
  const payment = await accepted();
  const body = gzipSync(await report(payment.uetr));
  answer = (_, response) => response.writeHead(200, { 'content-encoding': coding }).end(body);
  expect((await run(payment)).kind).toBe('decided');
});

test.each([
  ['a bomb', (xml: string) => gzipSync(xml + ' '.repeat(64 * 1024))],
  ['gzip that breaks off', (xml: string) => gzipSync(xml).subarray(0, -9)],
  ['no gzip', (xml: string) => Buffer.from(xml)],
])('of an answer that is called gzip, %s counts for nothing (SEC-5)', async (_, encode) => {
  const payment = await accepted();
  const body = encode(await report(payment.uetr));
  answer = (__, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(body);
  await expect(run(payment)).rejects.toThrow('THBPPAY: HTTP 200');
  expect((await alertOf(payment.uetr)).detail['reason']).toBe('not a whole message');
});

test('200 with a final: it is stored, and decides', async () => {
  const payment = await accepted();
  answer = say(200, await report(payment.uetr));
  expect(await run(payment)).toMatchObject({ kind: 'decided', decision: { status: 'ACCC' } });
  const stored = await db
    .selectFrom('messages')
    .select('status')
    .where('subject_id', '=', payment.uetr)
    .where('direction', '=', 'in')
    .where('message_type', '=', 'pacs002')
    .execute();
  expect(stored).toEqual([{ status: 'ACCC' }]);
});

test.each([
  [
    'XML in UTF-16',
    async (uetr: string) => Buffer.from(await report(uetr), 'utf16le'),
    /^not a valid pacs\.002: /,
    undefined,
  ],
  [
    'a pacs.002 that is not valid',
    async (uetr: string) => (await report(uetr)).replace('ACCC', 'ACSC'),
    /^not a valid pacs\.002: MSG-4 TxInfAndSts\/TxSts: must be ACCC, .*ACTC .*Found: ACSC\.$/,
    'ACSC',
  ],
  [
    'a pacs.002 about another message',
    (uetr: string) =>
      report(uetr, { original: { messageIdentification: 'OTHER', messageNameId: 'pacs.008.001.13', uetr } }),
    /^OrgnlMsgId must be the MsgId of the pacs\.008 that you got from us$/,
    'ACCC',
  ],
  [
    'a pacs.002 about another payment',
    (uetr: string) =>
      report(uetr, {
        original: {
          messageIdentification: 'M',
          messageNameId: 'pacs.008.001.13',
          uetr: '11111111-1111-4111-8111-111111111111',
        },
      }),
    /^OrgnlUETR must be the UETR of the pacs\.008 that you got from us$/,
    'ACCC',
  ],
] as const)(
  '200 with %s decides nothing, raises an alert that says why and what was reported, and is asked again',
  async (_, body, reason, reported) => {
    const payment = await accepted();
    answer = say(200, await body(payment.uetr));
    await expect(run(payment)).rejects.toThrow('THBPPAY: HTTP 200');
    const { kind, detail } = await alertOf(payment.uetr);
    expect(kind).toBe('destination.answer-refused');
    expect(detail['reason']).toMatch(reason);
    expect(detail['reported']).toBe(reported);
  },
);

test.each([
  [503, 'MAYBE_SENT 503'],
  [500, 'MAYBE_SENT 500'],
  [400, 'ANSWERED 400'],
  [301, 'ANSWERED 301'],
])('HTTP %i says nothing of the payment: it is asked again', async (status, attempt) => {
  const payment = await accepted();
  answer = say(status);
  await expect(run(payment)).rejects.toThrow(`THBPPAY: HTTP ${status}`);
  expect(await attemptsOf(payment.deliveryId)).toEqual([attempt]);
});

test('silence after the request was read may have been a payment: MAYBE_SENT', async () => {
  const payment = await accepted();
  answer = () => undefined;
  await expect(run(payment)).rejects.toThrow('MAYBE_SENT (timeout)');
  expect(await attemptsOf(payment.deliveryId)).toEqual(['MAYBE_SENT null']);
});

test('the operator has moved since the payment was accepted: the instruction goes to the address of now (CBK-5)', async () => {
  const payment = await accepted();
  const moved = createServer((request, response) => {
    request.resume().once('end', () => response.writeHead(202).end());
  }).listen(0, '127.0.0.1');
  await once(moved, 'listening');
  const newUrl = `http://127.0.0.1:${(moved.address() as AddressInfo).port}`;
  answer = () => {
    throw new Error('nobody is asked at the old address');
  };
  await moveTo(newUrl);
  expect(await run(payment)).toEqual({ kind: 'pending' });
  const attempt = await db
    .selectFrom('delivery_attempts')
    .select('url')
    .where('delivery_id', '=', payment.deliveryId)
    .executeTakeFirstOrThrow();
  expect(attempt.url).toMatch(new RegExp(`^${newUrl}/iso20022/pacs008\\?`));
  moved.closeAllConnections();
  moved.close();
  await moveTo(url);
});

test('a payment that a restored database does not have is not sent, and its activity ends', async () => {
  const { destinationSystem } = await accepted();
  const missing = { uetr: randomUUID(), deliveryId: randomUUID(), destinationSystem };
  expect(await run(missing)).toEqual({ kind: 'late' });
});

test('an operator whose address may not be used any more is not connected to (SEC-2)', async () => {
  const payment = await accepted();
  await moveTo('http://operator.example'); // neither https nor loopback
  await expect(run(payment)).rejects.toThrow('NOT_SENT (no-usable-address)');
  await moveTo(url);
});

test('the bytes that leave are the stored ones, each time (MSG-8)', async () => {
  const payment = await accepted();
  const bodies: string[] = [];
  answer = say(503);
  server.prependListener('request', (request) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => bodies.push(Buffer.concat(chunks).toString()));
  });
  for (let send = 0; send < 3; send += 1) await expect(run(payment)).rejects.toThrow('HTTP 503');
  server.removeListener('request', server.listeners('request')[0] as () => void);
  const stored = await db
    .selectFrom('payments as p')
    .innerJoin('message_bodies as m', 'm.message_id', 'p.forwarded_message_id')
    .select('m.body')
    .where('p.uetr', '=', payment.uetr)
    .executeTakeFirstOrThrow();
  expect(bodies).toEqual([1, 2, 3].map(() => stored.body.toString()));
});

test('a submission that is judged twice, as after a crash, is one payment with one instruction (PAY-2)', async () => {
  const message = instruction(ownExchange());
  const messageId = await store(message);
  const validatePayment = createValidatePayment(deps);
  const judgements = await Promise.all([1, 2, 3].map(() => validatePayment({ messageId })));
  const ids = judgements.map((one) => (one.verdict === 'accepted' ? one.instructionDeliveryId : one.verdict));
  expect(new Set(ids).size).toBe(1);
  expect(new Set(judgements.map((one) => one.answerMessageId)).size).toBe(1);
});

test('a destination that nobody reaches, and whose breaker is open: each payment has an attempt of its own after 60 s (TIM-3, CBK-3)', async () => {
  await moveTo('http://127.0.0.1:9/nobody');
  const later = await accepted();
  const high = await accepted({ priority: 'HIGH' });
  for (let failures = 0; failures < 5; failures += 1) await run(await accepted()).catch(() => undefined);
  await acceptedAgo(db, later.uetr, 58_000);
  const held = await run(later).catch((error: unknown) => error);
  expect(held).toMatchObject({ type: 'Held' });
  expect((held as { nextRetryDelay: number }).nextRetryDelay).toBeLessThanOrEqual(2_500); // the breaker asks for 5 s
  expect(await attemptsOf(later.deliveryId)).toEqual([]);
  await acceptedAgo(db, later.uetr, 61_000);
  expect(await run(later)).toEqual({ kind: 'unanswered' });
  expect(await attemptsOf(later.deliveryId)).toEqual(['NOT_SENT null']);
  await acceptedAgo(db, high.uetr, 61_000); // it is rejected at its deadline
  expect(await run(high).catch((error: unknown) => error)).toMatchObject({ type: 'Held' });
  await moveTo(url);
});

test('an attempt made whatever the breaker says, whose bytes may have left, is repeated as any other (TIM-3)', async () => {
  await moveTo(`${url}/failing`);
  answer = say(503);
  const later = await accepted();
  for (let failures = 0; failures < 5; failures += 1) await run(await accepted()).catch(() => undefined);
  await acceptedAgo(db, later.uetr, 61_000);
  const again = await run(later).catch((error: unknown) => error);
  expect(again).toMatchObject({ type: 'DestinationDidNotAnswer', nextRetryDelay: 1_000 });
  expect(await attemptsOf(later.deliveryId)).toEqual(['MAYBE_SENT 503']);
  await moveTo(url);
});
