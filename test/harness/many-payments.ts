// Days of many payments, without paying each of them: copies of one that was decided.
import { sql } from 'kysely';
import type { Db } from '../../db/connection.ts';

export interface Copies {
  /** The UETR of the payment that is copied. */
  readonly of: string;
  readonly count: number;
  /** The first was decided then, each further millisecond `atOnce` more. */
  readonly decidedAt: string;
  readonly atOnce?: number;
}

/** They have the messages and the quote's terms of the original, but not its quote, and were told to nobody. */
export async function copyDecided(db: Db, { of, count, decidedAt, atOnce = 1 }: Copies): Promise<void> {
  const columns = async (table: string, without: readonly string[]) => {
    const { rows } = await sql<{ names: string }>`
      select string_agg(quote_ident(column_name), ', ') as names from information_schema.columns
      where table_schema = current_schema() and table_name = ${table} and column_name <> all(${without})
        and is_generated = 'NEVER'`.execute(db);
    return sql.raw(rows[0]?.names ?? '');
  };
  const paid = await columns('payments', ['uetr', 'quote_id']);
  const decided = await columns('decisions', ['uetr', 'decided_at']);
  await db.transaction().execute(async (trx) => {
    await sql`set local statement_timeout = 0`.execute(trx);
    await sql`
      with made as (
        select gen_random_uuid() as new_uetr, n, p.* from generate_series(1, ${sql.lit(count)}) n, lateral (
          select p.* from payments p where p.uetr = ${of}::uuid) p
      ),
      paid as (insert into payments (uetr, ${paid}) select new_uetr, ${paid} from made)
      insert into decisions (uetr, decided_at, ${decided})
      select new_uetr, ${decidedAt}::timestamptz + ((n - 1) / ${sql.lit(atOnce)}) * interval '1 millisecond', ${decided}
      from (select made.new_uetr, made.n, d.* from made join decisions d on d.uetr = made.uetr) x`.execute(
      trx,
    );
  });
}
