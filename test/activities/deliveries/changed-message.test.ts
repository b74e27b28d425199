// Somebody changed a stored outgoing message. The worker sends nothing, uses up no attempt, and does not blame the
// destination (SEC-3, TIM-3, I-4).
import { ApplicationFailure } from '@temporalio/common';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { createDecidePayment } from '../../../activities/payments/decide-payment.ts';
import { createDeliver } from '../../../activities/deliveries/deliver.ts';
import { createForwardPayment } from '../../../activities/payments/forward-payment.ts';
import { reading } from '../../harness/listening.ts';
import { acceptedAgo, dueIn, rewritten } from '../../harness/rewritten.ts';
import { destinationAt, inActivity, workbench } from '../workbench.ts';

const { deps, accepted } = await workbench();
const { db } = deps;
const [decidePayment, deliver, forwardPayment] = [
  createDecidePayment(deps),
  createDeliver(deps),
  createForwardPayment(deps),
];
let asked = 0; // how often
const url = await reading((response) => {
  asked += 1;
  response.writeHead(202).end();
});
const goTo = (address: string) => destinationAt(deps, address);

beforeAll(() => goTo(url));

/** One run of an activity, by how it ended. */
async function run(activity: () => Promise<unknown>): Promise<unknown> {
  try {
    return await inActivity(activity);
  } catch (error) {
    if (!(error instanceof ApplicationFailure)) throw error;
    return `${error.type}, again in ${Number(error.nextRetryDelay)} ms`;
  }
}

/** @returns puts it back */
async function change(uetr: string, kind: 'instruction' | 'callback'): Promise<() => Promise<unknown>> {
  const { rows } = await sql<{ id: string; body: Buffer }>`
    select message_id as id, body from deliveries join message_bodies using (message_id)
    where subject_id = ${uetr} and kind = ${kind}`.execute(db);
  const [{ id, body } = { id: '', body: Buffer.from('') }] = rows;
  const put = (bytes: Buffer) =>
    rewritten(db, sql`update message_bodies set body = ${bytes} where message_id = ${id}`);
  await put(Buffer.from('<Document>1</Document>'));
  return () => put(body);
}

const alerts = async (uetr: string) =>
  (
    await sql`select kind from audit_events where subject_id = ${uetr} and kind = 'message.changed'`.execute(
      db,
    )
  ).rows.length;

const unreachable = (uetr: string) => decidePayment({ uetr, cause: { by: 'unreachable' } });

test('an instruction that was changed is never sent, and its payment not rejected for that; put back, it goes out', async () => {
  const { uetr, deliveryId, destinationSystem } = await accepted();
  await acceptedAgo(db, uetr, 61_000);
  const putBack = await change(uetr, 'instruction');
  const before = asked;
  for (let tries = 1; tries <= 6; tries += 1)
    expect(await run(() => forwardPayment({ uetr, deliveryId, destinationSystem }))).toBe(
      `MessageChanged, again in ${tries * 1_000} ms`,
    );
  expect(await unreachable(uetr)).toBeNull();
  expect(asked).toBe(before);
  expect(await alerts(uetr)).toBe(1);
  await putBack();
  expect(await run(() => forwardPayment({ uetr, deliveryId, destinationSystem }))).toEqual({
    kind: 'pending',
  });
  expect(asked).toBe(before + 1);
});

test('HIGH: it ends at its deadline, as when nobody answers (TIM-1)', async () => {
  const { uetr, deliveryId, destinationSystem } = await accepted();
  await change(uetr, 'instruction');
  await dueIn(db, [uetr], 60_000);
  expect(await run(() => forwardPayment({ uetr, deliveryId, destinationSystem }))).toMatch('MessageChanged');
  await dueIn(db, [uetr], 0);
  expect(await decidePayment({ uetr, cause: { by: 'deadline' } })).toMatchObject({
    status: 'RJCT',
    reasonCode: 'AB03',
  });
});

test('a callback that was changed keeps its place in the schedule, and goes out once it is put back (CBK-1)', async () => {
  const { uetr } = await accepted({}, url);
  await dueIn(db, [uetr], 0);
  await decidePayment({ uetr, cause: { by: 'deadline' } });
  const putBack = await change(uetr, 'callback');
  const dueNow = () =>
    sql`update deliveries set next_due_at = now() where subject_id = ${uetr} and kind = 'callback'`.execute(
      db,
    );
  const before = asked;
  for (let tries = 0; tries < 3; tries += 1) {
    await dueNow();
    expect(await run(() => deliver({ subjectId: uetr }))).toMatch('NotYetDelivered');
  }
  const { rows } = await sql`
    select attempts, attempts_since_asked as counted, next_due_at > now() as waits from deliveries
    where subject_id = ${uetr} and kind = 'callback'`.execute(db);
  expect(rows).toEqual([{ attempts: 3, counted: 0, waits: true }]);
  expect(asked).toBe(before);
  await putBack();
  await dueNow();
  expect(await run(() => deliver({ subjectId: uetr }))).toBeUndefined();
  expect(asked).toBe(before + 1);
});
