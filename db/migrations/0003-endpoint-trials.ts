// Adds the table of trial messages that parties ask for, to their own addresses.
import { sql, type Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table endpoint_trials (
      party_id text not null,
      url text not null,
      asked_at timestamptz not null default clock_timestamp(),
      claimed_at timestamptz,
      finished_at timestamptz,
      outcome text check (outcome in ('answered', 'failed')),
      says text,
      primary key (party_id, url),
      check (num_nonnulls(finished_at, outcome, says) in (0, 3))
    )`.execute(db);
  await sql`create index endpoint_trials_open on endpoint_trials (asked_at) where finished_at is null`.execute(
    db,
  );
  for (const [what, says] of Object.entries(comments)) {
    await sql`comment on ${sql.raw(what)} is ${sql.lit(says)}`.execute(db);
  }
}

const comments = {
  'table endpoint_trials':
    'The last trial message to each address of a party that asked for one. A worker sends it.',
  'column endpoint_trials.party_id': 'The payment system; or the internalId of the FX provider.',
  'column endpoint_trials.url': 'Full address of the endpoint.',
  'column endpoint_trials.asked_at': 'When the party asked for it.',
  'column endpoint_trials.claimed_at': 'When a worker last claimed it.',
  'column endpoint_trials.finished_at': 'When the outcome was known.',
  'column endpoint_trials.outcome':
    'answered: the endpoint responds; failed: nobody responds, or the server is out of order.',
  'column endpoint_trials.says': 'HTTP status, or why it failed.',
};
