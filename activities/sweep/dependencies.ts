// Dependencies of the sweep and of the watch over deadlines.
import type { Logger } from 'pino';
import type { PaymentLocalActivities, ResolutionLocalActivities } from '../../contract/activities.ts';
import type { Db } from '../../db/pool/connection.ts';
import type { Executions } from './executions.ts';

export interface SweepDependencies {
  readonly db: Db;
  readonly executions: Executions;
  /** The sweeping process runs these itself, because they need only the record. */
  readonly activities: Pick<PaymentLocalActivities, 'validatePayment' | 'decidePayment'> &
    Pick<ResolutionLocalActivities, 'judgeResolution' | 'endResolution'>;
  readonly logger: Logger;
  readonly onFound: (kind: string, count: number) => void;
  /** Id of the sweeping process (dependencies.ts). */
  readonly workerId: string;
}
