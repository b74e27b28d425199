// Leases for work that only one process does at a time, such as the sweep and the logging of alerts. Uses the
// database clock.
import { sql } from 'kysely';
import { assert } from '../../core/assert.ts';
import type { Db } from './connection.ts';

export interface Lease {
  readonly name: string;
  readonly holder: string;
  readonly forMs: number;
}

/**
 * Milliseconds; longer than any lease. A lease that ends later than this was taken before the database clock
 * was set back.
 */
const absurdMs = 120_000;

/**
 * Takes or renews the lease. Returns whether the holder has it now, and the database clock (epoch
 * milliseconds).
 */
export async function takeLease(
  db: Db,
  { name, holder, forMs }: Lease,
): Promise<{ readonly isOurs: boolean; readonly now: number }> {
  const { rows } = await sql<{ isOurs: boolean; now: number }>`
    with taken as (
      insert into leases (name, holder, held_until)
      values (${name}, ${holder}, clock_timestamp() + ${forMs} * interval '1 millisecond')
      on conflict (name) do update set holder = excluded.holder, held_until = excluded.held_until
        where leases.holder = excluded.holder or leases.held_until not between
          clock_timestamp() and clock_timestamp() + ${absurdMs} * interval '1 millisecond'
      returning name
    )
    select exists (select from taken) as "isOurs", (extract(epoch from clock_timestamp()) * 1000)::float8 as now`.execute(
    db,
  );
  const [taken] = rows;
  assert(taken !== undefined, 'a select without a table has one row');
  return taken;
}

export async function giveBackLease(db: Db, { name, holder }: Lease): Promise<void> {
  await sql`delete from leases where name = ${name} and holder = ${holder}`.execute(db); // served by the primary key
}
