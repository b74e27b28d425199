// docker/after-restore.sql, which operators run on a database that was restored to a point in time.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import type { QueryResult } from 'pg';
import { expect, test } from 'vitest';
import { createDecidePayment } from '../../../activities/payments/decide-payment.ts';
import { createValidatePayment } from '../../../activities/payments/validate-payment.ts';
import { createJudgeResolution } from '../../../activities/resolutions/judge-resolution.ts';
import { withClient } from '../../../cli/parts/postgres.ts';
import { claimInstruction, settleAttempt } from '../../../db/deliveries/deliveries.ts';
import { findUnjudged } from '../../../db/payments/unanswered.ts';
import { recordReceived } from '../../../db/records/messages.ts';
import { buildAcmt023 } from '../../../fixtures/acmt023.ts';
import { instruction, ownExchange } from '../../../fixtures/instruction.ts';
import { workbench } from '../../activities/workbench.ts';
import { accountRequest } from '../../harness/asker.ts';
import { acceptedAgo, dueIn } from '../../harness/rewritten.ts';

const { deps, databaseUrl, accepted, store } = await workbench();
const { db } = deps;
const statements = readFileSync(new URL('../../../docker/after-restore.sql', import.meta.url), 'utf8');

/** @returns the UETRs that the file prints */
const afterRestore = () =>
  withClient(databaseUrl, async (client) => {
    const results = (await client.query(statements)) as unknown as readonly QueryResult<{ uetr: string }>[];
    return results.flatMap(({ rows }) => rows.map(({ uetr }) => uetr));
  });

async function storeRequest(account: string): Promise<string> {
  const request = accountRequest(account);
  const { messageIdentification } = request;
  const message = { type: 'acmt023', messageIdentification, leg: 'source', party: 'SGDFAST' } as const;
  return (await recordReceived(db, { ...message, body: Buffer.from(buildAcmt023(request)) })).messageId;
}

async function unjudged(): Promise<readonly string[]> {
  const found: string[] = [];
  const everything = { withinMs: 86_400_000, graceMs: 0, workerId: randomUUID() };
  for await (const { messageId } of findUnjudged(db, everything)) found.push(messageId);
  return found.sort();
}

const idsIn = async (table: 'messages' | 'message_bodies' | 'message_keys') => {
  const { rows } = await sql<{ id: string }>`select message_id as id from ${sql.table(table)}`.execute(db);
  return rows.map(({ id }) => id);
};

test('no submission without an answer is left to be judged; those with an answer stay', async () => {
  const validatePayment = createValidatePayment(deps);
  const judged = await accepted();
  const message = instruction(ownExchange());
  const rejected = await store({ ...message, creditorAgent: { bicfi: 'NONETHS0' } });
  expect(await validatePayment({ messageId: rejected })).toMatchObject({ verdict: 'decided' });
  const repeat = await store(message);
  expect(await validatePayment({ messageId: repeat })).toMatchObject({ verdict: 'refused' });
  const resolution = await storeRequest('1');
  expect(await createJudgeResolution(deps)({ messageId: resolution })).toMatchObject({ verdict: 'routed' });
  const open = instruction(ownExchange());
  const unanswered = [await store(open), await storeRequest('2')].sort();
  expect(await unjudged()).toEqual(unanswered);

  expect(await afterRestore()).toEqual([open.uetr]);

  expect(await unjudged()).toEqual([]);
  for (const table of ['messages', 'message_bodies', 'message_keys'] as const) {
    const ids = await idsIn(table);
    expect(ids).toEqual(expect.arrayContaining([judged.messageId, rejected, repeat, resolution]));
    expect(ids).not.toEqual(
      expect.arrayContaining([expect.toSatisfy((id: string) => unanswered.includes(id))]),
    );
  }
  expect(unanswered).not.toContain(await store(open)); // its source sends it again: it is new
  await expect(sql`delete from messages`.execute(db)).rejects.toThrow(/insert-only/);
  await expect(sql`delete from message_bodies`.execute(db)).rejects.toThrow(/insert-only/);
});

test('a NORM payment that was not sent before the point may have been sent after it: no ED06 (TIM-3)', async () => {
  const { uetr, deliveryId } = await accepted();
  await claimInstruction(db, deliveryId, { round: 'first', claim: randomUUID() });
  await settleAttempt(db, {
    ...{ deliveryId, attempt: 1, asks: 1, url: null, outcome: 'NOT_SENT', httpStatus: null, durationMs: 1 },
    ...{ errorClass: 'refused', responseExcerpt: null, next: { kind: 'retry', inMs: 0 } },
  });
  await acceptedAgo(db, uetr, 300_000);

  await afterRestore();

  expect(await createDecidePayment(deps)({ uetr, cause: { by: 'unreachable' } })).toBeNull();
});

test('a HIGH payment that ends at its deadline may have been sent after the point: its destination is told (TIM-1)', async () => {
  const { uetr } = await accepted();
  await dueIn(db, [uetr], -1_000);

  await afterRestore();

  const cause = { by: 'deadline' } as const;
  expect(await createDecidePayment(deps)({ uetr, cause })).toMatchObject({ reasonCode: 'AB03' });
  const told = db.selectFrom('deliveries').select('kind').where('subject_id', '=', uetr).execute();
  expect((await told).map(({ kind }) => kind)).toContain('confirmation');
});
