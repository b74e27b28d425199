// The database's guarantees for payments (DUP-2, DUP-3, PAY-2): unique keys decide which one is first, and a
// payment, its answer and its instruction are stored together.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { createValidatePayment } from '../../../activities/payments/validate-payment.ts';
import type { Judgement } from '../../../contract/activities.ts';
import type { OriginalPacs008 } from '../../../core/iso20022/build-pacs008.ts';
import { findPayment } from '../../../db/payments/payments.ts';
import { workbench } from '../../activities/workbench.ts';
import { instruction, ownExchange } from '../../../fixtures/instruction.ts';

const { deps, store } = await workbench();
const { db } = deps;
const validatePayment = createValidatePayment(deps);

async function submit(message: OriginalPacs008): Promise<Judgement> {
  return validatePayment({ messageId: await store(message) });
}

/** `accepted`, or the reason of a rejection or refusal. */
function told(judgement: Judgement): string {
  if (judgement.verdict === 'accepted') return 'accepted';
  return judgement.verdict === 'refused'
    ? `refused ${judgement.reasonCode}`
    : `decided ${judgement.decision.reasonCode}`;
}

const rowsOf = async (uetr: string) => {
  const { rows } = await sql<{ payments: string; instructions: string; out: string; decisions: string }>`
    select (select count(*) from payments where uetr = ${uetr}) as payments,
      (select count(*) from deliveries where subject_id = ${uetr} and kind = 'instruction') as instructions,
      (select count(*) from messages where subject_id = ${uetr} and direction = 'out') as out,
      (select count(*) from decisions where uetr = ${uetr}) as decisions`.execute(db);
  return rows[0];
};

describe('what is written together', () => {
  test('an accepted payment: its row, its ACTC, its converted message and its instruction', async () => {
    const message = instruction(ownExchange());
    expect(told(await submit(message))).toBe('accepted');
    expect(await rowsOf(message.uetr)).toEqual({
      payments: '1',
      instructions: '1',
      out: '2',
      decisions: '0',
    });
    expect(await findPayment(db, message.uetr)).toMatchObject({
      corridor: 'SG-TH',
      destinationSystem: 'THBPPAY',
      decision: null,
    });
    const row = db.selectFrom('payments').select('accepted').where('uetr', '=', message.uetr);
    expect(await row.executeTakeFirst()).toEqual({ accepted: true });
  });

  test('a rejected payment: its row, its RJCT and its decision, no instruction', async () => {
    const message = instruction(ownExchange(), { creditorAgent: { bicfi: 'NONETHS0' } });
    expect(told(await submit(message))).toBe('decided RC07');
    expect(await rowsOf(message.uetr)).toEqual({
      payments: '1',
      instructions: '0',
      out: '1',
      decisions: '1',
    });
  });

  test('a refused repeat: nothing but its answer, and that once', async () => {
    const message = instruction(ownExchange());
    await submit(message);
    const before = await rowsOf(message.uetr);
    const other = { ...message, messageIdentification: 'OTHER' };
    const answers = [await submit(other), await submit(other)].map((one) => one.answerMessageId);
    expect(new Set(answers).size).toBe(1);
    expect(await rowsOf(message.uetr)).toEqual({ ...before, out: '3' });
  });
});

describe('who comes first', () => {
  test('of many messages with one UETR, one is accepted (DUP-2)', async () => {
    const uetr = randomUUID();
    const judgements = await Promise.all(
      Array.from({ length: 8 }, () => submit(instruction(ownExchange(), { uetr }))),
    );
    expect(judgements.map(told).sort()).toEqual([
      'accepted',
      ...Array.from({ length: 7 }, () => 'refused DUPL'),
    ]);
    expect(await rowsOf(uetr)).toMatchObject({ payments: '1', instructions: '1' });
  });

  test('of many payments with one MsgId, one is accepted (DUP-2)', async () => {
    const messageIdentification = randomUUID().slice(0, 30);
    const judgements = await Promise.all(
      Array.from({ length: 8 }, () => submit(instruction(ownExchange(), { messageIdentification }))),
    );
    expect(judgements.map(told).sort()).toEqual([
      'accepted',
      ...Array.from({ length: 7 }, () => 'refused DU01'),
    ]);
  });
});

describe('a MsgId is taken for 62 days (DUP-2)', () => {
  async function usedDaysAgo(days: number): Promise<string> {
    const earlier = instruction(ownExchange());
    await submit(earlier);
    await db
      .updateTable('message_identifications')
      .set({ claimed_at: sql<Date>`now() - ${days} * interval '1 day'` })
      .where('message_identification', '=', earlier.messageIdentification)
      .execute();
    return earlier.messageIdentification;
  }

  test('after 61 days it is refused, after 63 it is free', async () => {
    expect(
      told(await submit(instruction(ownExchange(), { messageIdentification: await usedDaysAgo(61) }))),
    ).toBe('refused DU01');
    expect(
      told(await submit(instruction(ownExchange(), { messageIdentification: await usedDaysAgo(63) }))),
    ).toBe('accepted');
  });

  test('by a payment that was rejected, too', async () => {
    const rejected = instruction(ownExchange(), { purpose: 'ZZZZ' });
    expect(told(await submit(rejected))).toBe('decided FF01');
    expect(
      told(
        await submit(instruction(ownExchange(), { messageIdentification: rejected.messageIdentification })),
      ),
    ).toBe('refused DU01');
  });

  test('and not taken over by an invalid message that carries it (PAY-3)', async () => {
    const first = instruction(ownExchange());
    await submit(first);
    const invalid = instruction(ownExchange(), {
      messageIdentification: first.messageIdentification,
      purpose: 'ZZZZ',
    });
    expect(told(await submit(invalid))).toBe('decided FF01');
    const holder = await db
      .selectFrom('message_identifications')
      .select('uetr')
      .where('message_identification', '=', first.messageIdentification)
      .executeTakeFirstOrThrow();
    expect(holder.uetr).toBe(first.uetr);
  });
});
