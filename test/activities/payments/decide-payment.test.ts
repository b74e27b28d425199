// The decision: one row, whoever comes first, with everything that derives from it; and when the gateway itself may
// reject.
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createDecidePayment, createReportInDoubt } from '../../../activities/payments/decide-payment.ts';
import type { DecisionCause } from '../../../contract/activities.ts';
import type { Pacs002 } from '../../../core/iso20022/pacs002.ts';
import { loadDecidable, withdrawConfirmation } from '../../../db/payments/decisions.ts';
import {
  claimDue,
  claimInstruction,
  listOpen,
  settleAttempt,
  type AttemptOutcome,
  type ClaimedAttempt,
} from '../../../db/deliveries/deliveries.ts';
import { takeReport } from '../../../db/payments/reports.ts';
import { ok } from '../../../core/result.ts';
import { storeReport } from '../../harness/reports.ts';
import { workbench } from '../workbench.ts';
import { acceptedAgo, dueIn } from '../../harness/rewritten.ts';

const { deps, accepted } = await workbench();
const { db } = deps;
const decidePayment = createDecidePayment(deps);
const unreachable: DecisionCause = { by: 'unreachable' };
const deadline: DecisionCause = { by: 'deadline' };

/** A stored report of the destination. */
async function reported(
  uetr: string,
  status: Pacs002['status'],
  reasonCode?: string,
): Promise<DecisionCause> {
  const reportMessageId = await storeReport(db, uetr, { status, ...(reasonCode && { reasonCode }) });
  return { by: 'destination', reportMessageId, wantsConfirmation: false };
}

const newClaim = () => ({ round: 'round', claim: randomUUID() });

/** One attempt to send the instruction, ended as named; `open`: its worker died. */
async function attempt(deliveryId: string, outcome: 'NOT_SENT' | 'MAYBE_SENT' | 'ANSWERED' | 'open') {
  const claimed = await claimInstruction(db, deliveryId, newClaim());
  if (claimed === undefined) throw new Error('nothing to send');
  if (outcome !== 'open') await settle(deliveryId, claimed, outcome);
}

function settle(deliveryId: string, { attempt, asks }: ClaimedAttempt, outcome: AttemptOutcome) {
  return settleAttempt(db, {
    deliveryId,
    attempt,
    asks,
    url: null,
    outcome,
    httpStatus: outcome === 'ANSWERED' ? 202 : null,
    durationMs: 1,
    errorClass: outcome === 'ANSWERED' ? null : 'refused',
    responseExcerpt: null,
    next: { kind: 'retry', inMs: 0 },
  });
}

const deliveriesOf = async (uetr: string) => {
  const rows = await db
    .selectFrom('deliveries')
    .select('kind')
    .where('subject_id', '=', uetr)
    .orderBy('kind')
    .execute();
  return rows.map((row) => row.kind);
};
const decisionsOf = (uetr: string) =>
  db.selectFrom('decisions').select(['status', 'reason_code', 'rule_id']).where('uetr', '=', uetr).execute();

describe('a NORM payment that nobody could be told of (TIM-3)', () => {
  test('is RJCT ED06 while every attempt is NOT_SENT; the destination, which saw nothing, is told nothing', async () => {
    const { uetr, deliveryId } = await accepted();
    for (let tries = 0; tries < 4; tries += 1) await attempt(deliveryId, 'NOT_SENT');
    await acceptedAgo(db, uetr, 60_000);
    expect(await decidePayment({ uetr, cause: unreachable })).toMatchObject({
      status: 'RJCT',
      reasonCode: 'ED06',
    });
    expect(await decisionsOf(uetr)).toEqual([{ status: 'RJCT', reason_code: 'ED06', rule_id: 'TIM-3' }]);
    expect(await deliveriesOf(uetr)).toEqual(['callback', 'instruction']);
  });

  test('is not decided before 60 s from its acceptance, whoever asks and however often it was tried', async () => {
    const { uetr, deliveryId } = await accepted();
    for (let tries = 0; tries < 4; tries += 1) await attempt(deliveryId, 'NOT_SENT');
    await acceptedAgo(db, uetr, 55_000);
    expect(await decidePayment({ uetr, cause: unreachable })).toBeNull();
    expect(await decisionsOf(uetr)).toEqual([]);
  });

  test('is not decided when nothing was tried: a fault of ours rejects no payment', async () => {
    const { uetr } = await accepted();
    await acceptedAgo(db, uetr, 60_000);
    expect(await decidePayment({ uetr, cause: unreachable })).toBeNull();
    expect(await decisionsOf(uetr)).toEqual([]);
  });

  test.each(['MAYBE_SENT', 'ANSWERED', 'open'] as const)(
    'is not decided once one attempt is %s, whatever the others were',
    async (outcome) => {
      const { uetr, deliveryId } = await accepted();
      await attempt(deliveryId, 'NOT_SENT');
      await attempt(deliveryId, outcome);
      await attempt(deliveryId, 'NOT_SENT');
      await acceptedAgo(db, uetr, 60_000);
      expect(await decidePayment({ uetr, cause: unreachable })).toBeNull();
      expect(await decisionsOf(uetr)).toEqual([]);
    },
  );

  test('is either rejected or sent, never both, when both come at the same time', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { uetr, deliveryId } = await accepted();
      await attempt(deliveryId, 'NOT_SENT');
      await acceptedAgo(db, uetr, 60_000);
      const [decision, claimed] = await Promise.all([
        decidePayment({ uetr, cause: unreachable }),
        claimInstruction(db, deliveryId, newClaim()),
      ]);
      expect([decision === null, claimed === undefined]).not.toEqual([false, false]);
      expect([decision === null, claimed === undefined]).not.toEqual([true, true]);
    }
  });
});

describe('the first final wins (PAY-7, PAY-10)', () => {
  test('a decided payment is never sent again', async () => {
    const { uetr, deliveryId } = await accepted();
    await attempt(deliveryId, 'ANSWERED');
    await dueIn(db, [uetr], -1);
    await decidePayment({ uetr, cause: deadline });
    expect(await claimInstruction(db, deliveryId, newClaim())).toBeUndefined();
  });

  test('ten causes at once: one row, one callback, and all learn of the same decision', async () => {
    const { uetr, deliveryId } = await accepted();
    await attempt(deliveryId, 'ANSWERED');
    await dueIn(db, [uetr], -1);
    const causes = [
      await reported(uetr, 'ACCC'),
      await reported(uetr, 'RJCT', 'AC04'),
      await reported(uetr, 'BLCK'),
      ...Array.from({ length: 7 }, () => deadline),
    ];
    const decisions = await Promise.all(causes.map((cause) => decidePayment({ uetr, cause })));
    expect(new Set(decisions.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(await decisionsOf(uetr)).toHaveLength(1);
    const outgoing = await db
      .selectFrom('messages')
      .select('status')
      .where('subject_id', '=', uetr)
      .where('direction', '=', 'out')
      .where('message_type', '=', 'pacs002')
      .where('status', '<>', 'ACTC')
      .execute();
    expect(outgoing).toHaveLength(2); // the callback and the confirmation; nothing of the losers is stored
  });

  test('the same cause twice, as after a crash, is the same decision and no contradiction', async () => {
    const { uetr } = await accepted();
    const cause = await reported(uetr, 'ACCC');
    const first = await decidePayment({ uetr, cause });
    expect(await decidePayment({ uetr, cause })).toEqual(first);
    const audit = await db.selectFrom('audit_events').select('kind').where('subject_id', '=', uetr).execute();
    expect(audit).toEqual([]);
  });

  test('without a quote, ACCC tells no FX provider (NOT-1)', async () => {
    const { uetr } = await accepted();
    await decidePayment({ uetr, cause: await reported(uetr, 'ACCC') });
    expect(await deliveriesOf(uetr)).toEqual(['callback', 'instruction']);
  });

  test('a final that is stored decides, whatever the cause: deadline, unreachable, another final (PAY-7, I-18)', async () => {
    for (const cause of ['deadline', 'unreachable', 'another'] as const) {
      const { uetr, deliveryId } = await accepted({ priority: 'HIGH' });
      await attempt(deliveryId, 'NOT_SENT');
      await dueIn(db, [uetr], -1);
      await reported(uetr, 'ACCC');
      const other = cause === 'another' ? await reported(uetr, 'BLCK') : { by: cause };
      expect(await decidePayment({ uetr, cause: other })).toMatchObject({ status: 'ACCC' });
      expect(await decisionsOf(uetr)).toMatchObject([{ status: 'ACCC' }]);
      const audit = await db
        .selectFrom('audit_events')
        .select('kind')
        .where('subject_id', '=', uetr)
        .execute();
      expect(audit.map(({ kind }) => kind)).toEqual(cause === 'another' ? ['payment.contradiction'] : []);
    }
  });

  test('a final that comes at the very moment of the deadline: whoever was first, one of them decides (I-18)', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { uetr, deliveryId, messageId } = await accepted({ priority: 'HIGH' });
      await attempt(deliveryId, 'ANSWERED');
      await dueIn(db, [uetr], -1);
      const payment = await loadDecidable(db, uetr, null);
      const { original } = payment.destinationReferences;
      const creationDateTime = new Date().toISOString();
      const values: Pacs002 = {
        messageIdentification: `R${round}`,
        creationDateTime,
        status: 'ACCC',
        original,
      };
      const [decision] = await Promise.all([
        decidePayment({ uetr, cause: deadline }),
        takeReport(db, payment, {
          ...{ reading: ok(values), party: payment.destinationSystem, inReplyTo: null },
          body: Buffer.from(messageId),
        }),
      ]);
      const { final_report_id: marked } = await db
        .selectFrom('deliveries')
        .select('final_report_id')
        .where('delivery_id', '=', deliveryId)
        .executeTakeFirstOrThrow();
      // marked while undecided, and then it decided; or stored after the decision, and then it did not
      expect(decision).toMatchObject(marked === null ? { status: 'RJCT' } : { status: 'ACCC' });
    }
  });

  test('before the deadline by the database clock nothing is decided by it, and it says how long to wait (TIM-1)', async () => {
    const { uetr } = await accepted({ priority: 'HIGH' });
    await dueIn(db, [uetr], 5_000);
    const decided = await decidePayment({ uetr, cause: deadline });
    expect(decided).toEqual({ waitMs: expect.any(Number) as number });
    expect((decided as { waitMs: number }).waitMs).toBeGreaterThan(3_000);
    expect(await decisionsOf(uetr)).toEqual([]);
  });

  test('after the deadline by the database clock no instruction is claimed, decided or not (TIM-1, I-19)', async () => {
    const { uetr, deliveryId } = await accepted({ priority: 'HIGH' });
    await dueIn(db, [uetr], -1);
    expect(await claimInstruction(db, deliveryId, newClaim())).toBeUndefined();
  });

  test('at the deadline the destination is told to reverse (TIM-1)', async () => {
    const { uetr, deliveryId } = await accepted({ priority: 'HIGH' });
    await attempt(deliveryId, 'open');
    await dueIn(db, [uetr], -1);
    expect(await decidePayment({ uetr, cause: deadline })).toMatchObject({
      status: 'RJCT',
      reasonCode: 'AB03',
    });
    expect(await deliveriesOf(uetr)).toEqual(['callback', 'confirmation', 'instruction']);
  });
});

describe('a send that was under way at the deadline, and of which no byte left after all (TIM-1, PAY-9)', () => {
  /** Decided while a send is open; answers how to end that as NOT_SENT. */
  async function decidedWhileOpen(first?: 'MAYBE_SENT' | 'ANSWERED') {
    const { uetr, deliveryId } = await accepted({ priority: 'HIGH' });
    if (first !== undefined) await attempt(deliveryId, first);
    const claimed = await claimInstruction(db, deliveryId, newClaim());
    if (claimed === undefined) throw new Error('nothing to send');
    await dueIn(db, [uetr], -1);
    await decidePayment({ uetr, cause: deadline });
    expect(await deliveriesOf(uetr)).toContain('confirmation');
    const endNotSent = async () => {
      await settle(deliveryId, claimed, 'NOT_SENT');
      await withdrawConfirmation(db, deliveryId);
    };
    return { uetr, endNotSent };
  }

  test('was nothing that the destination has to be told of', async () => {
    const { uetr, endNotSent } = await decidedWhileOpen();
    await endNotSent();
    expect(await deliveriesOf(uetr)).toEqual(['callback', 'instruction']);
  });

  test.each(['MAYBE_SENT', 'ANSWERED'] as const)(
    'leaves the confirmation of another one that was %s',
    async (first) => {
      const { uetr, endNotSent } = await decidedWhileOpen(first);
      await endNotSent();
      expect(await deliveriesOf(uetr)).toContain('confirmation');
    },
  );

  test('leaves a confirmation that may have been sent', async () => {
    const { uetr, endNotSent } = await decidedWhileOpen();
    const open = (await listOpen(db, uetr)).filter(({ kind }) => kind === 'confirmation');
    await claimDue(
      db,
      open.map(({ deliveryId }) => deliveryId),
      randomUUID(),
    );
    await endNotSent();
    expect(await deliveriesOf(uetr)).toContain('confirmation');
  });

  test('leaves the confirmation of a destination that has reported all the same', async () => {
    const { uetr, endNotSent } = await decidedWhileOpen();
    await decidePayment({ uetr, cause: await reported(uetr, 'ACCC') });
    await endNotSent();
    expect(await deliveriesOf(uetr)).toContain('confirmation');
  });

  test('is told to nobody when the decision and its end come at the same time', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { uetr, deliveryId } = await accepted({ priority: 'HIGH' });
      const claimed = await claimInstruction(db, deliveryId, newClaim());
      if (claimed === undefined) throw new Error('nothing to send');
      await dueIn(db, [uetr], -1);
      await Promise.all([
        decidePayment({ uetr, cause: deadline }),
        settle(deliveryId, claimed, 'NOT_SENT').then(() => withdrawConfirmation(db, deliveryId)),
      ]);
      expect(await deliveriesOf(uetr)).toEqual(['callback', 'instruction']);
    }
  });
});

test('a payment in doubt raises an alert for an operator (TIM-2)', async () => {
  const { uetr } = await accepted();
  await createReportInDoubt(deps)({ uetr });
  const audit = await db
    .selectFrom('audit_events')
    .select(['kind', 'severity'])
    .where('subject_id', '=', uetr)
    .execute();
  expect(audit).toEqual([{ kind: 'payment.in-doubt', severity: 'alert' }]);
});
