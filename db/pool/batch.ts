// Combines simultaneous requests into one statement. The first request is sent at once. Requests that arrive
// while enough statements run wait, and share the next statement. Do not use it if one item can fail alone,
// because an error rejects the whole batch.
import { assert } from '../../core/assert.ts';

export interface BatchLimits {
  /** Maximum number of statements that run at the same time. Further items wait. */
  readonly concurrent: number;
  readonly items: number;
  /**
   * Captures the caller's async context, such as its trace. A batch runs in the context of its first item.
   * Absent: a batch runs in no particular context.
   */
  readonly capture?: Capture | undefined;
}

/** Captures the current async context. Returns a function that runs work in it. */
export type Capture = () => <Outcome>(work: () => Outcome) => Outcome;

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  readonly runAs: ReturnType<Capture> | undefined;
}

/**
 * @param run returns one result per item, in order. It starts only after all its items were added, so it
 *   reads data that is current for each.
 * @returns a function that adds one item
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
      if (queue.length === 1) setImmediate(sendNext); // wait for other items of this turn of the event loop
    });
}
