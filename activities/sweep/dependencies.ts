// What the sweep and the watch over deadlines work with.
import type { Logger } from 'pino';
import type { PaymentLocalActivities, ResolutionLocalActivities } from '../../contract/activities.ts';
import type { Db } from '../../db/pool/connection.ts';
import type { Executions } from './executions.ts';

export interface SweepDependencies {
  readonly db: Db;
  readonly executions: Executions;
  /** What the record alone suffices for is done by the process that sweeps. */
  readonly activities: Pick<PaymentLocalActivities, 'validatePayment' | 'decidePayment'> &
    Pick<ResolutionLocalActivities, 'judgeResolution' | 'endResolution'>;
  /**
   * Begins to tell the parties, from this process too, what was decided about a HIGH payment at its deadline: a worker
   * that stands still may hold the tasks of its executions. What fails stays due.
   */
  readonly tellNow: (uetr: string) => void;
  readonly logger: Logger;
  /** Counts what it found (OBS-2). */
  readonly onFound: (kind: string, count: number) => void;
  /** Of the process that sweeps (dependencies.ts). */
  readonly workerId: string;
}
