// Adds the table that counts refused signatures per payment system and day.
import { sql, type Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table refused_signatures (
      party_id text not null,
      day date not null,
      number integer not null,
      last_at timestamptz not null,
      last_why text not null,
      primary key (party_id, day)
    )`.execute(db);
  for (const [what, says] of Object.entries(comments)) {
    await sql`comment on ${sql.raw(what)} is ${sql.lit(says)}`.execute(db);
  }
}

const comments = {
  'table refused_signatures':
    'Messages refused for their signature, counted per payment system and day. Rows are kept for 62 days.',
  'column refused_signatures.party_id': 'The payment system in whose name the messages came.',
  'column refused_signatures.day': 'Day (UTC).',
  'column refused_signatures.number': 'Number of refused messages on that day.',
  'column refused_signatures.last_at': 'When the last of them was refused.',
  'column refused_signatures.last_why':
    'Why the last of them was refused, as its answer said; no personal data.',
};
