// The book of a busy day, or of a month, on a whole gateway: it can be read (REC-1).
import { sql } from 'kysely';
import { beforeAll, expect, test, vi } from 'vitest';
import { endingIn } from '../harness/endings.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../harness/instruction.ts';
import { bestQuote, submit } from '../harness/payer.ts';

const gateway = await testGateway();
const { db } = gateway;
const evidence = evidenceOf(gateway);
const many = 600_000; // 7 a second over a day, or one in 4 s over a month

beforeAll(async () => {
  const message = instruction(await bestQuote(gateway), { ending: endingIn.creditedAtOnce });
  await submit(gateway, message, { clientId: 'SGDFAST', prefer: 'wait=20' });
  await vi.waitFor(async () => expect(await evidence.decision(message.uetr)).toBeDefined(), 15_000);
  const columns = (table: string, without: readonly string[]) =>
    sql<{ names: string }>`
    select string_agg(quote_ident(column_name), ', ') as names from information_schema.columns
    where table_schema = current_schema() and table_name = ${table} and column_name <> all(${without})
      and is_generated = 'NEVER'`.execute(db);
  const [payments, decisions] = await Promise.all([
    columns('payments', ['uetr', 'quote_id']),
    columns('decisions', ['uetr', 'decided_at']),
  ]);
  const [like, decided] = [payments, decisions].map(({ rows }) => sql.raw(rows[0]?.names ?? ''));
  for (let hour = 0; hour < 10; hour += 1)
    await db.transaction().execute(async (trx) => {
      await sql`set local statement_timeout = 0`.execute(trx);
      await sql`
      with made as (
        select gen_random_uuid() as new_uetr, n, p.* from generate_series(1, ${sql.lit(many / 10)}) n, lateral (
          select p.* from payments p where p.uetr = ${message.uetr}::uuid) p
      ),
      paid as (insert into payments (uetr, ${like}) select new_uetr, ${like} from made)
      insert into decisions (uetr, decided_at, ${decided})
      select new_uetr, '2026-01-07T00:00:00Z'::timestamptz + ${sql.lit(hour)} * interval '1 hour'
        + n * interval '1 millisecond', ${decided}
      from (select made.new_uetr, made.n, d.* from made join decisions d on d.uetr = made.uetr) x`.execute(
        trx,
      );
    });
  await sql`analyze payments`.execute(db);
  await sql`analyze decisions`.execute(db);
}, 180_000);

const read = async (path: string) =>
  fetch(new URL(`${path}?clearingSystem=SGDFAST&date=2026-01-07`, gateway.url), {
    headers: { authorization: `Bearer ${await gateway.token('SGDFAST')}` },
  });

test('a day of 600,000 payments can be read, as JSON and as camt.054 (REC-1)', async () => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  try {
    const book = await read('/reconciliation');
    const reader = book.body?.getReader();
    const begins = await reader?.read().then(
      ({ value }) => new TextDecoder().decode(value as Uint8Array).slice(0, 8),
      () => 'breaks off',
    );
    await reader?.cancel().catch(() => undefined);
    const notification = await read('/reconciliation/camt054');
    expect([begins, notification.status]).toEqual(['{"book":', 200]);
  } finally {
    said.mockRestore();
  }
}, 60_000);
