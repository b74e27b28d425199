// Schedules the stories as a Poisson process that only the seed determines. Each story begins on time, even
// if earlier stories are late.
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from './random.ts';
import { stories } from './stories/all.ts';
import type { Story } from './tools.ts';

/** A story with its delay after the previous one, in milliseconds, and its random generator. */
export interface Arrival {
  readonly story: Story;
  readonly afterMs: number;
  readonly random: Random;
}

/** Yields the arrivals of a load without end. Stories with a higher weight are more frequent. */
export function* planned(random: Random, ratePerSecond: number): Generator<Arrival, never> {
  for (;;) {
    const afterMs = (-Math.log(random.fraction()) / ratePerSecond) * 1_000;
    yield { afterMs, story: random.weighted(stories), random: random.fork() };
  }
}

/**
 * Begins each arrival when it is due, until `end` is aborted. A `share` below 1 lengthens the time between
 * arrivals.
 */
export function keepTime(
  arrivals: Generator<Arrival, never>,
  {
    end,
    begin,
    share = () => 1,
  }: {
    readonly end: AbortSignal;
    readonly begin: (arrival: Arrival) => void;
    readonly share?: () => number;
  },
): void {
  let dueAt = Date.now();
  const wait = () => {
    const arrival = arrivals.next().value;
    dueAt += arrival.afterMs / share();
    const timer = setTimeout(
      () => {
        end.removeEventListener('abort', stop);
        begin(arrival);
        wait();
      },
      Math.max(0, dueAt - Date.now()),
    );
    const stop = () => clearTimeout(timer);
    end.addEventListener('abort', stop, { once: true });
  };
  wait();
}

/**
 * Waits for `ms` milliseconds.
 * @returns false if `end` was aborted first
 */
export const untilOrEnd = (ms: number, end: AbortSignal): Promise<boolean> =>
  delay(ms, true, { signal: end }).catch(() => false);
