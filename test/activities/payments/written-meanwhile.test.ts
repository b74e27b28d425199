// A worker stands still, and another one attempts the delivery meanwhile.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createDecidePayment } from '../../../activities/payments/decide-payment.ts';
import { claimDue, listOpen, settleAttempt } from '../../../db/deliveries/deliveries.ts';
import { storeReport } from '../../harness/reports.ts';
import { workbench } from '../workbench.ts';

const { deps, accepted } = await workbench();
const { db } = deps;

const settled = (
  deliveryId: string,
  { attempt, asks }: { readonly attempt: number; readonly asks: number },
) =>
  settleAttempt(db, {
    ...{ deliveryId, attempt, asks, url: null, outcome: 'NOT_SENT', httpStatus: null, durationMs: 1 },
    ...{ errorClass: 'refused', responseExcerpt: null, next: { kind: 'retry', inMs: 0 } },
  });

test('a worker that stood still and settles its lapsed attempt leaves the schedule to the one that has begun since (CBK-1, I-12)', async () => {
  const { uetr } = await accepted();
  const reportMessageId = await storeReport(db, uetr, { status: 'ACCC' });
  const cause = { by: 'destination', reportMessageId, wantsConfirmation: false } as const;
  await createDecidePayment(deps)({ uetr, cause });
  const [callback] = (await listOpen(db, uetr)).filter(({ kind }) => kind === 'callback');
  const deliveryId = callback?.deliveryId ?? '';
  const [stale] = await claimDue(db, [deliveryId], randomUUID());
  await sql`update deliveries set next_due_at = clock_timestamp() where delivery_id = ${deliveryId}`.execute(
    db,
  );
  const [second] = await claimDue(db, [deliveryId], randomUUID());
  expect([stale?.attempt, second?.attempt]).toEqual([1, 2]);
  await settled(deliveryId, { attempt: 1, asks: stale?.asks ?? 0 });
  expect(await claimDue(db, [deliveryId], randomUUID())).toEqual([]);
  await settled(deliveryId, { attempt: 2, asks: second?.asks ?? 0 });
  expect((await claimDue(db, [deliveryId], randomUUID())).length).toBe(1);
});
