// How each alert stands, in a row of its own: looked for in every entry of its case, the alerts of one payment could keep operators
// from all others (OBS-6, SEC-7). Forward only: a released migration is never edited; what it got wrong, a later one mends.
import { sql, type Kysely } from 'kysely';

const table = `
create table alert_states (
  audit_event_id bigint primary key,
  case_entry_id bigint not null,
  action text not null check (action in ('take', 'close', 'reopen')),
  client_id text not null,
  at timestamptz not null
);
comment on table alert_states is 'What was done last about each alert, under it or under its case; none: nothing was. Derived from case_entries by a trigger, whichever release writes those.';
comment on column alert_states.audit_event_id is 'The alert.';
comment on column alert_states.case_entry_id is 'The entry.';
comment on column alert_states.action is 'What was done; a note changes nothing.';
comment on column alert_states.client_id is 'Who.';
comment on column alert_states.at is 'When.';`;

/** The alerts that an entry is about. */
const alertsOf = (row: string) => `unnest(coalesce(${row}.audit_event_ids, array[${row}.audit_event_id]))`;

const trigger = `
create function note_alert_states() returns trigger language plpgsql as $$
begin
  insert into alert_states as known (audit_event_id, case_entry_id, action, client_id, at)
  select distinct about.audit_event_id, new.case_entry_id, new.action, new.client_id, new.at
  from ${alertsOf('new')} about (audit_event_id)
  on conflict (audit_event_id) do update
    set case_entry_id = excluded.case_entry_id, action = excluded.action, client_id = excluded.client_id, at = excluded.at
    where known.case_entry_id < excluded.case_entry_id;
  return null;
end $$;
comment on function note_alert_states() is 'Keeps alert_states in step with case_entries.';
create trigger case_entries_noted after insert on case_entries
for each row when (new.action <> 'note') execute function note_alert_states();`;

/** What was done before; the trigger has locked out whoever would write meanwhile. */
const earlier = `
insert into alert_states (audit_event_id, case_entry_id, action, client_id, at)
select distinct on (about.audit_event_id) about.audit_event_id, c.case_entry_id, c.action, c.client_id, c.at
from case_entries c, ${alertsOf('c')} about (audit_event_id)
where c.action <> 'note'
order by about.audit_event_id, c.case_entry_id desc;`;

/** For the sweep, which asks of each late final whether somebody was told of it (PAY-7, LIF-2). */
const contradictions = `
create index audit_events_contradictions on audit_events (subject_id, (detail ->> 'reportMessageId'))
where kind = 'payment.contradiction';`;

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statements of [table, trigger, earlier, contradictions]) await sql.raw(statements).execute(db);
}
