// Requests that come at once share one statement: the first is sent without delay, and those that come while enough
// statements are running wait and go together. It must not be used where one item's failure is not the others' failure.
import { assert } from '../../core/assert.ts';

export interface BatchLimits {
  /** Statements that run at once; beyond that, items wait. */
  readonly concurrent: number;
  /** Items of one statement. */
  readonly items: number;
  /**
   * Absent: it does not matter on whose behalf a batch runs. Else on that of its first item, not of an earlier batch.
   */
  readonly capture?: Capture | undefined;
}

/** Remembers on whose behalf it was called; what it answers runs work on their behalf. */
export type Capture = () => <Outcome>(work: () => Outcome) => Outcome;

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  readonly runAs: ReturnType<Capture> | undefined;
}

/**
 * @param run one result per item, in their order; it starts after the items were given, so that it sees what was there
 * then
 * @returns what to call with one item
 */
export function batching<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  limits: BatchLimits,
): (item: Item) => Promise<Result> {
  let queue: Waiting<Item, Result>[] = [];
  let underWay = 0;

  function sendNext(): void {
    if (underWay >= limits.concurrent || queue.length === 0) return;
    const batch = queue.slice(0, limits.items);
    queue = queue.slice(limits.items);
    underWay += 1;
    void send(batch).finally(() => {
      underWay -= 1;
      sendNext();
    });
  }

  async function send(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const items = batch.map(({ item }) => item);
      const runAs = batch[0]?.runAs;
      const results = await (runAs === undefined ? run(items) : runAs(() => run(items)));
      assert(results.length === batch.length, 'a batch has one result per item');
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject, runAs: limits.capture?.() });
      if (queue.length === 1) setImmediate(sendNext); // with what else this turn of the event loop brings
    });
}
