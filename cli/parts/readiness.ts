// Whether a worker takes work: asked of the Temporal server, which knows who polls, so that the first payment of a demo
// does not wait for a worker that is still starting.
import { Connection, isGrpcDeadlineError } from '@temporalio/client';
import { taskQueues } from '../../contract/ids.ts';

const callTimeoutMs = 5_000;

/** Connects when it is first asked. */
export function awaitsWorker(at: { readonly temporalAddress: string; readonly temporalNamespace: string }) {
  let connection: Connection | undefined;
  return {
    /** Whether that process polls for workflow tasks; it begins to poll for activities at the same moment. */
    isPolling: async (pid: number): Promise<boolean> => {
      connection ??= await Connection.connect({ address: at.temporalAddress, connectTimeout: '10 s' });
      const { workflowService } = connection;
      const asked = {
        namespace: at.temporalNamespace,
        taskQueue: { name: taskQueues.payments },
      };
      try {
        const { pollers } = await connection.withDeadline(Date.now() + callTimeoutMs, () =>
          workflowService.describeTaskQueue(asked),
        );
        return pollers.some((poller) => poller.identity?.startsWith(`${pid}@`) === true); // the SDK's own identity
      } catch (error) {
        if (isGrpcDeadlineError(error)) return false; // a busy machine: it is asked again
        throw error;
      }
    },
    close: async (): Promise<void> => {
      await connection?.close();
    },
  };
}
