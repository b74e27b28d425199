// POST requests with an Idempotency-Key. One transaction does the work and stores its answer, so neither exists without
// the other, and a process that crashes in between leaves nothing behind.
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
  /** The first request with this key still runs, here or in another process. */
  | { readonly kind: 'running' }
  | { readonly kind: 'reused' };

const cleanedAtOnce = 100; // rows; each request deletes a few old ones

/** Does the work, unless this key was answered in the last 24 hours. Then returns the stored answer. */
export function answerOnce(
  db: Db,
  request: IdempotentRequest,
  work: (trx: Db) => Promise<KeptAnswer>,
): Promise<IdempotentOutcome> {
  return db.transaction().execute(async (trx): Promise<IdempotentOutcome> => {
    if (!(await tryLock(trx, request))) return { kind: 'running' };
    const kept = await trx
      .selectFrom('idempotency_keys')
      .select(['request_sha256', 'response_status', 'response_body'])
      .where('client_id', '=', request.clientId)
      .where('idempotency_key', '=', request.key)
      .where('created_at', '>', sql<Date>`now() - interval '24 hours'`)
      .executeTakeFirst();
    if (kept !== undefined) {
      if (!kept.request_sha256.equals(request.sha256)) return { kind: 'reused' };
      return {
        kind: 'answered',
        answer: { status: kept.response_status ?? 200, body: kept.response_body ?? '' },
      };
    }
    const answer = await work(trx);
    await keep(trx, request, answer);
    return { kind: 'answered', answer };
  });
}

/**
 * The lock ends with the transaction. The length of the client id keeps two different pairs from having the same name.
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
  const values = {
    request_sha256: request.sha256,
    response_status: answer.status,
    response_body: answer.body,
    created_at: sql<Date>`now()`,
  };
  await trx
    .insertInto('idempotency_keys')
    .values({ client_id: request.clientId, idempotency_key: request.key, ...values })
    .onConflict((conflict) => conflict.columns(['client_id', 'idempotency_key']).doUpdateSet(values))
    .execute();
}
