// Tells a database that cannot be reached, was too slow or asks for another try from a defect of ours. A payment is
// never rejected for such a failure: the code that meets one waits and tries again.
import pg from 'pg';

/**
 * SQLSTATE: what the state of the server, of its host or of other sessions brings about, never what was asked. 08
 * connection, 53 resources (a full disk, too many connections), 57 operator (statement timeout, shutting down, starting
 * up), 58 system; 25006 read-only (a demoted primary), 25P03 and 25P04 (our transaction took too long), 26000 (the
 * server has forgotten a prepared statement), 40001, 40003 and 40P01 (another try is asked for), 42501 (our role lacks a
 * right: SEC-6), 55P03 (a lock was not free).
 */
const serverStates = /^(08|53|57|58|25006|25P0[34]|26000|4000[13]|40P01|42501|55P03)/;
/** Of `pg` and its pool, which give them neither class nor code. */
const poolMessages = /^timeout exceeded when trying to connect$|^Connection terminated|not queryable$/;

/** The server did not answer within the limit; what it was asked to do may have been done. */
export class DatabaseSilent extends Error {
  override readonly name = 'DatabaseSilent';
}

/** It is no longer known whether the reference data at hand is that of the database. */
export class ReferenceDataStale extends Error {
  override readonly name = 'ReferenceDataStale';
}

/** The clock of the database cannot be believed: that of this process is far behind it. */
export class ClocksApart extends Error {
  override readonly name = 'ClocksApart';
}

/** This process lacks the key of something that is sealed: another one may have it. */
export class SealingKeyMissing extends Error {
  override readonly name: string = 'SealingKeyMissing';

  /** Of SEALING_KEYS; undefined: it is not about something that is to be opened. */
  readonly keyId: string | undefined;

  constructor(message: string, keyId?: string) {
    super(message);
    this.keyId = keyId;
  }
}

/**
 * SQLSTATE after which every further query of the connection would fail too: 25006, the server is no longer the
 * primary; 26000, it has forgotten our prepared statements.
 */
const uselessAfter = new Set(['25006', '26000']);

const ownFailures = [DatabaseSilent, ReferenceDataStale, ClocksApart, SealingKeyMissing] as const;
const marked = new WeakSet<Error>();

/** For an error that a connection to Postgres met: a socket's, or any error while it was being made. */
export function markDatabaseFailure(error: Error): void {
  marked.add(error);
}

/** Of ours (held_data_key): what was to be stored is sealed under a key that is not there; sealed anew, it may be stored. */
const dataKeyGone = 'IS001';

export const isDataKeyGone = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === dataKeyGone;

/** Whether the database could not be reached, was too slow, or asked for another try. */
export function isDatabaseFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (marked.has(error) || ownFailures.some((kind) => error instanceof kind)) return true;
  if (error instanceof pg.DatabaseError)
    return serverStates.test(error.code ?? '') || error.code === dataKeyGone;
  return poolMessages.test(error.message);
}

/**
 * Whether a new connection is wanted after that error: the server has closed this one, or it leads to the wrong server.
 */
export function endsConnection(error: unknown): error is pg.DatabaseError {
  if (!(error instanceof pg.DatabaseError)) return false;
  return error.severity === 'FATAL' || uselessAfter.has(error.code ?? '');
}

/**
 * Takes out of an error of the server what was asked with or stored: it goes on into logs and into Temporal.
 * Its code, table, column and constraint stay. Class 22 tells the value in the message itself.
 */
export function withoutValues(error: unknown): void {
  if (!(error instanceof pg.DatabaseError)) return;
  error.detail = error.where = error.internalQuery = undefined;
  if (!error.code?.startsWith('22')) return;
  const told = `data exception ${error.code} in ${error.routine ?? 'the server'}`;
  error.stack = (error.stack ?? '').replace(error.message, () => told);
  error.message = told;
}
