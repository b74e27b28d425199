// What came of the trial messages to endpoints that were proposed (ADM-1).
// Forward only: a released migration is never edited; what it got wrong, a later one mends.
import { sql, type Kysely } from 'kysely';

const probes = `
create table endpoint_probes (
  change_id uuid not null references scheme_changes,
  url text not null,
  asked_at timestamptz not null default clock_timestamp(),
  claimed_at timestamptz,
  finished_at timestamptz,
  outcome text check (outcome in ('answered', 'failed')),
  says text,
  primary key (change_id, url),
  check (num_nonnulls(finished_at, outcome, says) in (0, 3))
);
create index endpoint_probes_open on endpoint_probes (asked_at) where finished_at is null;
comment on table endpoint_probes is 'Trial messages to endpoints that a change brings, sent by a worker before it is approved (ADM-1).';
comment on column endpoint_probes.change_id is 'The change.';
comment on column endpoint_probes.url is 'Full address to which the message goes.';
comment on column endpoint_probes.asked_at is 'When the change was proposed.';
comment on column endpoint_probes.claimed_at is 'When a worker last began.';
comment on column endpoint_probes.finished_at is 'When it was known what came of it.';
comment on column endpoint_probes.outcome is 'answered: somebody is there; failed: nobody, or a server that is out of order.';
comment on column endpoint_probes.says is 'HTTP status, or why it failed.';`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(probes).execute(db);
}
