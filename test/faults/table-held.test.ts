// A session holds one table of resolutions for minutes (VACUUM FULL, ALTER TABLE, an index that is being rebuilt), so
// the sweep cannot look for what concerns resolutions: payments are not kept waiting by that (LIF-2, I-15).
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { testGateway } from '../harness/gateway.ts';
import { instruction, ownExchange } from '../../fixtures/instruction.ts';
import { storeOnly } from '../harness/payer.ts';
import { messagesAged } from '../harness/rewritten.ts';

const gateway = await testGateway({ sweepEveryMs: 500, standstillMs: 500 });
const { db } = gateway;

/** A submission that was stored five seconds ago, and whose execution was never started. */
async function lost(): Promise<string> {
  const messageId = await storeOnly(gateway, instruction(ownExchange()));
  await messagesAged(db, sql`message_id = ${messageId}`, '5 seconds');
  return messageId;
}

async function isJudged(messageId: string): Promise<void> {
  await vi.waitFor(
    async () => {
      const { rows } = await sql`select from messages where in_reply_to = ${messageId}`.execute(db);
      expect(rows).toHaveLength(1);
    },
    { timeout: 60_000, interval: 250 },
  );
}

test('a payment that was stored and never judged is judged within 60 s', async () => {
  await isJudged(await lost());
}, 70_000);

test('and though somebody holds the answers of resolutions for that long (LIF-2)', async () => {
  await db.transaction().execute(async (holder) => {
    await sql`lock table resolution_answers in access exclusive mode`.execute(holder);
    await isJudged(await lost());
  });
}, 90_000);
