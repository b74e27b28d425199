// The reference data of a process: one snapshot in memory, reloaded when Postgres notifies a change (REF-6).
// Loading, listening and pings share one dedicated connection. An answer on that connection proves that no
// notification was missed. If no answer comes, the cache reconnects. Meanwhile the snapshot may be used for
// at most `staleMs`.
import type { ReferenceData } from '../../core/scheme/reference.ts';
import { connectOne, type OneConnection } from '../pool/connection.ts';
import { ReferenceDataStale } from '../pool/failures.ts';
import { loadReferenceData } from './reference.ts';

export interface ReferenceCache {
  /**
   * The newest snapshot. It is at most 1 s behind the database, or 3 s if the database host has just
   * vanished.
   * @throws ReferenceDataStale if the snapshot is older, until the database is back, because a price or an
   *   address may have changed
   */
  readonly current: () => ReferenceData;
  readonly close: () => Promise<void>;
}

/** Intervals and limits in milliseconds. */
export interface ReferenceLimits {
  /** Interval between two pings on the connection. */
  readonly pingMs: number;
  /** Timeout for connecting and for each answer. After that the cache replaces the connection. */
  readonly silenceMs: number;
  /** Pause between two attempts to connect. */
  readonly retryMs: number;
  /** A snapshot must not be used if it was last confirmed longer ago than this. */
  readonly staleMs: number;
}

/**
 * With these limits, the cache replaces a silent connection within 1.8 s, and notices within 1.3 s that a
 * host is back.
 * @internal exported for tests
 */
export const referenceLimits: ReferenceLimits = {
  pingMs: 500,
  silenceMs: 1_000,
  retryMs: 250,
  staleMs: 3_000,
};

interface State {
  snapshot: ReferenceData | undefined;
  /**
   * `performance.now()` just before the last query whose answer confirmed that the snapshot is the newest.
   */
  confirmedAt: number;
  hasChanged: boolean;
  isClosed: boolean;
  wake: () => void;
}

/**
 * Loads the first snapshot and starts to listen.
 * @param onError called with each lost connection and each failed attempt to reconnect
 * @throws if the first snapshot cannot be loaded
 */
export async function openReferenceCache(
  databaseUrl: string,
  onError: (error: unknown) => void,
  limits: ReferenceLimits = referenceLimits,
): Promise<ReferenceCache> {
  const state: State = {
    snapshot: undefined,
    confirmedAt: -Infinity,
    hasChanged: false,
    isClosed: false,
    wake: () => undefined,
  };
  async function watch(first: OneConnection): Promise<void> {
    let connection: OneConnection | undefined = first;
    while (!state.isClosed) {
      try {
        connection ??= await listen(databaseUrl, state, limits);
        await follow(connection, state, limits);
      } catch (error) {
        onError(error);
        await connection?.client.end();
        connection = undefined;
        await pause(state, limits.retryMs);
      }
    }
    await connection?.client.end();
  }
  const watching = watch(await listen(databaseUrl, state, limits));
  return {
    current: () => {
      const isFresh = performance.now() - state.confirmedAt <= limits.staleMs;
      if (isFresh && state.snapshot !== undefined) return state.snapshot;
      throw new ReferenceDataStale('the database has not confirmed the reference data for seconds');
    },
    close: async () => {
      state.isClosed = true;
      state.wake();
      await watching;
    },
  };
}

/** For `onError` of a service: each is a line of its log. */
export const tellStale =
  (logger: { readonly warn: (about: object, says: string) => void }) =>
  (err: unknown): void => {
    logger.warn({ err }, 'reference data could not be refreshed; trying again');
  };

async function listen(databaseUrl: string, state: State, limits: ReferenceLimits): Promise<OneConnection> {
  const connection = await connectOne(databaseUrl, {
    applicationName: 'isthmus-listener',
    limits: { connectMs: limits.silenceMs, answerMs: limits.silenceMs },
  });
  connection.client.on('notification', () => {
    state.hasChanged = true;
    state.wake();
  });
  try {
    await connection.client.query('listen reference_data');
    await load(connection, state); // includes changes made before the connection listened
    return connection;
  } catch (error) {
    await connection.client.end();
    throw error;
  }
}

async function load({ db }: OneConnection, state: State): Promise<void> {
  const asked = performance.now();
  state.hasChanged = false;
  state.snapshot = await loadReferenceData(db);
  state.confirmedAt = asked;
}

/**
 * Follows changes until an error, or until the cache is closed. Postgres sends a notification before any later answer,
 * so the answer to a ping proves that none was missed.
 */
async function follow(connection: OneConnection, state: State, limits: ReferenceLimits): Promise<void> {
  while (!state.isClosed) {
    if (state.hasChanged) {
      await load(connection, state);
      continue;
    }
    const ended = (): void => state.wake();
    connection.client.once('end', ended);
    await pause(state, limits.pingMs);
    connection.client.off('end', ended);
    const asked = performance.now();
    await connection.client.query('select 1');
    // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- a notification may have set it meanwhile
    if (!state.hasChanged) state.confirmedAt = asked;
  }
}

function pause(state: State, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    state.wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}
