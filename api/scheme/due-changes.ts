// Applies scheme changes with an effective time within a second after that time. Every api process looks for
// due changes, and one process applies each of them.
import type { Logger } from 'pino';
import type { Db } from '../../db/pool/connection.ts';
import { applyDueChanges } from '../../db/scheme/changes.ts';
import { repeat } from '../../db/pool/repeat.ts';

const everyMs = 500;

/** @returns a function that stops the schedule after the current run */
export function startDueChanges(db: Db, logger: Logger): () => Promise<void> {
  return repeat(() => look(db, logger).then(() => everyMs));
}

async function look(db: Db, logger: Logger): Promise<void> {
  try {
    const { applied, outdated } = await applyDueChanges(db);
    if (applied > 0) logger.info({ applied }, 'changes of the scheme count from now on');
    for (const changeId of outdated) {
      logger.warn({ changeId }, 'a change of the scheme was out of date at its time, and was not made');
    }
  } catch (error) {
    logger.warn({ err: error }, 'changes of the scheme that are due could not be looked for; trying again');
  }
}
