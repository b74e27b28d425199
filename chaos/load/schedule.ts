// When what begins: at any time as probable as at any other (Poisson), by the seed alone, and on time whatever became
// of the stories before.
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from './random.ts';
import { stories } from './stories/all.ts';
import type { Story } from './tools.ts';

/** A story, when it begins (milliseconds after the one before), and its own chance. */
export interface Arrival {
  readonly story: Story;
  readonly afterMs: number;
  readonly random: Random;
}

const fromDeckEvery = 3; // at the usual rate each story comes within two minutes and a half

/**
 * The arrivals of a load, without end: most by their weight, each third from a deck of all stories, so that the rare
 * come too.
 */
export function* planned(random: Random, ratePerSecond: number): Generator<Arrival, never> {
  let deck: Story[] = [];
  for (let turn = 1; ; turn += 1) {
    const afterMs = (-Math.log(random.fraction()) / ratePerSecond) * 1_000;
    if (deck.length === 0) deck = random.shuffled(stories);
    const drawn = turn % fromDeckEvery === 0 ? deck.pop() : undefined;
    yield { afterMs, story: drawn ?? random.weighted(stories), random: random.fork() };
  }
}

/** Begins each arrival when it is due, until the signal; a share of less than 1 stretches the time between them. */
export function keepTime(
  arrivals: Generator<Arrival, never>,
  {
    now,
    end,
    begin,
    share = () => 1,
  }: {
    readonly now: () => number;
    readonly end: AbortSignal;
    readonly begin: (arrival: Arrival) => void;
    readonly share?: () => number;
  },
): void {
  let dueAt = now();
  const wait = () => {
    const arrival = arrivals.next().value;
    dueAt += arrival.afterMs / share();
    const timer = setTimeout(
      () => {
        end.removeEventListener('abort', stop);
        begin(arrival);
        wait();
      },
      Math.max(0, dueAt - now()),
    );
    const stop = () => clearTimeout(timer);
    end.addEventListener('abort', stop, { once: true });
  };
  wait();
}

/** @returns false when the end came first */
export const untilOrEnd = (ms: number, end: AbortSignal): Promise<boolean> =>
  delay(ms, true, { signal: end }).catch(() => false);
