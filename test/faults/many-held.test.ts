// Somebody else holds the keys of a UETR under which several messages were sent (SEC-9, LIF-2): each of them costs a sweep the time limit
// of a lock, and together more than a sweep gives to judging.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { testGateway } from '../harness/gateway.ts';
import { instruction, ownExchange } from '../../fixtures/instruction.ts';
import { storeOnly } from '../harness/payer.ts';
import { undecided } from '../harness/reports.ts';
import { messagesAged } from '../harness/rewritten.ts';

const gateway = await testGateway({ sweepEveryMs: 500, standstillMs: 500, sweepPieceMs: 2_000 });
const { db } = gateway;
const some = 4;

test('another submission is judged, although several before it cannot be for as long as somebody holds their key', async () => {
  const { uetr: model } = await undecided(gateway);
  await gateway.stopWorker();
  const uetr = randomUUID();
  const held: string[] = [];
  for (let n = 0; n < some; n += 1) held.push(await storeOnly(gateway, instruction(ownExchange(), { uetr })));
  await messagesAged(db, sql`subject_id = ${uetr}`, '20 seconds');
  const other = await storeOnly(gateway, instruction(ownExchange()));
  await messagesAged(db, sql`message_id = ${other}`, '5 seconds');
  const answers = async (ids: readonly string[]) => {
    const { rows } = await sql`select from messages where in_reply_to = any(${ids}::uuid[])`.execute(db);
    return rows.length;
  };
  await db.transaction().execute(async (holder) => {
    await sql`
      insert into payments select (jsonb_populate_record(p, ${JSON.stringify({
        uetr,
        quote_id: null,
      })}::jsonb)).* from payments p where uetr = ${model}`.execute(holder);
    await gateway.startWorker();
    await vi.waitFor(async () => expect(await answers([other])).toBe(1), {
      timeout: 45_000,
      interval: 250,
    });
    expect(await answers(held)).toBe(0);
  });
}, 120_000);
