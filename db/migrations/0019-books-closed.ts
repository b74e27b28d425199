// Until when books have been closed: no decision is written into a period that somebody may have read, whatever the clock
// of the database says by then (REC-2). Forward only: a released migration is never edited; what it got wrong, a later
// one mends.
import { sql, type Kysely } from 'kysely';

const closed = `
create table books_closed (
  is_only boolean primary key default true check (is_only),
  until timestamptz not null
);
insert into books_closed (until)
select greatest(now() - interval '1 minute', (select max(period_to) from book_pages));
comment on table books_closed is 'One row: the end of the latest period that was read or sent as closed (REC-2).';
comment on column books_closed.is_only is 'There is no other row.';
comment on column books_closed.until is 'What is decided later has this time or a later one.';`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(closed).execute(db);
}
