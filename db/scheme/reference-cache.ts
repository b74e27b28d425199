// The reference data of a process: one snapshot in memory, read again when Postgres announces a change (REF-6). All of
// it goes over one connection of its own: an answer there proves that no change was missed. If none comes, a new
// connection is made; until then the snapshot may be used for a moment, and no longer.
import type { ReferenceData } from '../../core/scheme/reference.ts';
import { connectOne, type OneConnection } from '../pool/connection.ts';
import { ReferenceDataStale } from '../pool/failures.ts';
import { loadReferenceData } from './reference.ts';

export interface ReferenceCache {
  /**
   * The newest snapshot; at most 1 s behind the database, or 3 s when its host has just vanished.
   * @throws ReferenceDataStale from then on, until the database is back: a price or an address may have changed
   */
  readonly current: () => ReferenceData;
  readonly close: () => Promise<void>;
}

/** Milliseconds. */
export interface ReferenceLimits {
  /** Between two signs of life of the connection. */
  readonly pingMs: number;
  /** Until it is made, and until it answers; else it is given up. */
  readonly silenceMs: number;
  /** Between two tries to make it. */
  readonly retryMs: number;
  /** Age of the last proof beyond which the snapshot is not used. */
  readonly staleMs: number;
}

/** A connection that falls silent is noticed and replaced within 1.8 s; a host that is back, within 1.3 s. */
const defaultLimits: ReferenceLimits = { pingMs: 500, silenceMs: 1_000, retryMs: 250, staleMs: 3_000 };

/** What is known at a moment, and how to wake those who wait for more. */
interface State {
  snapshot: ReferenceData | undefined;
  /** When the question was put whose answer showed that the snapshot is the newest, `performance.now()`. */
  confirmedAt: number;
  hasChanged: boolean;
  isClosed: boolean;
  wake: () => void;
}

/**
 * Loads the first snapshot and starts to listen.
 * @param onError told of every lost connection and every failed try to make it again
 * @throws when the first snapshot cannot be had
 */
export async function openReferenceCache(
  databaseUrl: string,
  onError: (error: unknown) => void,
  limits: ReferenceLimits = defaultLimits,
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
    await load(connection, state); // what changed while nobody listened
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
 * Ends by an error, or when the cache is closed. A change is announced before any later answer: that makes a ping a
 * proof.
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
    // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- set by a notification meanwhile
    if (!state.hasChanged) state.confirmedAt = asked;
  }
}

/** Until something happens, or the time is over. */
function pause(state: State, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    state.wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}
