/** What every execution keeps to, whatever is done to it from outside: a request to cancel changes nothing (LIF-3). */
import { CancellationScope } from '@temporalio/workflow';
import { assert } from '../core/assert.ts';

/**
 * Runs steps that no request to cancel reaches; the operators' UI offers one with a click. It adds no turn of its own,
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
