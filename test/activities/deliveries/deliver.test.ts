// Deliveries that fail or are refused: what is recorded, and when the next attempt is due (CBK-1, CBK-4, SEC-2).
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApplicationFailure } from '@temporalio/common';
import { afterAll, describe, expect, test } from 'vitest';
import { addressOf } from '../../../activities/deliveries/addresses.ts';
import { createDecidePayment } from '../../../activities/payments/decide-payment.ts';
import { createDeliver } from '../../../activities/deliveries/deliver.ts';
import { askCallbackAgain } from '../../../db/payments/asks.ts';
import { expireDelivery, listOpen } from '../../../db/deliveries/deliveries.ts';
import { findNeglected } from '../../../db/records/sweep.ts';
import { makeOverdue } from '../../harness/overdue.ts';
import { entered } from '../wire/receivers.ts';
import { inActivity, workbench } from '../workbench.ts';
import { dueIn } from '../../harness/rewritten.ts';

const { deps, accepted } = await workbench();
const { db } = deps;
const deliver = createDeliver(deps);
const decidePayment = createDecidePayment(deps);

let answer: RequestListener = (_, response) => response.end();
let requests = 0;
const server = createServer((request, response) => {
  requests += 1;
  request.resume().once('end', () => answer(request, response));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** A payment that is decided, its callback due. */
async function due(callbackUrl = url): Promise<string> {
  const { uetr } = await accepted({}, callbackUrl);
  // rejected by the deadline: whatever it is, the source is to be told
  await dueIn(db, [uetr], -1);
  await decidePayment({ uetr, cause: { by: 'deadline' } });
  return uetr;
}

/** One run of the activity; answers when the next is due, or that none is. */
async function run(uetr: string): Promise<string> {
  try {
    await inActivity(() => deliver({ subjectId: uetr }));
    return 'nothing due';
  } catch (error) {
    if (!(error instanceof ApplicationFailure)) throw error;
    return `again in ${Math.round(Number(error.nextRetryDelay) / 100) / 10} s: ${error.message}`;
  }
}

const callbackOf = (uetr: string) =>
  db
    .selectFrom('deliveries')
    .select(['attempts', 'delivered_at', 'closed_reason'])
    .where('subject_id', '=', uetr)
    .where('kind', '=', 'callback')
    .executeTakeFirstOrThrow();
const attemptOf = (uetr: string) =>
  db
    .selectFrom('delivery_attempts as a')
    .innerJoin('deliveries as d', 'd.delivery_id', 'a.delivery_id')
    .select(['a.outcome', 'a.http_status', 'a.error_class', 'a.response_excerpt'])
    .where('d.subject_id', '=', uetr)
    .where('d.kind', '=', 'callback')
    .executeTakeFirstOrThrow();

test('2xx: delivered', async () => {
  const uetr = await due();
  answer = (_, response) => response.writeHead(204).end();
  expect(await run(uetr)).toBe('nothing due');
  expect(await callbackOf(uetr)).toMatchObject({ attempts: 1, delivered_at: expect.any(Date) as Date });
});

test('503: due again after 1 s, varied by 20 %, and no more than 1 KiB of the answer is kept', async () => {
  const uetr = await due();
  answer = (_, response) => response.writeHead(503).end('x'.repeat(5_000));
  expect(await run(uetr)).toMatch(/^again in (0\.[789]|1|1\.[012]) s: callback to SGDFAST: HTTP 503$/);
  const attempt = await attemptOf(uetr);
  expect(attempt).toMatchObject({ outcome: 'ANSWERED', http_status: 503 });
  expect(attempt.response_excerpt).toHaveLength(1_024);
});

test('Retry-After is honoured', async () => {
  const uetr = await due();
  answer = (_, response) => response.writeHead(429, { 'retry-after': '60' }).end();
  expect(await run(uetr)).toMatch(/^again in (59\.\d|60) s/);
});

test('410: given up, with an alert', async () => {
  const uetr = await due();
  answer = (_, response) => response.writeHead(410).end();
  expect(await run(uetr)).toBe('nothing due');
  expect(await callbackOf(uetr)).toMatchObject({ delivered_at: null, closed_reason: 'gone' });
  const audit = await db
    .selectFrom('audit_events')
    .select(['kind', 'severity'])
    .where('subject_id', '=', uetr)
    .execute();
  expect(audit).toEqual([{ kind: 'delivery.dead-letter', severity: 'alert' }]);
});

describe('the alert of a dead letter says what its receiver does not know', () => {
  const told = async (subjectId: string) => {
    const { detail } = await db
      .selectFrom('audit_events')
      .select('detail')
      .where('subject_id', '=', subjectId)
      .where('kind', '=', 'delivery.dead-letter')
      .executeTakeFirstOrThrow();
    return detail;
  };
  /** Nobody attempts it any longer. */
  const expire = async (subjectId: string) => {
    const { delivery_id: deliveryId } = await db
      .updateTable('deliveries')
      .set({ next_due_at: new Date(Date.now() - 1) })
      .where('subject_id', '=', subjectId)
      .where('kind', '=', 'callback')
      .returning('delivery_id')
      .executeTakeFirstOrThrow();
    expect(await expireDelivery(db, deliveryId)).toBe(true);
  };
  const decided = { kind: 'callback', about: 'payment', status: 'RJCT', reasonCode: 'AB03' };

  test('of a payment: how it was decided, whether its receiver is gone or its time is over', async () => {
    const [gone, expired] = [await due(), await due()];
    answer = (_, response) => response.writeHead(410).end();
    await run(gone);
    await expire(expired);
    expect(await told(gone)).toMatchObject({ ...decided, reason: 'gone' });
    expect(await told(expired)).toMatchObject({ ...decided, reason: 'expired' });
  });
});

test('a redirect is not followed, nor taken for delivered (SEC-5)', async () => {
  const uetr = await due();
  requests = 0;
  answer = (_, response) => response.writeHead(307, { location: `${url}/elsewhere` }).end();
  expect(await run(uetr)).toMatch(/^again in .*HTTP 307$/);
  expect(requests).toBe(1);
});

test('an attempt that ends after its delivery was asked for again changes nothing in the new schedule (DUP-1)', async () => {
  const uetr = await due();
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  let isHeld: () => void = () => undefined;
  const arrived = new Promise<void>((resolve) => (isHeld = resolve));
  answer = (_, response) => {
    isHeld();
    void held.then(() => response.writeHead(410).end());
  };
  const attempt = run(uetr);
  await arrived;
  await askCallbackAgain(db, uetr, () => true);
  release();
  await attempt;
  expect(await callbackOf(uetr)).toMatchObject({ attempts: 1, closed_reason: null, delivered_at: null });
  answer = (_, response) => response.writeHead(204).end();
  expect(await run(uetr)).toBe('nothing due');
  expect(await callbackOf(uetr)).toMatchObject({ attempts: 2, delivered_at: expect.any(Date) as Date });
});

test('72 hours are those of the database: a delivery that was asked for before them is a dead letter, with its alert', async () => {
  const uetr = await due();
  await db
    .updateTable('deliveries')
    .set({ asked_at: new Date(Date.now() - 73 * 3_600_000) })
    .where('subject_id', '=', uetr)
    .where('kind', '=', 'callback')
    .execute();
  answer = (_, response) => response.writeHead(503).end();
  expect(await run(uetr)).toBe('nothing due');
  expect(await callbackOf(uetr)).toMatchObject({ closed_reason: 'expired' });
  const alerts = await db.selectFrom('audit_events').select('kind').where('subject_id', '=', uetr).execute();
  expect(alerts).toEqual([{ kind: 'delivery.dead-letter' }]);
});

describe('an attempt that ends after its delivery has ended otherwise (CBK-1)', () => {
  /** A run of the activity whose attempt the receiver holds; `answer` ends it. */
  async function held(uetr: string) {
    let release: (status: number) => void = () => undefined;
    const status = new Promise<number>((resolve) => (release = resolve));
    let isHeld: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => (isHeld = resolve));
    answer = (_, response) => {
      isHeld();
      void status.then((code) => response.writeHead(code).end());
    };
    const attempt = run(uetr);
    await arrived;
    return async (code: number) => {
      release(code);
      await attempt;
    };
  }
  const idOf = async (uetr: string) => {
    const open = await listOpen(db, uetr);
    return open.find(({ kind }) => kind === 'callback')?.deliveryId ?? '';
  };
  /** The claim of whoever attempts it has run out. */
  const lapse = (uetr: string) =>
    db
      .updateTable('deliveries')
      .set({ next_due_at: new Date(Date.now() - 1) })
      .where('subject_id', '=', uetr)
      .where('kind', '=', 'callback')
      .execute();
  const endOf = async (uetr: string) => {
    const { delivered_at: delivered, closed_at: closed } = await db
      .selectFrom('deliveries')
      .select(['delivered_at', 'closed_at'])
      .where('subject_id', '=', uetr)
      .where('kind', '=', 'callback')
      .executeTakeFirstOrThrow();
    return [...(delivered === null ? [] : ['delivered']), ...(closed === null ? [] : ['dead letter'])];
  };
  const eventsOf = async (uetr: string) => {
    const rows = await db
      .selectFrom('audit_events')
      .select(['severity', 'kind'])
      .where('subject_id', '=', uetr)
      .orderBy('audit_event_id')
      .execute();
    return rows.map(({ severity, kind }) => `${severity} ${kind}`);
  };

  test('is under way: the delivery does not expire beside it', async () => {
    const uetr = await due();
    const end = await held(uetr);
    await expireDelivery(db, await idOf(uetr));
    expect([await endOf(uetr), await eventsOf(uetr)]).toEqual([[], []]);
    await end(204);
    expect([await endOf(uetr), await eventsOf(uetr)]).toEqual([['delivered'], []]);
  });

  test('2xx after it was given up: delivered, for the receiver has it, and what the alert said is taken back', async () => {
    const uetr = await due();
    const end = await held(uetr);
    const id = await idOf(uetr);
    await lapse(uetr);
    await expireDelivery(db, id);
    expect(await endOf(uetr)).toEqual(['dead letter']);
    await end(204);
    expect(await endOf(uetr)).toEqual(['delivered']);
    expect(await eventsOf(uetr)).toEqual(['alert delivery.dead-letter', 'info delivery.taken-after-all']);
  });

  test('410 after it was delivered by another attempt: delivered, and no alert', async () => {
    const uetr = await due();
    const endFirst = await held(uetr);
    await lapse(uetr);
    await (
      await held(uetr)
    )(204);
    await endFirst(410);
    expect([await endOf(uetr), await eventsOf(uetr)]).toEqual([['delivered'], []]);
  });

  test('and the database itself knows no delivery with both ends', async () => {
    const uetr = await due();
    const both = db
      .updateTable('deliveries')
      .set({ delivered_at: new Date(), closed_at: new Date() })
      .where('subject_id', '=', uetr)
      .where('kind', '=', 'callback')
      .execute();
    await expect(both).rejects.toThrow('deliveries_one_end');
  });
});

test('a receiver that fails five times in a row is left alone, and what waits for it is due when it is asked again (CBK-3)', async () => {
  answer = (_, response) => response.writeHead(204).end();
  expect(await run(await due())).toBe('nothing due'); // a success: what failed before does not count
  answer = (_, response) => response.writeHead(503).end();
  requests = 0;
  for (let failed = 0; failed < 5; failed += 1) await run(await due());
  expect(requests).toBe(5);
  const uetr = await due();
  expect(await run(uetr)).toMatch(/^again in (4|5)(\.\d)? s: callback to SGDFAST: breaker-open$/);
  expect([requests, (await callbackOf(uetr)).attempts]).toEqual([5, 0]);
});

test('what is held by a full gate is attempted, so that it is none of those that nobody attempts (I-17, LIF-2)', async () => {
  const uetr = await due('http://localhost:9/callback'); // a receiver of its own
  await makeOverdue(db, uetr).execute();
  const neglected = async () => {
    const found: string[] = [];
    for await (const { subjectId } of findNeglected(db)) found.push(subjectId);
    return found;
  };
  expect(await neglected()).toContain(uetr);
  const { receiver = '' } =
    addressOf(deps, { kind: 'callback', party: 'SGDFAST', url: 'http://localhost:9/callback' }) ?? {};
  const places = Array.from({ length: 16 }, () => entered(deps.outbound, receiver));
  try {
    expect(await run(uetr)).toMatch(/^again in .* callback to SGDFAST: gate-full$/);
  } finally {
    for (const place of places) place.leave();
  }
  expect((await callbackOf(uetr)).attempts).toBe(0);
  expect(await neglected()).not.toContain(uetr);
});

test('an origin that was withdrawn since is not connected to (SEC-2)', async () => {
  const uetr = await due();
  requests = 0;
  await db.deleteFrom('operator_callback_origins').where('operator_id', '=', 'IPSO-SG').execute();
  await expect.poll(() => deps.reference().operators.get('IPSO-SG')?.callbackOrigins).toEqual([]);
  expect(await run(uetr)).toMatch(/NOT_SENT \(no-usable-address\)$/);
  expect(requests).toBe(0);
  expect(await attemptOf(uetr)).toMatchObject({ outcome: 'NOT_SENT', error_class: 'no-usable-address' });
});
