// The one Temporal server of a test run, shared by all files; each file has task queues of its own.
import { randomUUID } from 'node:crypto';
import { askFor } from './offers.ts';
import './workflow-threads.ts';

export interface TestTemporal {
  /** host:port of the frontend; for `TestWorkflowEnvironment.createFromExistingServer` too. */
  readonly address: string;
  readonly namespace: string;
  /** A task queue that no other test file polls; the same name gives the same queue. */
  taskQueue(name: string): string;
}

/** Call it at the top of a test file: `const temporal = await testTemporal()`. */
export async function testTemporal(): Promise<TestTemporal> {
  const { address } = await askFor('temporal');
  const file = randomUUID().slice(0, 8);
  return { address, namespace: 'default', taskQueue: (name) => `${name}-${file}` };
}

/** The workflow code, bundled once per run: for a worker's `workflowBundle` option. */
export async function testWorkflowBundle(): Promise<{ readonly codePath: string }> {
  return askFor('workflow-bundle');
}
