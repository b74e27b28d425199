// The sessions of people at the portal. The database has neither a session's id nor its claims in the clear: a copy of
// it lets nobody in.
import { sql } from 'kysely';
import type { Db } from '../pool/connection.ts';

/** Seconds without a page after which a session ends. */
const idleSeconds = 1_800;

export interface StoredSession {
  /** SHA-256 of the session id, base64url. */
  readonly sessionHash: string;
  readonly clientId: string;
  /** A JWE. */
  readonly content: string;
}

/** Removes ended sessions as well, so that the table holds only those of today. */
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

/** @param touches whether a person is there: a page that refreshes itself does not keep its session alive */
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
