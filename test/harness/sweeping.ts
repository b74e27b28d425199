// The sweep of a worker of which the rest is not there: it starts executions again, and decides and judges nothing.
import { NativeConnection } from '@temporalio/worker';
import type { Logger } from 'pino';
import { type SweepDependencies, openExecutions } from '../../activities/sweep/executions.ts';
import { startSweep, type SweepOptions } from '../../activities/sweep/sweep.ts';
import type { TestGateway } from './gateway.ts';

const nothing = () => Promise.reject(new Error('there is nothing to decide or to judge'));
const activities: SweepDependencies['activities'] = {
  validatePayment: nothing,
  decidePayment: nothing,
  judgeResolution: nothing,
  endResolution: nothing,
};

/**
 * @param address of the engine, as this one reaches it
 * @returns how to stop it
 */
export async function sweepThrough(
  { db, config, taskQueuePrefix }: TestGateway,
  address: string,
  { logger, workerId, ...options }: SweepOptions & { readonly logger: Logger; readonly workerId: string },
): Promise<() => Promise<void>> {
  const connection = await NativeConnection.connect({
    address,
    grpcCompression: { codec: 'none' }, // as a worker's
  });
  const executions = openExecutions(connection, { namespace: config.temporal.namespace, taskQueuePrefix });
  const onFound = () => undefined;
  const stop = startSweep({ db, executions, activities, logger, workerId, onFound }, options);
  return async () => {
    await stop();
    await connection.close();
  };
}
