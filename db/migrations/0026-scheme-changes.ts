// The scheme is set up and changed by its operators (ADM-1, ADM-2): what was proposed, by whom and why, who approved it,
// and what each object was before. Nothing is deleted: what others refer to ends and stays. Secrets of clients are
// salted, and may be several while one replaces another (ADM-4).
// Forward only: a released migration is never edited; what it got wrong, a later one mends.
import { sql, type Kysely } from 'kysely';

/** They are referred to by records or by other objects, also after they have ended. */
const ending = ['countries', 'currencies', 'operators', 'clearing_systems', 'institutions', 'clients'];

const changes = `
create table scheme_changes (
  change_id uuid primary key,
  proposed_by text not null,
  proposed_at timestamptz not null default clock_timestamp(),
  proposed_because text not null check (char_length(proposed_because) between 1 and 2000),
  effective_at timestamptz,
  needs_approval boolean not null
);
comment on table scheme_changes is 'Changes of the scheme''s data, proposed and made (ADM-2). Insert-only.';
comment on column scheme_changes.change_id is 'Our id.';
comment on column scheme_changes.proposed_by is 'Client id, or the command that made it.';
comment on column scheme_changes.proposed_at is 'When.';
comment on column scheme_changes.proposed_because is 'In their words; no personal data (SEC-3).';
comment on column scheme_changes.effective_at is 'From when on it counts; null: as soon as it may.';
comment on column scheme_changes.needs_approval is 'Whether a second operator must approve it.';

create index scheme_changes_timed on scheme_changes (effective_at) where effective_at is not null;
create index scheme_changes_proposed on scheme_changes (proposed_at);

create table scheme_change_edits (
  change_id uuid not null references scheme_changes,
  position integer not null,
  kind text not null,
  object_id text not null,
  before jsonb,
  after jsonb,
  primary key (change_id, position),
  unique (change_id, kind, object_id),
  check (num_nonnulls(before, after) > 0)
);
create index scheme_change_edits_object on scheme_change_edits (kind, object_id);
comment on table scheme_change_edits is 'The objects of each change (ADM-2). Insert-only.';
comment on column scheme_change_edits.change_id is 'The change.';
comment on column scheme_change_edits.position is 'Order, from 1.';
comment on column scheme_change_edits.kind is 'Kind of object, as its file in an export is named.';
comment on column scheme_change_edits.object_id is 'Its id within the kind.';
comment on column scheme_change_edits.before is 'The document that it was; null: there was none.';
comment on column scheme_change_edits.after is 'The document that it becomes; null: it ends.';

create table scheme_change_steps (
  change_id uuid not null references scheme_changes,
  step text not null check (step in ('approved', 'refused', 'withdrawn', 'applied', 'outdated')),
  done_by text not null,
  done_at timestamptz not null default clock_timestamp(),
  done_because text check (char_length(done_because) between 1 and 2000),
  primary key (change_id, step)
);
create unique index scheme_change_steps_end on scheme_change_steps (change_id)
  where step in ('refused', 'withdrawn', 'applied', 'outdated');
comment on table scheme_change_steps is 'What became of each change (ADM-2). Insert-only.';
comment on column scheme_change_steps.change_id is 'The change.';
comment on column scheme_change_steps.step is 'approved, refused, withdrawn by whoever proposed it; applied: it counts; outdated: an object was no longer what it had been.';
comment on column scheme_change_steps.done_by is 'Client id; of the step applied, who caused it.';
comment on column scheme_change_steps.done_at is 'When.';
comment on column scheme_change_steps.done_because is 'In their words.';

create function check_change_step() returns trigger language plpgsql as $$
declare
  change record;
  is_approved boolean;
begin
  select proposed_by, needs_approval, effective_at into change from scheme_changes where change_id = new.change_id;
  is_approved := exists (select from scheme_change_steps where change_id = new.change_id and step = 'approved');
  if new.step = 'approved' and change.needs_approval and new.done_by = change.proposed_by then
    raise exception 'a change is approved by somebody else than who proposed it (ADM-2)' using errcode = 'integrity_constraint_violation';
  end if;
  if new.step = 'applied' and change.needs_approval and not is_approved then
    raise exception 'a change that nobody has approved does not count (ADM-2)' using errcode = 'integrity_constraint_violation';
  end if;
  if new.step = 'applied' and change.effective_at > clock_timestamp() then
    raise exception 'a change does not count before its time (ADM-1)' using errcode = 'integrity_constraint_violation';
  end if;
  if new.step = 'withdrawn' and new.done_by <> change.proposed_by then
    raise exception 'a change is withdrawn by whoever proposed it (ADM-2)' using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end $$;
create trigger scheme_change_steps_checked before insert on scheme_change_steps
  for each row execute function check_change_step();

create table client_secrets (
  client_id text not null references clients on delete cascade,
  secret_id text not null,
  salt bytea not null,
  sha256 bytea not null,
  ends_at timestamptz,
  primary key (client_id, secret_id)
);
comment on table client_secrets is 'Secrets of clients of the built-in issuer: what is left of them (ADM-4).';
comment on column client_secrets.client_id is 'The client.';
comment on column client_secrets.secret_id is 'Which of its secrets, for people.';
comment on column client_secrets.salt is 'Random; empty: of a secret from before there were salts.';
comment on column client_secrets.sha256 is 'SHA-256 of the salt and the secret.';
comment on column client_secrets.ends_at is 'It does not count from then on; null: until it is ended.';
insert into client_secrets (client_id, secret_id, salt, sha256) select client_id, '1', '', secret_sha256 from clients;
alter table clients drop column secret_sha256;`;

export async function up(db: Kysely<unknown>): Promise<void> {
  const endings = ending.map(
    (table) => `alter table ${table} add column ended_at timestamptz;
comment on column ${table}.ended_at is 'It does not count from then on, but for what refers to it (ADM-1); null: it counts.';`,
  );
  const notifying = ['client_secrets', 'public_keys'].map(
    (table) => `create trigger ${table}_changed after insert or update or delete or truncate on ${table}
  for each statement execute function notify_reference_data();`,
  );
  const insertOnly = ['scheme_changes', 'scheme_change_edits', 'scheme_change_steps'].map(
    (table) => `create trigger ${table}_insert_only before update or delete or truncate on ${table}
  for each statement execute function refuse_change();`,
  );
  await sql.raw([changes, ...endings, ...notifying, ...insertOnly].join('\n')).execute(db);
}
