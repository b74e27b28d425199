/**
 * The clock that counts for a payment is the database's. An execution knows the engine's, and how far the other
 * was ahead of it when last heard of.
 */

interface Clocked {
  /** Milliseconds by which the database's clock is ahead of the engine's. */
  clockAheadMs: number;
}

/** Milliseconds since 1970 by the database clock, as far as this execution knows. */
export function now({ clockAheadMs }: Clocked): number {
  return Date.now() + clockAheadMs;
}

/** @param databaseNow milliseconds since 1970 by the database clock, at this moment */
export function setClock(clocked: Clocked, databaseNow: number): void {
  clocked.clockAheadMs = databaseNow - Date.now();
}
