// The threads in which workers run workflow code, kept from one worker of this process for the next: to load the code
// of the SDK into a thread takes a quarter of a second of a processor, for each of the two hundred workers of a run. A
// worker has its thread alone, as in production, and gives it back empty when it has ended.
import { Worker } from '@temporalio/worker';

/** What the SDK makes of its options for a worker (@temporalio/worker, worker.js). */
interface CompiledOptions {
  readonly activities: ReadonlyMap<string, unknown>;
  readonly isolateExecutionTimeoutMs: number;
  readonly workflowThreadPoolSize: number;
  readonly debugMode: boolean;
  readonly reuseV8Context?: boolean;
  readonly patchActivationCallback?: unknown;
}

interface Workflow {
  dispose(): Promise<void>;
}

interface Thread {
  readonly workerExited: boolean;
  readonly workerThread: { ref(): void; unref(): void };
}

/** What makes workflows in its threads for one worker. */
interface Creator {
  readonly workerThreadClients?: readonly Thread[];
  createWorkflow(options: unknown): Promise<Workflow>;
  destroy(): Promise<void>;
}

type Create = (
  bundle: { readonly code: string },
  options: CompiledOptions,
  logger: unknown,
) => Promise<Creator>;

interface Idle {
  readonly key: readonly unknown[];
  readonly creator: Creator;
}

const sdk = Worker as unknown as { createWorkflowCreator: Create };
const create: Create = sdk.createWorkflowCreator.bind(Worker);
const idle: Idle[] = [];

/** Of workers that have ended, in this process. */
export const idleThreads = (): number => idle.length;

/** Everything that a thread is told when it begins. */
const keyOf = ({ code }: { readonly code: string }, options: CompiledOptions): readonly unknown[] => [
  options.isolateExecutionTimeoutMs,
  options.workflowThreadPoolSize,
  options.reuseV8Context,
  [...options.activities.keys()].toSorted().join(),
  code,
];

sdk.createWorkflowCreator = async (bundle, options, logger) => {
  if (options.debugMode || options.patchActivationCallback !== undefined)
    return create(bundle, options, logger);
  const key = keyOf(bundle, options);
  const found = idle.findIndex((one) => one.key.every((part, index) => part === key[index]));
  const [kept] = found < 0 ? [] : idle.splice(found, 1);
  for (const { workerThread } of kept?.creator.workerThreadClients ?? []) workerThread.ref();
  return lent(key, kept?.creator ?? (await create(bundle, options, logger)));
};

/** For one worker: what it ends is kept, without its workflows. */
function lent(key: readonly unknown[], creator: Creator): Creator {
  const open = new Set<Workflow>();
  return {
    createWorkflow: async (options) => {
      const workflow = await creator.createWorkflow(options);
      open.add(workflow);
      const dispose = workflow.dispose.bind(workflow);
      workflow.dispose = () => {
        open.delete(workflow);
        return dispose();
      };
      return workflow;
    },
    destroy: async () => {
      await Promise.all([...open].map((workflow) => workflow.dispose()));
      const threads = creator.workerThreadClients ?? [];
      if (threads.length === 0 || threads.some(({ workerExited }) => workerExited)) return creator.destroy();
      for (const { workerThread } of threads) workerThread.unref(); // no reason for the process to stay
      idle.push({ key, creator });
    },
  };
}
