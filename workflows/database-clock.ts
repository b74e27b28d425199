/**
 * The database's clock decides for a payment. An execution sees only the engine's clock, so it remembers by how much
 * the database's clock was ahead at the last reading.
 */

interface Clocked {
  /** Milliseconds by which the database's clock is ahead of the engine's. */
  clockAheadMs: number;
}

/** Milliseconds since 1970 by the database clock, estimated from the last reading. */
export function now({ clockAheadMs }: Clocked): number {
  return Date.now() + clockAheadMs;
}

/** @param databaseNow milliseconds since 1970 by the database clock, at this moment */
export function setClock(clocked: Clocked, databaseNow: number): void {
  clocked.clockAheadMs = databaseNow - Date.now();
}
