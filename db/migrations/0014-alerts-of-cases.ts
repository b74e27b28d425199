// What an operator does about a case names the alerts that it is about: one that nobody could see then is not closed by
// it (OBS-6). And which workers there are, also where they send nothing (OBS-7). Forward only: a released migration is
// never edited; what it got wrong, a later one mends.
import { sql, type Kysely } from 'kysely';

const cases = `
alter table case_entries add column audit_event_ids bigint[];
update case_entries c set audit_event_ids = array(
  select e.audit_event_id from audit_events e
  where e.subject_id = c.subject_id and e.severity in ('alert', 'security') and e.occurred_at <= c.at)
where subject_id is not null;
alter table case_entries add constraint case_entries_audit_event_ids_check
  check ((subject_id is null) = (audit_event_ids is null));
comment on column case_entries.audit_event_ids is 'The alerts that an entry about a whole case is about; null where it is about one.';`;

const workers = `
create index refused_messages_created_at on refused_messages using brin (created_at);
create unlogged table worker_states (
  worker_id uuid primary key,
  started_at timestamptz not null default clock_timestamp(),
  at timestamptz not null default clock_timestamp()
);
comment on table worker_states is 'The worker processes, each of which says every few seconds that it is there: what is older than 30 s is of one that is gone (OBS-7).';
comment on column worker_states.worker_id is 'The worker process.';
comment on column worker_states.started_at is 'When it first said so.';
comment on column worker_states.at is 'When it last did.';`;

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statements of [cases, workers]) await sql.raw(statements).execute(db);
}
