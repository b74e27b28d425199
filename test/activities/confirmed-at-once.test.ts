// Two persons confirm how a payment ended at the very moment at which the gateway rejects it as unreachable (LIF-4, TIM-3).
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { createDecidePayment } from '../../activities/decide-payment.ts';
import { recordAudit } from '../../db/audit.ts';
import { claimInstruction, settleAttempt } from '../../db/deliveries.ts';
import { confirmOutcome, recordOutcome } from '../../db/recorded-outcomes.ts';
import { workbench } from './workbench.ts';

const { deps, accepted } = await workbench();
const { db } = deps;

test('an outcome that is confirmed while the rejection waits for the row of the instruction decides (LIF-4, I-4)', async () => {
  const { uetr, deliveryId } = await accepted();
  const claimed = await claimInstruction(db, deliveryId, { round: 'round', claim: randomUUID() });
  await settleAttempt(db, {
    ...{
      deliveryId,
      attempt: claimed?.attempt ?? 0,
      asks: claimed?.asks ?? 0,
      url: null,
      outcome: 'NOT_SENT',
    },
    ...{ httpStatus: null, durationMs: 1, errorClass: 'refused', responseExcerpt: null },
    next: { kind: 'retry', inMs: 0 },
  });
  await sql`update payments set received_at = now() - interval '1 day' where uetr = ${uetr}`.execute(db);
  await recordAudit(db, {
    severity: 'alert',
    kind: 'payment.in-doubt',
    subjectId: uetr,
    party: 'THBPPAY',
    detail: {},
  });
  const outcome = await recordOutcome(db, uetr, {
    ...{ status: 'ACCC', reasonCode: null, evidence: 'their desk', by: 'operator' },
  });
  const outcomeId = outcome?.outcomeId ?? '';

  let deciding: Promise<unknown> | undefined;
  await db.transaction().execute(async (trx) => {
    await sql`select from deliveries where delivery_id = ${deliveryId} for update`.execute(trx); // any other statement
    deciding = createDecidePayment(deps)({ uetr, cause: { by: 'unreachable' } });
    await vi.waitFor(
      async () => {
        const { rows } = await sql`select from pg_stat_activity where datname = current_database()
        and wait_event_type = 'Lock'`.execute(db);
        expect(rows.length).toBe(1);
      },
      { timeout: 2_000, interval: 20 },
    );
    expect(await confirmOutcome(db, { uetr, outcomeId, by: 'operator2', status: 'ACCC' })).toBeUndefined();
    await sql`update deliveries set round = round where delivery_id = ${deliveryId}`.execute(trx);
  });
  expect(await deciding).toMatchObject({ status: 'ACCC' });
});
