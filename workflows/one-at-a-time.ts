/**
 * The statements of one execution, one after the other. Two local activities that run at once may be answered one by one when
 * they run, and both in one go when the history is replayed: what waits for a condition then goes on at another place among the
 * commands, the replay fails, and the execution is stuck. With one at a time there is only one order.
 */

/** Runs the work at once if none is under way, else after it. It adds no turn of its own to what is not waiting. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

export function oneAtATime(): InTurn {
  let last: Promise<unknown> | undefined;
  return (work) => {
    const mine = last === undefined ? work() : last.then(work);
    const ended = mine.then(
      () => undefined,
      () => undefined,
    );
    last = ended;
    void ended.then(() => {
      if (last === ended) last = undefined;
    });
    return mine;
  };
}
