// Waits for what must happen, and for what must not happen within a time.
import { expect, vi } from 'vitest';

/**
 * Tries `check` until it no longer throws. The limit is far above what even a busy machine takes, and below the 60 s
 * after which the first enquiry (TIM-2) or the sweep may bring what should have come at once.
 * @param timing milliseconds; `limitMs` for what takes longer by design, and for a limit that a rule names
 * @throws what `check` threw last
 */
export function eventually<T>(
  check: () => T | Promise<T>,
  { everyMs = 50, limitMs = 45_000 }: { readonly everyMs?: number; readonly limitMs?: number } = {},
): Promise<T> {
  // eslint-disable-next-line no-restricted-syntax -- the one place that gives it its limit
  return vi.waitFor(check, { timeout: limitMs, interval: everyMs });
}

/** Resolves when the time is over; there is no event to wait for. */
export async function untilPast(ms: number): Promise<void> {
  const until = performance.now() + ms;
  await eventually(() => expect(performance.now()).toBeGreaterThan(until), { limitMs: ms + 60_000 });
}
