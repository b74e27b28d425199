// When a failed delivery is tried again and when it is given up (CBK-1); when what is asked is sent again (TIM-3).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextAttempt, retryDelayMs, type FailedAttempt } from '../../../core/deliveries/delivery-schedule.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const failed = (values: Partial<FailedAttempt> = {}): FailedAttempt => ({
  attempts: 1,
  elapsedMs: 0,
  httpStatus: null,
  retryAfterMs: null,
  random: 0.5, // no variation
  ...values,
});

test('the delays are 1, 2, 5, 10, 30 s, 1, 2, 5, 15, 30 min, 1, 2, 4, 8 h, then every 8 h', () => {
  const delays = Array.from({ length: 17 }, (_, index) => {
    const next = nextAttempt(failed({ attempts: index + 1 }));
    return next.kind === 'retry' ? next.inMs : next.reason;
  });
  expect(delays).toEqual([
    ...[1, 2, 5, 10, 30].map((count) => count * second),
    ...[1, 2, 5, 15, 30].map((count) => count * minute),
    ...[1, 2, 4, 8, 8, 8, 8].map((count) => count * hour),
  ]);
});

test('each delay is varied by at most 20 %, and never by more', () => {
  const least = nextAttempt(failed({ attempts: 4, random: 0 }));
  const most = nextAttempt(failed({ attempts: 4, random: 1 }));
  expect([least, most]).toEqual([
    { kind: 'retry', inMs: 8_000 },
    { kind: 'retry', inMs: 12_000 },
  ]);
});

describe('Retry-After', () => {
  test('makes a delay longer, never shorter', () => {
    expect(nextAttempt(failed({ httpStatus: 503, retryAfterMs: 60_000 }))).toEqual({
      kind: 'retry',
      inMs: 60_000,
    });
    expect(nextAttempt(failed({ httpStatus: 503, retryAfterMs: 10 }))).toEqual({
      kind: 'retry',
      inMs: 1_000,
    });
  });

  test('cannot put a delivery off by more than 8 hours at a time', () => {
    expect(nextAttempt(failed({ httpStatus: 503, retryAfterMs: 1_000 * hour }))).toEqual({
      kind: 'retry',
      inMs: 8 * hour,
    });
  });
});

describe('it ends', () => {
  test('with 410, at once', () => {
    expect(nextAttempt(failed({ httpStatus: 410, retryAfterMs: 1 }))).toEqual({
      kind: 'closed',
      reason: 'gone',
    });
  });

  test('at 72 hours, with a last attempt at that very moment', () => {
    const elapsedMs = 72 * hour - second;
    expect(nextAttempt(failed({ elapsedMs }))).toEqual({ kind: 'retry', inMs: second });
    expect(nextAttempt(failed({ elapsedMs: elapsedMs + 1 }))).toEqual({ kind: 'retry', inMs: second - 1 });
    expect(nextAttempt(failed({ elapsedMs: 72 * hour }))).toEqual({ kind: 'closed', reason: 'expired' });
  });

  test('after 22 to 30 attempts, whatever is drawn: no receiver is forgotten early or kept for ever', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 40, maxLength: 40 }),
        (draws) => {
          let elapsedMs = 0;
          for (const [index, random] of draws.entries()) {
            const next = nextAttempt(failed({ attempts: index + 1, elapsedMs, random }));
            if (next.kind === 'closed') {
              expect(next.reason).toBe('expired');
              expect(elapsedMs).toBe(72 * hour);
              expect(index).toBeLessThan(30);
              return;
            }
            elapsedMs += next.inMs;
            expect(elapsedMs).toBeLessThanOrEqual(72 * hour);
          }
          throw new Error('it never ended');
        },
      ),
    );
  });
});

test('what is asked is sent again after 1, 2 and 5 s, and then no more in that round (TIM-3)', () => {
  expect([1, 2, 3, 4, 5].map(retryDelayMs)).toEqual([1_000, 2_000, 5_000, undefined, undefined]);
});
