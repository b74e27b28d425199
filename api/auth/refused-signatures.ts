// Counts messages that were refused for their signature, so that a payment system sees what is sent in its
// name. Counts are kept in memory and stored once a second, so that no request waits for them.
import type { Logger } from 'pino';
import type { Db } from '../../db/pool/connection.ts';
import { repeat } from '../../db/pool/repeat.ts';
import { addRefusedSignatures, type SignatureCount } from '../../db/records/refused-signatures.ts';

const storeEveryMs = 1_000;
const longestWhy = 500; // a reason may quote the request

export interface SignatureCounts {
  /** Counts one refused message in the name of a payment system. */
  readonly note: (clearingSystemId: string, why: string) => void;
  /** Stores the last counts. */
  readonly close: () => Promise<void>;
}

export function countRefusedSignatures(db: Db, logger: Pick<Logger, 'debug'>): SignatureCounts {
  let counts = new Map<string, SignatureCount>(); // by day and payment system

  async function store(): Promise<void> {
    if (counts.size === 0) return;
    const taken = counts;
    counts = new Map();
    try {
      await addRefusedSignatures(db, [...taken.values()]);
    } catch (error) {
      for (const [key, one] of taken) {
        const since = counts.get(key);
        counts.set(key, since === undefined ? one : { ...since, number: since.number + one.number });
      }
      logger.debug({ err: error }, 'refused signatures could not be counted; trying again');
    }
  }

  const stop = repeat(() => store().then(() => storeEveryMs));
  return {
    note: (partyId, why) => {
      const lastAt = new Date();
      const day = lastAt.toISOString().slice(0, 10);
      const key = `${day} ${partyId}`;
      const number = (counts.get(key)?.number ?? 0) + 1;
      counts.set(key, { partyId, day, number, lastAt, lastWhy: why.slice(0, longestWhy) });
    },
    close: async () => {
      await stop();
      await store();
    },
  };
}
