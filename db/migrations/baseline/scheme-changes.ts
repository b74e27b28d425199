// Changes of the scheme's data: proposed, approved, applied.

export const schemeChanges = `
-- Changes of the scheme's data, proposed and applied (ADM-2). Insert-only.
create table scheme_changes (
  change_id uuid primary key, -- Our id.
  proposed_by text not null, -- Client id of the operator, or the command that made the change.
  proposed_at timestamptz not null default clock_timestamp(), -- When it was proposed.
  proposed_because text not null check (char_length(proposed_because) between 1 and 2000), -- Why, in the words of the operator; no personal data.
  effective_at timestamptz, -- When it takes effect; null: as soon as possible.
  needs_approval boolean not null -- Whether a second operator must approve it.
);
create index scheme_changes_proposed on scheme_changes (proposed_at);
create index scheme_changes_timed on scheme_changes (effective_at) where effective_at is not null;

-- The objects of each change (ADM-2). Insert-only.
create table scheme_change_edits (
  change_id uuid not null references scheme_changes, -- The change.
  "position" integer not null, -- Order, from 1.
  kind text not null, -- Kind of object, named like its file in an export.
  object_id text not null, -- Its id within the kind.
  before jsonb, -- The document before the change; null: there was none.
  after jsonb, -- The document after the change; null: the object ends.
  primary key (change_id, "position"),
  unique (change_id, kind, object_id),
  check (num_nonnulls(before, after) > 0)
);
create index scheme_change_edits_object on scheme_change_edits (kind, object_id);

-- The steps of each change (ADM-2). Insert-only.
create table scheme_change_steps (
  change_id uuid not null references scheme_changes, -- The change.
  step text not null check (step in ('approved', 'refused', 'withdrawn', 'applied', 'outdated')), -- approved, refused or withdrawn (by the proposer); applied: it is in effect; outdated: an object had changed since it was proposed.
  done_by text not null, -- Client id of the operator; for the step applied, of the one who caused it.
  done_at timestamptz not null default clock_timestamp(), -- When the step was taken.
  done_because text check (char_length(done_because) between 1 and 2000), -- Why, in the words of the operator.
  primary key (change_id, step)
);
create unique index scheme_change_steps_end on scheme_change_steps (change_id) where step in ('refused', 'withdrawn', 'applied', 'outdated');

create function check_change_step() returns trigger
  language plpgsql set search_path = public, pg_temp as $$
declare
  change record;
  is_approved boolean;
begin
  select proposed_by, needs_approval, effective_at into change from scheme_changes where change_id = new.change_id;
  is_approved := exists (select from scheme_change_steps where change_id = new.change_id and step = 'approved');
  if new.step = 'approved' and change.needs_approval and new.done_by = change.proposed_by then
    raise exception 'a change must be approved by somebody other than its proposer (ADM-2)' using errcode = 'integrity_constraint_violation';
  end if;
  if new.step = 'applied' and change.needs_approval and not is_approved then
    raise exception 'a change must be approved before it is applied (ADM-2)' using errcode = 'integrity_constraint_violation';
  end if;
  if new.step = 'applied' and change.effective_at > clock_timestamp() then
    raise exception 'a change must not be applied before its time (ADM-1)' using errcode = 'integrity_constraint_violation';
  end if;
  if new.step = 'withdrawn' and new.done_by <> change.proposed_by then
    raise exception 'only the proposer may withdraw a change (ADM-2)' using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end $$;
create trigger scheme_change_steps_checked before insert on scheme_change_steps for each row
  execute function check_change_step();

-- Trial messages to endpoints that a change adds, sent by a worker before the change is approved (ADM-1).
create table endpoint_probes (
  change_id uuid not null references scheme_changes, -- The change.
  url text not null, -- Full address of the endpoint.
  asked_at timestamptz not null default clock_timestamp(), -- When the change was proposed.
  claimed_at timestamptz, -- When a worker last claimed it.
  finished_at timestamptz, -- When the outcome was known.
  outcome text check (outcome in ('answered', 'failed')), -- answered: the endpoint responds; failed: nobody responds, or the server is out of order.
  says text, -- HTTP status, or why it failed.
  primary key (change_id, url),
  check (num_nonnulls(finished_at, outcome, says) in (0, 3))
);
create index endpoint_probes_open on endpoint_probes (asked_at) where finished_at is null;
`;
