// Seals what was decided and what happened, hour by hour (SEC-6): one worker at a time, each hour five minutes after its end.
// The digest of each seal is a line of the log, so that it is also where no writer of the database reaches.
import { alertUnlessOpen } from '../db/audit.ts';
import { hoursUnsealed, sealNextHour } from '../db/audit-seals.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { repeat } from './repeat.ts';

type Dependencies = Pick<ActivityDependencies, 'db' | 'logger' | 'signer'>;

const everyMs = 60_000;
/** An hour is sealed five minutes after its end; what is two hours late has a cause that stays. */
const lateHours = 3;

/** @returns how to stop it, after the hour that it is at */
export function sealRecord({ db, logger, signer }: Dependencies): () => Promise<void> {
  const sealAll = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      const sealed = await sealNextHour(db, (digest) => signer.sign(digest));
      if (sealed === undefined) return;
      const { until, digest, rows } = sealed;
      logger.info({ until, digest: digest.toString('hex'), rows }, 'record sealed');
    }
  };
  return repeat(async (signal) => {
    await sealAll(signal).catch(async (error: unknown) => {
      logger.warn({ err: error }, 'the record could not be sealed; trying again');
      await tellIfLate(db).catch(() => undefined); // the database is away: the next try tells
    });
    return everyMs;
  });
}

/**
 * One alert, until an operator closes it: what is not sealed can be changed unseen.
 * @internal exported for tests
 */
export async function tellIfLate(db: Dependencies['db']): Promise<void> {
  if ((await hoursUnsealed(db)) > lateHours) await alertUnlessOpen(db, { kind: 'record.unsealed' });
}
