// Seals what was decided and what happened, hour by hour: one worker at a time, each hour five minutes after its end.
// The digest of each seal is a line of the log, so that it is also where no writer of the database reaches. Each worker
// remembers the newest seal that it has seen: who removes it has the record sealed anew, but not unheard.
import { alertUnlessOpen } from '../../db/records/audit.ts';
import {
  isSealThere,
  newestSeal,
  sealedSoFar,
  sealNextHour,
  type SealHead,
} from '../../db/records/audit-seals.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { repeat } from '../../db/pool/repeat.ts';

type Dependencies = Pick<ActivityDependencies, 'db' | 'logger' | 'signer'>;

const everyMsDefault = 60_000;

/** @returns how to stop it, after the hour that it is at */
export function sealRecord(deps: Dependencies, everyMs = everyMsDefault): () => Promise<void> {
  const { db, logger } = deps;
  const [seal, look] = [openSealing(deps), watchSealing(db)];
  return repeat(async (signal) => {
    await seal(signal).catch((error: unknown) =>
      logger.warn({ err: error }, 'the record could not be sealed; trying again'),
    );
    // whatever came of it: that another process has the turn is no failure, and may last
    await look().catch(() => undefined); // the database is away: the next look tells
    return everyMs;
  });
}

/**
 * To be called again and again.
 * @internal exported for tests
 */
export function openSealing({ db, logger, signer }: Dependencies): (signal: AbortSignal) => Promise<void> {
  let seen: SealHead | undefined;
  return async (signal) => {
    await tellIfGone({ db, logger }, seen); // before the hour is sealed anew
    while (!signal.aborted) {
      const sealed = await sealNextHour(db, (digest) => signer.sign(digest));
      if (sealed === undefined) break;
      const { until, digest, rows } = sealed;
      logger.info({ until, digest: digest.toString('hex'), rows }, 'record sealed');
      seen = sealed;
    }
    const newest = await newestSeal(db);
    seen = newest;
    if (newest?.isAhead === true)
      throw new Error(`nothing is sealed: there is a seal until ${newest.until}, which has not come`);
  };
}

async function tellIfGone(
  { db, logger }: Pick<Dependencies, 'db' | 'logger'>,
  seen: SealHead | undefined,
): Promise<void> {
  if (seen === undefined || (await isSealThere(db, seen))) return;
  const detail = { until: seen.until, digest: seen.digest.toString('hex') };
  logger.error(detail, 'a seal of the record is gone');
  await alertUnlessOpen(db, { kind: 'record.seals-missing', detail });
}

/**
 * For which nothing more is sealed while a process looks on: a record of years that has no seal yet, or was left for long, is
 * sealed in minutes, by whichever worker has the turn.
 */
const standstillMs = 600_000;

/**
 * To be called again and again. One alert, until an operator closes it: what is not sealed can be changed unseen.
 * @internal exported for tests
 */
export function watchSealing(db: Dependencies['db']): () => Promise<void> {
  let seen: { readonly until: string | null; readonly sinceMs: number } | undefined;
  return async () => {
    const { until, isLate } = await sealedSoFar(db);
    if (seen?.until !== until) seen = { until, sinceMs: performance.now() };
    if (isLate && performance.now() - seen.sinceMs >= standstillMs)
      await alertUnlessOpen(db, { kind: 'record.unsealed' });
  };
}
