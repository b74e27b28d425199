// Tests let time pass by changing what is on record. Nobody else may: the database refuses it (LIF-1), except to a
// superuser who says so.
import { sql, type CompiledQuery, type QueryResult, type RawBuilder } from 'kysely';
import type { Db } from '../../db/pool/connection.ts';

/** @param statement changes or removes records that are insert-only */
export function rewritten<Row>(
  db: Db,
  statement: { compile(db: Db): CompiledQuery<Row> },
): Promise<QueryResult<Row>> {
  const rewrite = async (transaction: Db): Promise<QueryResult<Row>> => {
    await sql`set local session_replication_role = replica`.execute(transaction); // no triggers
    const result = await transaction.executeQuery(statement.compile(db));
    await sql`set local session_replication_role = origin`.execute(transaction);
    return result;
  };
  return db.isTransaction ? rewrite(db) : db.transaction().execute(rewrite);
}

const inMs = (ms: number) => sql`clock_timestamp() + ${ms} * interval '1 millisecond'`;

/** As if the gateway had accepted it so long ago, by the database clock. */
export const acceptedAgo = (db: Db, uetr: string, ms: number) =>
  rewritten(db, sql`update payments set judged_at = ${inMs(-ms)} where uetr = ${uetr}`);

/** As if they were HIGH, with so long until their deadline, by the database clock. */
export const dueIn = (db: Db, uetrs: readonly string[], ms: number) =>
  rewritten(
    db,
    sql`update payments set priority = 'HIGH', deadline_at = ${inMs(ms)} where uetr = any(${uetrs}::uuid[])`,
  );

/**
 * As if these messages had been stored so long before.
 * @param which condition on `messages`
 * @param by as in `5 seconds`
 */
export const messagesAged = (db: Db, which: RawBuilder<unknown>, by: string) =>
  rewritten(
    db,
    sql`
    with aged as (
      update messages set created_at = created_at - ${by}::interval where ${which} returning message_id)
    update message_bodies set created_at = created_at - ${by}::interval
    where message_id in (select message_id from aged)`,
  );
