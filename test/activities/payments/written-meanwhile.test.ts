// What another has written between what an activity read and what it writes.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createDecidePayment } from '../../../activities/payments/decide-payment.ts';
import type { ActivityDependencies } from '../../../activities/dependencies.ts';
import { claimDue, claimInstruction, listOpen, settleAttempt } from '../../../db/deliveries/deliveries.ts';
import { storeReport } from '../../harness/reports.ts';
import { workbench } from '../workbench.ts';
import { acceptedAgo } from '../../harness/rewritten.ts';

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

test('an outcome that two people confirmed while the gateway was about to reject decides (LIF-4)', async () => {
  const { uetr, deliveryId } = await accepted();
  const claimed = await claimInstruction(db, deliveryId, { round: 'round', claim: randomUUID() });
  await settled(deliveryId, { attempt: claimed?.attempt ?? 0, asks: claimed?.asks ?? 0 });
  await acceptedAgo(db, uetr, 24 * 3_600_000);
  let confirmed: Promise<unknown> | undefined;
  const confirm = () =>
    (confirmed ??= sql`
      insert into recorded_outcomes (outcome_id, uetr, status, evidence, recorded_by, confirmed_by, confirmed_at)
      values (${randomUUID()}, ${uetr}, 'ACCC', 'their desk', 'operator', 'operator2', now())`.execute(db));
  // between what it read and what it writes, it makes the messages
  const engine: ActivityDependencies['engine'] = {
    ...deps.engine,
    parse: (...given) => {
      const parsed = deps.engine.parse(...given);
      if (!parsed.ok) return parsed;
      const message = parsed.value;
      const validate = async () => {
        await confirm();
        return message.validate();
      };
      return { ...parsed, value: { ...message, validate, dispose: () => message.dispose() } };
    },
  };
  const decision = await createDecidePayment({ ...deps, engine })({ uetr, cause: { by: 'unreachable' } });
  expect(confirmed).toBeDefined();
  expect(decision).toMatchObject({ status: 'ACCC' });
});
