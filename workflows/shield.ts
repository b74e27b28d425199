/** Makes an execution ignore cancel requests (LIF-3). */
import { CancellationScope } from '@temporalio/workflow';
import { assert } from '../core/assert.ts';

/**
 * Runs steps so that cancel requests cannot reach them. The Temporal UI offers such a request with one click.
 * It adds no microtask, because the order of commands is part of each history.
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
