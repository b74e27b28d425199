// What operators ask for again: deliveries of one payment, dead letters of many, and enquiries (CBK-1, DUP-1); and
// what they see of failures (OBS-5, CBK-4, PAY-8).
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { writeEvent } from '../../harness/events.ts';
import type { Evidence } from '../../../fixtures/bodies.ts';
import { receivedOf, setEndpoint } from '../../harness/destination.ts';
import { endingIn } from '../../../fixtures/endings.ts';
import { evidenceOf } from '../../harness/evidence.ts';
import { testGateway } from '../../harness/gateway.ts';
import { instruction } from '../../../fixtures/instruction.ts';
import { jsonRoutes } from '../../harness/json-routes.ts';
import { reading } from '../../harness/listening.ts';
import { bestQuote, submit } from '../../harness/payer.ts';
import { reportOn } from '../../harness/reports.ts';

const callbacks: string[] = [];
let callbackStatus = 410;
const callbackUrl = await reading((response, body) => {
  callbacks.push(body.toString());
  response.writeHead(callbackStatus).end('gone fishing');
});
let malaysiaSays: (message: { messageIdentification: string; uetr: string }) => string = () =>
  '<no-message/>';
const malaysia = await reading((response, body) => {
  const { messageIdentification, uetr, status } = receivedOf(body);
  if (status !== undefined) response.writeHead(200).end();
  else
    response
      .writeHead(200, { 'content-type': 'application/xml' })
      .end(malaysiaSays({ messageIdentification, uetr }));
});
const gateway = await testGateway({ prepare: (db) => setEndpoint(db, 'IPSO-MY', malaysia) });
const evidence = evidenceOf(gateway);

interface Body extends Evidence {
  readonly kinds?: readonly string[];
  readonly redelivered?: number;
  readonly total?: number;
  readonly deadLetters?: readonly { readonly subjectId: string; readonly kind: string }[];
  readonly asked?: boolean;
  readonly alerts?: readonly { readonly kind: string }[];
  readonly parties?: readonly { readonly party: string; readonly kinds: readonly object[] }[];
  readonly code?: string;
}

const ask = await jsonRoutes<Body>(gateway);

/** A payment whose source answers its final status with 410. */
async function withDeadCallback(): Promise<string> {
  callbackStatus = 410;
  const message = instruction(await bestQuote(gateway));
  await submit(gateway, message, { callbackUrl });
  await expect.poll(() => evidence.audit(message.uetr)).toContain('delivery.dead-letter');
  await evidence.closed(message.uetr);
  return message.uetr;
}

const seen = (uetr: string) => callbacks.filter((body) => body.includes(uetr));

describe('deliveries of one payment', () => {
  test('a dead letter is delivered again in the same bytes, and who asked is on record', async () => {
    const uetr = await withDeadCallback();
    callbackStatus = 200;
    expect((await ask('POST', `/payments/${uetr}/redeliveries`, { kinds: ['callback'] })).body.kinds).toEqual(
      ['callback'],
    );
    await expect.poll(() => seen(uetr).length).toBe(2);
    expect(new Set(seen(uetr)).size).toBe(1);
    const { body } = await ask('GET', `/payments/${uetr}`);
    expect(body.events.at(-1)).toMatchObject({
      kind: 'operator.redelivery',
      party: 'SGDFAST',
      detail: { kind: 'callback', by: 'operator' },
    });
    const callback = () =>
      ask('GET', `/payments/${uetr}`).then(({ body: { deliveries } }) =>
        deliveries.find(({ kind }) => kind === 'callback'),
      );
    await expect.poll(callback).toMatchObject({ closedAt: null, deliveredAt: expect.any(String) as string });
    expect((await callback())?.attempts).toMatchObject([
      { httpStatus: 410, url: callbackUrl, responseExcerpt: 'gone fishing' },
      { httpStatus: 200, responseExcerpt: null },
    ]);
    const { body: shown } = await ask('GET', `/payments/${uetr}`, undefined, 'SGDFAST');
    const told = shown.deliveries.flatMap(({ attempts }) => attempts);
    expect(told.map(({ url, responseExcerpt }) => [url, responseExcerpt])).toEqual(
      told.map(() => [null, null]),
    );
  });

  test('without a choice those that were not taken: no FX provider gets its trade a second time', async () => {
    const uetr = await withDeadCallback();
    callbackStatus = 200;
    const { body } = await ask('POST', `/payments/${uetr}/redeliveries`, {});
    expect(body.kinds).toEqual(['callback']);
    const again = await ask('POST', `/payments/${uetr}/redeliveries`, {
      kinds: ['callback', 'notification'],
    });
    expect(again.body.kinds).toEqual(['callback', 'notification']);
    await expect.poll(() => evidence.received(uetr, 'fxp', 'fxtr017').length).toBe(2);
  });

  test('not where there is none', async () => {
    const none = await ask('POST', `/payments/${randomUUID()}/redeliveries`, {});
    expect([none.status, none.body.code]).toEqual([404, 'unknown-payment']);
    const waiting = instruction(await bestQuote(gateway), { ending: endingIn.silent });
    await submit(gateway, waiting);
    const early = await ask('POST', `/payments/${waiting.uetr}/redeliveries`, {});
    expect([early.status, early.body.code]).toEqual([409, 'nothing-to-deliver']);
    expect((await ask('POST', `/payments/${waiting.uetr}/redeliveries`, {}, 'SGDFAST')).status).toBe(403);
  });
});

describe('dead letters of many payments', () => {
  test('are named first, and then delivered, no more than asked for', async () => {
    const uetrs: string[] = [];
    for (let nth = 0; nth < 3; nth += 1) uetrs.push(await withDeadCallback());
    const like = { kinds: ['callback'], party: 'SGDFAST', closedReason: 'gone', limit: 2 };
    const preview = await ask('POST', '/redeliveries', { ...like, preview: true });
    expect(preview.body).toMatchObject({ redelivered: 0, total: 3 });
    expect(preview.body.deadLetters?.map(({ subjectId }) => subjectId)).toEqual(uetrs.slice(0, 2));
    expect(uetrs.flatMap(seen)).toHaveLength(3);
    callbackStatus = 200;
    expect((await ask('POST', '/redeliveries', { ...like, preview: false })).body.redelivered).toBe(2);
    await expect.poll(() => uetrs.flatMap(seen).length).toBe(5);
    const rest = await ask('POST', '/redeliveries', { preview: true });
    expect(rest.body.deadLetters).toMatchObject([{ subjectId: uetrs[2], kind: 'callback' }]);
    const other = await ask('POST', '/redeliveries', { preview: false, party: 'MERISGS0' });
    expect(other.body).toMatchObject({ redelivered: 0, total: 0, deadLetters: [] });
  });

  test('a party is known by each of its identifiers on every route that filters by one, and one that does not exist is refused, not answered with nothing (OBS-5, OBS-6)', async () => {
    await writeEvent(gateway.db, { severity: 'alert', kind: 'notification.defect', party: 'MERISGS0' });
    const routes = (party: string) =>
      Promise.all([
        ask('POST', '/redeliveries', { preview: true, party }),
        ask('GET', `/alerts?party=${party}`),
        ask('GET', `/payments?party=${party}&limit=1`),
      ]);
    for (const party of ['THBPPAY', 'MERISGS0', 'MERISGS0XXX', 'SG-MERI']) {
      const [redeliveries, alerts, payments] = await routes(party);
      expect([party, redeliveries.status, alerts.status, payments.status]).toEqual([party, 200, 200, 200]);
      const kinds = alerts.body.alerts?.map(({ kind }) => kind) ?? [];
      expect(kinds.includes('notification.defect')).toBe(party !== 'THBPPAY');
    }
    const [redeliveries, alerts, payments] = await routes('NOSUCHPAY');
    const detail = expect.stringContaining('NOSUCHPAY is neither') as string;
    expect(redeliveries).toMatchObject({ status: 400, body: { errors: [{ pointer: '/party', detail }] } });
    for (const one of [alerts, payments])
      expect(one).toMatchObject({ status: 400, body: { errors: [{ parameter: 'party', detail }] } });
  });
});

describe('a payment that waits for its destination', () => {
  test('is asked for at once; what the destination had sent before is kept, and counts as taken nowhere (PAY-8, OBS-7)', async () => {
    const quote = await bestQuote(gateway, { destination: 'MY', destinationCurrency: 'MYR' });
    const message = instruction(quote);
    const { uetr } = message;
    await submit(gateway, message);
    await expect.poll(() => evidence.audit(uetr)).toContain('destination.answer-refused');
    const { body } = await ask('GET', `/payments/${uetr}`);
    expect(body.waitsFor).toMatchObject({ what: 'enquiry' });
    const [refused, ...further] = body.refusedMessages;
    expect(further).toEqual([]);
    expect(refused).toMatchObject({
      party: 'MYRRPP',
      size: '<no-message/>'.length,
      refusedAs: 'destination.answer-refused',
      fault: { reason: expect.stringMatching(/./) as string },
    });
    const bytes = await ask('GET', refused?.href ?? '');
    expect([bytes.headers.get('content-type'), bytes.bytes.toString()]).toEqual([
      'application/octet-stream',
      '<no-message/>',
    ]);
    expect((await ask('GET', refused?.href ?? '', undefined, 'SGDFAST')).status).toBe(404);

    const seenOfIt = async () => {
      const { parties = [] } = (await ask('GET', '/parties')).body;
      return parties.find(({ party }) => party === 'MYRRPP')?.kinds;
    };
    await expect.poll(seenOfIt).toMatchObject([
      {
        kind: 'instruction',
        state: 'down',
        taken: 0,
        failures: { 'not-counted': expect.any(Number) as number },
      },
    ]);
    const metrics = await (await fetch(`${gateway.telemetryUrl('worker')}/metrics`)).text();
    expect(metrics).toMatch(/delivery_attempts_total\{[^}]*party="MYRRPP"[^}]*failure="not-counted"/);

    const ends = async () =>
      (await evidence.attempts(uetr, 'instruction')).map(({ outcome }) => outcome !== null);
    await expect.poll(ends).toEqual([true, true, true, true]); // its first round is over
    malaysiaSays = (sent) => reportOn(sent);
    const enquiries = await Promise.all([1, 2].map(() => ask('POST', `/payments/${uetr}/enquiries`, {})));
    expect(enquiries.map((one) => one.body.asked).sort()).toEqual([false, true]);
    const askedOnceMore = async () => {
      // one that came before the execution had heard of the round's end has joined that round (DUP-1)
      await ask('POST', `/payments/${uetr}/enquiries`, {});
      return (await evidence.decision(uetr))?.status;
    };
    await expect.poll(askedOnceMore, { interval: 250 }).toBe('ACCC');
    const again = await ask('POST', `/payments/${uetr}/enquiries`, {});
    expect([again.status, again.body.code]).toEqual([409, 'payment-decided']);
    expect((await ask('GET', `/payments/${uetr}`)).body.waitsFor).toBeNull();
  });
});
