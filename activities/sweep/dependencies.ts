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
  readonly logger: Logger;
  /** Counts what it found. */
  readonly onFound: (kind: string, count: number) => void;
  /** Of the process that sweeps (dependencies.ts). */
  readonly workerId: string;
}
