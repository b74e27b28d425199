// What follows from a failure of an activity: called again, when, or never (TIM-3, CBK-1, SEC-9).
import { ApplicationFailureCategory } from '@temporalio/common';
import { expect, test } from 'vitest';
import { failure } from '../../activities/failures.ts';

test('what is held is called again when the gate says, and never "at once", by which the engine ends it for good', () => {
  for (const [told, afterMs] of [
    [250, 250],
    [1.2, 2],
    [0, 1],
    [-5, 1],
    [Infinity, 1],
  ] as const) {
    expect(failure('Held', 'gate-full', told).nextRetryDelay).toBe(afterMs);
  }
});

test('what has a delay of its own is called again after that', () => {
  expect(failure('AddressWithdrawn', 'no address').nextRetryDelay).toBe(1_000);
  expect(failure('KeysTaken', 'taken').nextRetryDelay).toBe(50);
  expect(failure('KeysTaken', 'taken').nonRetryable).toBe(false);
});

test('what comes too late, and what we cannot even answer, is not called again; the latter is an error (SEC-9)', () => {
  const late = failure('TooLate', 'past the deadline');
  const defect = failure('Defect', 'in no way');
  expect([late, defect].map((one) => [one.type, one.nonRetryable])).toEqual([
    ['TooLate', true],
    ['Defect', true],
  ]);
  expect(late.category).toBe(ApplicationFailureCategory.BENIGN);
  expect(defect.category).not.toBe(ApplicationFailureCategory.BENIGN);
});
