// Whether a worker takes work: asked of the Temporal server, which knows who polls, so that the first payment of a demo
// does not wait for a worker that is still starting.
import { Connection } from '@temporalio/client';
import { taskQueues } from '../contract/ids.ts';

/** Connects when it is first asked. */
export function awaitsWorker(at: { readonly temporalAddress: string; readonly temporalNamespace: string }) {
  let connection: Connection | undefined;
  return {
    /** Whether that process polls for workflow tasks; it begins to poll for activities at the same moment. */
    isPolling: async (pid: number): Promise<boolean> => {
      connection ??= await Connection.connect({ address: at.temporalAddress, connectTimeout: '10 s' });
      const { pollers } = await connection.workflowService.describeTaskQueue({
        namespace: at.temporalNamespace,
        taskQueue: { name: taskQueues.payments },
      });
      return pollers.some((poller) => poller.identity?.startsWith(`${pid}@`) === true); // the SDK's own identity
    },
    close: async (): Promise<void> => {
      await connection?.close();
    },
  };
}
