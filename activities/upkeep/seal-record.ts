// Seals the decisions and audit events hour by hour: one worker at a time, each hour five minutes after its
// end. The digest of each seal is also logged, because an intruder in the database cannot change the log.
// Each worker remembers the newest seal that it has seen. If that seal disappears, the hours are sealed
// again, but an alert is raised.
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

/** @returns a function that stops the sealing after the current hour */
export function sealRecord(deps: Dependencies, everyMs = everyMsDefault): () => Promise<void> {
  const { db, logger } = deps;
  const [seal, look] = [openSealing(deps), watchSealing(db)];
  return repeat(async (signal) => {
    await seal(signal).catch((error: unknown) =>
      logger.warn({ err: error }, 'the record could not be sealed; trying again'),
    );
    // Check even if no seal was made: another process may be sealing for long, which is no failure.
    await look().catch(() => undefined); // If the database is unreachable, the next check reports.
    return everyMs;
  });
}

/**
 * Returns a function that seals all hours that are due. It is called periodically.
 * @internal exported for tests
 */
export function openSealing({ db, logger, signer }: Dependencies): (signal: AbortSignal) => Promise<void> {
  let seen: SealHead | undefined;
  return async (signal) => {
    // This must come before an hour whose seal was removed is sealed again.
    await tellIfGone({ db, logger }, seen);
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
 * Milliseconds without a new seal after which an alert is raised. Sealing years of data takes only minutes.
 */
const standstillMs = 600_000;

/**
 * Returns a function that checks whether sealing makes progress. It is called periodically. It raises one
 * alert until an operator closes it, because unsealed rows can be changed undetected.
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
