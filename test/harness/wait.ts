// For what must not happen within a time: there is no event to wait for.
import { expect, vi } from 'vitest';

/** Resolves when the time is over. */
export async function untilPast(ms: number): Promise<void> {
  const until = performance.now() + ms;
  await vi.waitFor(() => expect(performance.now()).toBeGreaterThan(until), {
    timeout: ms + 5_000,
    interval: 50,
  });
}
