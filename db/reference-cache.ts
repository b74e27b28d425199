// The reference data of a process: one snapshot in memory, reloaded when Postgres tells of a change (REF-6).
// Should the listening connection be lost, the snapshot is reloaded every half second until it is back.
import pg from 'pg';
import type { ReferenceData } from '../core/reference.ts';
import type { Db } from './connection.ts';
import { loadReferenceData } from './reference.ts';

export interface ReferenceCache {
  /** The newest snapshot; at most 1 s behind the database. */
  readonly current: () => ReferenceData;
  readonly close: () => Promise<void>;
}

/** Milliseconds. */
export interface ReferenceLimits {
  /** Between two signs of life of the listening connection. */
  readonly pingMs: number;
  /** Without an answer for so long the listening connection is given up. */
  readonly silenceMs: number;
  /** Between two tries to listen again. */
  readonly retryMs: number;
  /** A snapshot that was not confirmed for so long is not used. */
  readonly staleMs: number;
}

const defaultLimits: ReferenceLimits = { pingMs: 500, silenceMs: 1_000, retryMs: 500, staleMs: 3_000 };

/**
 * Loads the first snapshot and starts to listen.
 * @param onError told of every failed reload or lost connection, which are tried again
 */
export async function openReferenceCache(
  db: Db,
  databaseUrl: string,
  onError: (error: unknown) => void,
  limits: ReferenceLimits = defaultLimits,
): Promise<ReferenceCache> {
  let snapshot = await loadReferenceData(db);
  let closed = false;
  let listener: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let again = false;

  /** One reload at a time; a change that comes during a reload causes one more. */
  function reload(): Promise<void> {
    if (running) {
      again = true;
      return running;
    }
    running = (async () => {
      do {
        again = false;
        snapshot = await loadReferenceData(db);
        // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- set by a notification meanwhile
      } while (again && !closed);
    })().finally(() => {
      running = undefined;
    });
    return running;
  }

  async function listen(): Promise<void> {
    const client = new pg.Client({ connectionString: databaseUrl, application_name: 'isthmus-listener' });
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', () => {
      reload().catch(onError);
    });
    listener = client;
    await client.connect();
    await client.query('listen reference_data');
    await reload(); // what changed while nobody listened
  }

  function lost(error?: unknown): void {
    if (closed || timer) return;
    if (error !== undefined) onError(error);
    listener?.removeAllListeners();
    listener?.on('error', () => undefined);
    void listener?.end().catch(() => undefined);
    listener = undefined;
    timer = setTimeout(() => {
      timer = undefined;
      reload()
        .then(listen)
        .catch((failure: unknown) => {
          lost(failure);
        });
    }, limits.retryMs);
  }

  await listen();
  return {
    current: () => snapshot,
    close: async () => {
      closed = true;
      clearTimeout(timer);
      await running?.catch(() => undefined);
      await listener?.end();
    },
  };
}
