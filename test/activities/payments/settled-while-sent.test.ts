// An instruction is sent while two operators settle its payment as rejected (LIF-4). The source must not be told
// RJCT if the destination may still credit it (I-4).
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { isSendOverdue } from '../../../core/payments/enquiry-schedule.ts';
import { askStatus } from '../../../db/payments/asks.ts';
import { claimInstruction, settleAttempt } from '../../../db/deliveries/deliveries.ts';
import { confirmOutcome, recordOutcome, withdrawOutcome } from '../../../db/payments/recorded-outcomes.ts';
import { findUndecided, sendsOf } from '../../../db/records/sweep.ts';
import type { FinalStatus } from '../../../core/payments/report.ts';
import { writeEvent } from '../../harness/events.ts';
import { rewritten } from '../../harness/rewritten.ts';
import { workbench } from '../workbench.ts';

const { deps, accepted } = await workbench();
const { db } = deps;

async function inDoubt() {
  const { uetr, deliveryId } = await accepted();
  await writeEvent(db, { severity: 'alert', kind: 'payment.in-doubt', subjectId: uetr });
  const claim = (id: string = randomUUID()) =>
    claimInstruction(db, deliveryId, { round: 'round', claim: id });
  const settle = (attempt: number, outcome: 'NOT_SENT' | 'MAYBE_SENT') =>
    settleAttempt(db, {
      ...{ deliveryId, attempt, asks: 0, url: null, outcome, httpStatus: null, durationMs: 1 },
      ...{ errorClass: 'reset', responseExcerpt: null, next: { kind: 'retry', inMs: 0 } },
    });
  const record = async (status: FinalStatus) => {
    const reasonCode = status === 'RJCT' ? 'AC04' : null;
    const outcome = await recordOutcome(db, uetr, {
      status,
      reasonCode,
      evidence: 'their desk',
      by: 'operator',
    });
    const { outcomeId = '' } = outcome ?? {};
    return {
      confirm: () => confirmOutcome(db, { uetr, outcomeId, by: 'operator2', status }),
      withdraw: () => withdrawOutcome(db, { uetr, outcomeId, by: 'operator', because: 'ask again' }),
    };
  };
  return { uetr, deliveryId, claim, settle, record };
}

test.each(['RJCT', 'BLCK'] as const)(
  'it is not sent while %s is recorded, or confirmed and not written yet; it is once that is withdrawn',
  async (status) => {
    const one = await inDoubt();
    const outcome = await one.record(status);
    expect(await one.claim()).toBeUndefined();
    await outcome.withdraw();
    expect(await one.claim()).toMatchObject({ attempt: 1 });
    await one.settle(1, 'NOT_SENT');
    expect(await (await one.record(status)).confirm()).toBeUndefined();
    expect(await one.claim()).toBeUndefined();
  },
);

test('it is sent while ACCC is recorded: a destination that has credited it says so once more', async () => {
  const one = await inDoubt();
  const outcome = await one.record('ACCC');
  expect(await one.claim()).toMatchObject({ attempt: 1 });
  expect(await outcome.confirm()).toBeUndefined();
});

test('one that is claimed when RJCT is recorded, and may arrive, keeps it from being confirmed; one that did not leave does not', async () => {
  const one = await inDoubt();
  const claim = randomUUID();
  await one.claim(claim);
  const first = await one.record('RJCT');
  expect(await one.claim(claim)).toMatchObject({ attempt: 1 }); // it asks for its claim again
  expect(await first.confirm()).toEqual({ kind: 'sent-since', attempt: 1 });
  await one.settle(1, 'MAYBE_SENT');
  expect(await first.confirm()).toEqual({ kind: 'sent-since', attempt: 1 });
  await first.withdraw();
  expect(await (await one.record('RJCT')).confirm()).toBeUndefined(); // recorded after it has ended

  const other = await inDoubt();
  await other.claim();
  const second = await other.record('RJCT');
  await other.settle(1, 'NOT_SENT');
  expect(await second.confirm()).toBeUndefined();
});

test('meanwhile the sweep misses no send, whoever asks: its execution is not taken for stuck; once it is withdrawn, what was asked is owed (LIF-2, DUP-1)', async () => {
  const one = await inDoubt();
  await one.claim();
  await one.settle(1, 'MAYBE_SENT');
  await rewritten(
    db,
    sql`update delivery_attempts set started_at = started_at - interval '1 hour', finished_at = finished_at - interval '1 hour'
      where delivery_id = ${one.deliveryId}`,
  );
  const outcome = await one.record('RJCT');
  expect(await askStatus(db, one.uetr, () => true)).toBe(true);
  expect(await sendsOf(db, one.uetr)).toBeNull();
  const found = async () => {
    for await (const { uetr, sends } of findUndecided(db, 0)) if (uetr === one.uetr) return sends;
    return undefined;
  };
  expect(await found()).toBeNull();
  await outcome.withdraw();
  const sends = await sendsOf(db, one.uetr);
  expect(sends !== null && isSendOverdue(sends, 0)).toBe(true);
  expect(await found()).not.toBeNull();
});
