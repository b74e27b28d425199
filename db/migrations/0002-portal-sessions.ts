// Adds the table for the sessions of portal users.
import { sql, type Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table portal_sessions (
      session_hash text primary key,
      client_id text not null,
      content text not null,
      seen_at timestamptz not null default clock_timestamp(),
      ends_at timestamptz not null
    )`.execute(db);
  await sql`create index portal_sessions_ends_at on portal_sessions (ends_at)`.execute(db);
  for (const [what, says] of Object.entries(comments)) {
    await sql`comment on ${sql.raw(what)} is ${sql.lit(says)}`.execute(db);
  }
}

const comments = {
  'table portal_sessions': 'Who is signed in to the portal.',
  'column portal_sessions.session_hash': 'SHA-256 of the session id, which only the browser has; base64url.',
  'column portal_sessions.client_id': 'The client that signed in.',
  'column portal_sessions.content':
    'A JWE with the claims or the access token; its key is made from the session id.',
  'column portal_sessions.seen_at': 'When the last page was opened.',
  'column portal_sessions.ends_at': 'When it ends, whatever happens.',
};
