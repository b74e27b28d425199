// Distinguishes database outages (unreachable, too slow, asks for a retry) from defects in our code. A
// payment is never rejected because of an outage: the code waits and retries.
import pg from 'pg';

/**
 * SQLSTATE codes that are caused by the state of the server, its host or other sessions, never by our statement:
 * - 08 connection; 53 resources (a full disk, too many connections); 58 system
 * - 57 operator intervention (statement timeout, shutting down, starting up)
 * - 25006 read-only (a demoted primary); 25P03 and 25P04 (our transaction took too long)
 * - 26000 (the server has forgotten a prepared statement); 40001, 40003 and 40P01 (retry); 55P03 (a lock was not free)
 * - 42501 (our role lacks a right: SEC-6)
 */
const serverStates = /^(08|53|57|58|25006|25P0[34]|26000|4000[13]|40P01|42501|55P03)/;
/** Messages of errors of `pg` and its pool that have neither a class nor a code. */
const poolMessages = /^timeout exceeded when trying to connect$|^Connection terminated|not queryable$/;

/** The server did not answer within the limit. It may still have executed the statement. */
export class DatabaseSilent extends Error {
  override readonly name = 'DatabaseSilent';
}

/** The cached reference data may be out of date, because this process cannot see changes in the database. */
export class ReferenceDataStale extends Error {
  override readonly name = 'ReferenceDataStale';
}

/** The database clock is too far ahead of the clock of this process to be trusted. */
export class ClocksApart extends Error {
  override readonly name = 'ClocksApart';
}

/** This process lacks the key that wraps sealed data. Another process may have it. */
export class SealingKeyMissing extends Error {
  override readonly name: string = 'SealingKeyMissing';

  /** Id of the missing key of SEALING_KEYS; undefined if the key is needed for sealing, not for opening. */
  readonly keyId: string | undefined;

  constructor(message: string, keyId?: string) {
    super(message);
    this.keyId = keyId;
  }
}

/**
 * After these errors no query on the connection works: the server is no longer the primary, or has forgotten
 * its prepared statements.
 */
const uselessAfter = new Set(['25006', '26000']);

const ownFailures = [DatabaseSilent, ReferenceDataStale, ClocksApart, SealingKeyMissing] as const;
const marked = new WeakSet<Error>();

/** Marks an error as a database outage: a socket error, or any error while connecting. */
export function markDatabaseFailure(error: Error): void {
  marked.add(error);
}

/**
 * SQLSTATE that held_data_key() raises for a deleted key. The data must be sealed with another key and stored
 * again.
 */
const dataKeyGone = 'IS001';

export const isDataKeyGone = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === dataKeyGone;

/** Whether the database was unreachable, too slow, or asked for a retry. */
export function isDatabaseFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (marked.has(error) || ownFailures.some((kind) => error instanceof kind)) return true;
  if (error instanceof pg.DatabaseError)
    return serverStates.test(error.code ?? '') || error.code === dataKeyGone;
  return poolMessages.test(error.message);
}

/** Whether the connection is useless: the server has closed it, or it leads to the wrong server. */
export function endsConnection(error: unknown): error is pg.DatabaseError {
  if (!(error instanceof pg.DatabaseError)) return false;
  return error.severity === 'FATAL' || uselessAfter.has(error.code ?? '');
}

/**
 * Removes data values from a server error, because errors go into logs and Temporal. Keeps code, table,
 * column and constraint. The message of an error of class 22 contains the value, so the message is replaced.
 */
export function withoutValues(error: unknown): void {
  if (!(error instanceof pg.DatabaseError)) return;
  error.detail = error.where = error.internalQuery = undefined;
  if (!error.code?.startsWith('22')) return;
  const told = `data exception ${error.code} in ${error.routine ?? 'the server'}`;
  error.stack = (error.stack ?? '').replace(error.message, () => told);
  error.message = told;
}
