// Stores the sessions of portal users. The database holds only a hash of the session id and encrypted claims,
// so nobody can log in with a copy of the database.
import { sql } from 'kysely';
import type { Db } from '../pool/connection.ts';

/** A session ends after this many seconds without a page request by the user. */
const idleSeconds = 1_800;

export interface StoredSession {
  /** SHA-256 of the session id, base64url. */
  readonly sessionHash: string;
  readonly clientId: string;
  /** The claims of the session, encrypted as a JWE. */
  readonly content: string;
}

/** Stores a new session. Also deletes ended sessions, so that the table stays small. */
export async function startSession(db: Db, session: StoredSession, lifetimeSeconds: number): Promise<void> {
  await db.deleteFrom('portal_sessions').where(isOver).execute();
  await db
    .insertInto('portal_sessions')
    .values({
      ...spelled(session),
      ends_at: sql<Date>`clock_timestamp() + make_interval(secs => ${lifetimeSeconds})`,
    })
    .execute();
}

/** @param touches whether the request extends the session; false for a page that refreshes itself */
export async function findSession(
  db: Db,
  sessionHash: string,
  touches: boolean,
): Promise<Pick<StoredSession, 'content' | 'clientId'> | undefined> {
  const found = await db
    .selectFrom('portal_sessions')
    .select(['content', 'client_id as clientId'])
    .where('session_hash', '=', sessionHash)
    .where(sql<boolean>`not ${isOver}`)
    .executeTakeFirst();
  if (found === undefined || !touches) return found;
  await db
    .updateTable('portal_sessions')
    .set({ seen_at: sql<Date>`clock_timestamp()` })
    .where('session_hash', '=', sessionHash)
    .where(sql<boolean>`seen_at < clock_timestamp() - interval '10 seconds'`)
    .execute();
  return found;
}

export async function endSession(db: Db, sessionHash: string): Promise<void> {
  await db.deleteFrom('portal_sessions').where('session_hash', '=', sessionHash).execute();
}

const isOver = sql<boolean>`(ends_at < clock_timestamp() or seen_at < clock_timestamp() - make_interval(secs => ${sql.lit(idleSeconds)}))`;

const spelled = ({ sessionHash, clientId, content }: StoredSession) => ({
  session_hash: sessionHash,
  client_id: clientId,
  content,
});
