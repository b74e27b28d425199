// Tests let time pass by changing what is on record. Nobody else may: the database refuses it (LIF-1), except to a
// superuser who says so.
import { sql, type CompiledQuery, type QueryResult } from 'kysely';
import type { Db } from '../../db/connection.ts';

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
