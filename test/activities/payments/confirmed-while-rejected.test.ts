// Two persons confirm how a payment ended at the very moment at which the gateway rejects it as unreachable (LIF-4, TIM-3).
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createDecidePayment } from '../../../activities/payments/decide-payment.ts';
import { writeEvent } from '../../harness/events.ts';
import { claimInstruction, settleAttempt } from '../../../db/deliveries/deliveries.ts';
import { confirmOutcome, recordOutcome } from '../../../db/payments/recorded-outcomes.ts';
import { workbench } from '../workbench.ts';
import { acceptedAgo } from '../../harness/rewritten.ts';
import { eventually } from '../../harness/wait.ts';

const { deps, accepted } = await workbench();
const { db } = deps;

/** A payment in doubt of which nothing was sent, with an outcome that somebody has recorded. */
async function inDoubt(): Promise<{
  readonly uetr: string;
  readonly deliveryId: string;
  readonly outcomeId: string;
}> {
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
  await acceptedAgo(db, uetr, 24 * 3_600_000);
  await writeEvent(db, {
    severity: 'alert',
    kind: 'payment.in-doubt',
    subjectId: uetr,
    party: 'THBPPAY',
    detail: {},
  });
  const outcome = await recordOutcome(db, uetr, {
    ...{ status: 'ACCC', reasonCode: null, evidence: 'their desk', by: 'operator' },
  });
  return { uetr, deliveryId, outcomeId: outcome?.outcomeId ?? '' };
}

async function waitersBecome(count: number): Promise<void> {
  const waiting = sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await eventually(async () => expect((await waiting.execute(db)).rows.length).toBe(count), { everyMs: 20 });
}

test.each(['confirmed', 'decided'] as const)(
  'of an outcome that is confirmed and a rejection that both wait for the instruction, one counts: first what is %s (LIF-4, I-4)',
  async (first) => {
    const { uetr, deliveryId, outcomeId } = await inDoubt();
    const decide = () => createDecidePayment(deps)({ uetr, cause: { by: 'unreachable' } });
    const confirm = () => confirmOutcome(db, { uetr, outcomeId, by: 'operator2', status: 'ACCC' });
    let deciding: ReturnType<typeof decide> | undefined;
    let confirming: ReturnType<typeof confirm> | undefined;
    await db.transaction().execute(async (trx) => {
      await sql`select from deliveries where delivery_id = ${deliveryId} for update`.execute(trx); // any other statement
      if (first === 'decided') deciding = decide();
      else confirming = confirm();
      await waitersBecome(1);
      deciding ??= decide();
      confirming ??= confirm();
      await waitersBecome(2);
      await sql`update deliveries set round = round where delivery_id = ${deliveryId}`.execute(trx);
    });
    const hindrance = await confirming;
    expect(await deciding).toMatchObject({ status: hindrance === undefined ? 'ACCC' : 'RJCT' });
    expect(hindrance ?? { kind: 'decided', status: 'RJCT' }).toEqual({ kind: 'decided', status: 'RJCT' });
  },
);
