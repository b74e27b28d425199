/** Makes an execution ignore requests to cancel (LIF-3). */
import { CancellationScope } from '@temporalio/workflow';
import { assert } from '../core/assert.ts';

/**
 * Runs steps out of reach of requests to cancel, which the Temporal UI offers with one click. It adds no microtask,
 * because the order of commands is part of each history.
 */
export function shielded<T>(steps: () => Promise<T>): Promise<T> {
  let result: Promise<T> | undefined;
  void CancellationScope.nonCancellable(() => {
    result = steps();
    return Promise.resolve();
  });
  assert(result !== undefined, 'a scope runs its steps at once');
  return result;
}
