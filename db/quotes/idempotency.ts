// Handles POST requests with an Idempotency-Key. One transaction does the work and stores its answer, so
// neither exists without the other. A process that crashes in between leaves nothing behind.
import { sql } from 'kysely';
import type { Db } from '../pool/connection.ts';

export interface KeptAnswer {
  readonly status: number;
  readonly body: string;
}

export interface IdempotentRequest {
  readonly clientId: string;
  readonly key: string;
  /** SHA-256 of method, path and body. */
  readonly sha256: Buffer;
}

export type IdempotentOutcome =
  | { readonly kind: 'answered'; readonly answer: KeptAnswer }
  /** The first request with this key is still running, in this process or another. */
  | { readonly kind: 'running' }
  | { readonly kind: 'reused' };

const cleanedAtOnce = 100; // expired rows that each request deletes

/**
 * Does the work, unless this key was answered in the last 24 hours. In that case, returns the stored answer.
 */
export function answerOnce(
  db: Db,
  request: IdempotentRequest,
  work: (trx: Db) => Promise<KeptAnswer>,
): Promise<IdempotentOutcome> {
  return db.transaction().execute(async (trx): Promise<IdempotentOutcome> => {
    if (!(await tryLock(trx, request))) return { kind: 'running' };
    const { rows } = await sql<KeptAnswer & { sha256: Buffer }>`
      select request_sha256 as sha256, response_status as status, response_body as body from idempotency_keys
      where client_id = ${request.clientId} and idempotency_key = ${request.key}
        and created_at > now() - interval '24 hours'`.execute(trx);
    const [kept] = rows;
    if (kept !== undefined) {
      const { sha256, ...answer } = kept;
      return sha256.equals(request.sha256) ? { kind: 'answered', answer } : { kind: 'reused' };
    }
    const answer = await work(trx);
    await keep(trx, request, answer);
    return { kind: 'answered', answer };
  });
}

/**
 * Tries to take a lock for this client and key until the transaction ends. The length of the client id keeps
 * the lock names of two different pairs apart.
 */
async function tryLock(trx: Db, { clientId, key }: IdempotentRequest): Promise<boolean> {
  const name = `idempotency ${clientId.length} ${clientId} ${key}`;
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as locked`.execute(trx);
  return rows[0]?.locked === true;
}

async function keep(trx: Db, request: IdempotentRequest, answer: KeptAnswer): Promise<void> {
  await sql`
    delete from idempotency_keys where (client_id, idempotency_key) in (
      select client_id, idempotency_key from idempotency_keys
      where created_at <= now() - interval '24 hours' -- index idempotency_keys_created
      limit ${cleanedAtOnce} for update skip locked)`.execute(trx);
  await sql`
    insert into idempotency_keys (client_id, idempotency_key, request_sha256, response_status, response_body, created_at)
    values (${request.clientId}, ${request.key}, ${request.sha256}, ${answer.status}, ${answer.body}, now())
    on conflict (client_id, idempotency_key) do update
      set request_sha256 = excluded.request_sha256, response_status = excluded.response_status,
        response_body = excluded.response_body, created_at = excluded.created_at`.execute(trx);
}
