// The clock of this process and that of its database, moved together, as days pass; and the database's by itself.
import { afterAll, vi } from 'vitest';
import type { Db } from '../../db/pool/connection.ts';
import { movableClock } from './database-clock.ts';

interface BothClocks {
  /** Milliseconds since 1970, of both. */
  readonly set: (at: number) => Promise<void>;
  /** Of the database alone. */
  readonly setDatabase: (at: number) => Promise<void>;
}

/** Call it at the top of a test file, before it opens the connections that are to see it. */
export async function bothClocks(db: Db): Promise<BothClocks> {
  const setAhead = await movableClock(db);
  const trueNow = () => performance.timeOrigin + performance.now();
  vi.useFakeTimers({ toFake: ['Date'] });
  afterAll(() => vi.useRealTimers());
  const setDatabase = (at: number) => setAhead(Math.round(at - trueNow()));
  return {
    setDatabase,
    set: async (at) => {
      vi.setSystemTime(at);
      await setDatabase(at);
    },
  };
}
