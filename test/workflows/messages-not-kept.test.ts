// A payment of which the bytes are no longer kept (LIF-6): whoever asks learns that, its record stays, and nothing that
// was done is done again.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { buildPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { dropExpired, findExpired } from '../../db/records/retention.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { madeAgo, replaceFirstPartitions } from '../harness/old-partitions.ts';
import { bestQuote, submitXml } from '../harness/payer.ts';
import { problemTexts } from '../harness/problem-texts.ts';
import { reportFinal } from '../harness/reports.ts';

const keptFor = { messagesMonths: 13, recordsYears: 10 };
const longAgo = new Date();
longAgo.setUTCMonth(longAgo.getUTCMonth() - 15, 1);
const gateway = await testGateway({
  prepare: (db) => replaceFirstPartitions(db, [longAgo, new Date(longAgo.getTime() + 40 * 86_400_000)]),
});
const { db } = gateway;
const evidence = evidenceOf(gateway);

async function asOperator(path: string): Promise<{ status: number; body: { [member: string]: unknown } }> {
  const response = await fetch(`${gateway.url}${path}`, {
    headers: { authorization: `Bearer ${await gateway.token('operator')}` },
  });
  return { status: response.status, body: (await response.json()) as { [member: string]: unknown } };
}

test('the same message again, its messages and a late report say what is no longer kept, and change nothing', async () => {
  const message = instruction(await bestQuote(gateway));
  const xml = buildPacs008(message);
  expect((await submitXml(gateway, xml)).report?.status).toBe('ACTC');
  await evidence.closed(message.uetr);
  await evidence.arrival(message.uetr, 'source', 'pacs002');
  const before = await asOperator(`/payments/${message.uetr}`);
  await madeAgo(db, message.uetr, '15 months');
  for (const month of (await findExpired(db, keptFor)).filter(({ what }) => what === 'messages'))
    expect(await dropExpired(db, keptFor, month)).toEqual([]);

  const gone = {
    status: 410,
    body: { code: 'message-not-kept', ruleId: 'LIF-6', detail: problemTexts['message-not-kept'].told },
  };
  const [first] = before.body['messages'] as { messageId: string; sha256: string; size: number }[];
  expect(await asOperator(`/payments/${message.uetr}/messages/${first?.messageId}`)).toMatchObject(gone);
  const { status, body } = await asOperator(`/payments/${message.uetr}`);
  expect([status, body['status'], body['difference']]).toEqual([200, before.body['status'], null]);
  expect(body['messages']).toHaveLength((before.body['messages'] as unknown[]).length);
  expect(body['messages']).toContainEqual(
    expect.objectContaining({ messageId: first?.messageId, sha256: first?.sha256, size: first?.size }),
  );

  const attempts = async () => (await sql`select from delivery_attempts`.execute(db)).rows.length;
  const made = await attempts();
  const repeat = await submitXml(gateway, xml);
  expect([repeat.httpStatus, JSON.parse(repeat.text)]).toMatchObject([410, gone.body]);
  expect(await reportFinal(gateway, message.uetr)).toBe(410); // a late report of the destination
  const { rows } = await sql<{ payments: number; due: number }>`
    select (select count(*)::int from payments) as payments,
      (select count(*)::int from deliveries where delivered_at is null and closed_at is null) as due`.execute(
    db,
  );
  expect(rows).toEqual([{ payments: 1, due: 0 }]);
  expect(await attempts()).toBe(made);
});
