// Schedules the stories as a Poisson process, determined by the seed alone. A story begins on time, whatever happened
// to earlier ones.
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from './random.ts';
import { stories } from './stories/all.ts';
import type { Story } from './tools.ts';

/** A story, its start in milliseconds after the previous one, and its random generator. */
export interface Arrival {
  readonly story: Story;
  readonly afterMs: number;
  readonly random: Random;
}

/** The endless arrivals of a load, drawn by weight. */
export function* planned(random: Random, ratePerSecond: number): Generator<Arrival, never> {
  for (;;) {
    const afterMs = (-Math.log(random.fraction()) / ratePerSecond) * 1_000;
    yield { afterMs, story: random.weighted(stories), random: random.fork() };
  }
}

/** Begins each arrival when it is due, until `end` is aborted. A share below 1 stretches the time between arrivals. */
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

/** @returns false if `end` was aborted first */
export const untilOrEnd = (ms: number, end: AbortSignal): Promise<boolean> =>
  delay(ms, true, { signal: end }).catch(() => false);
