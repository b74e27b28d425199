// A small discrete-event simulation: processes that wait for time, and for places in pools. It knows nothing
// of payments. The same seed gives the same result.

/** A pool whose places are taken one at a time, first come, first served: cores, connections, a lock. */
export interface Pool {
  /** Gives a place back. The first waiting process continues. */
  release(): void;
  /** Mean number of places in use, from the start until now. */
  readonly meanBusy: () => number;
  readonly places: number;
  readonly isFull: () => boolean;
}

/** A process waits for the yielded milliseconds, or for a place in the yielded pool. */
export type Process = Generator<number | Pool, void, void>;

export interface Simulation {
  /** Milliseconds since the start. */
  readonly now: () => number;
  readonly start: (process: Process) => void;
  readonly pool: (places: number) => Pool;
  /** Runs until every process has ended. */
  readonly run: () => void;
}

export function createSimulation(): Simulation {
  const events = createEvents();
  const pools = new Map<Pool, (process: Process) => boolean>();
  let nowMs = 0;

  /** Continues a process until it waits or ends. */
  function resume(process: Process): void {
    for (;;) {
      const { done, value } = process.next();
      if (done === true) return;
      if (typeof value === 'number') {
        events.add(nowMs + value, process);
        return;
      }
      const take = pools.get(value);
      if (take === undefined) throw new Error('the pool belongs to another simulation');
      if (!take(process)) return;
    }
  }

  function pool(places: number): Pool {
    const waiting = createLine();
    let busy = 0;
    let busyMs = 0; // busy places, summed over time
    let changedMs = 0;
    const change = (by: number) => {
      busyMs += busy * (nowMs - changedMs);
      changedMs = nowMs;
      busy += by;
    };
    const one: Pool = {
      release() {
        const next = waiting.take();
        if (next === undefined) change(-1);
        else events.add(nowMs, next); // it inherits the place
      },
      meanBusy: () => (busyMs + busy * (nowMs - changedMs)) / Math.max(nowMs, 1e-9),
      places,
      isFull: () => busy >= places,
    };
    pools.set(one, (process) => {
      if (busy >= places) {
        waiting.add(process);
        return false;
      }
      change(1);
      return true;
    });
    return one;
  }

  return {
    now: () => nowMs,
    start: resume,
    pool,
    run() {
      for (let next = events.take(); next !== undefined; next = events.take()) {
        nowMs = next.atMs;
        resume(next.process);
      }
    },
  };
}

/** Takes a place in each pool, in this order, and holds all of them for the time. */
export function* use(pools: readonly Pool[], ms: number): Process {
  for (const pool of pools) yield pool;
  yield ms;
  for (const pool of pools) pool.release();
}

/** Waiting processes, first come, first served. */
function createLine(): {
  readonly add: (process: Process) => void;
  readonly take: () => Process | undefined;
} {
  let waiting: Process[] = [];
  let first = 0;
  return {
    add: (process) => void waiting.push(process),
    take() {
      const next = waiting[first];
      if (next === undefined) return undefined;
      first += 1;
      if (first > 1_000 && first * 2 > waiting.length) {
        waiting = waiting.slice(first);
        first = 0;
      }
      return next;
    },
  };
}

interface Event {
  readonly atMs: number;
  /** Keeps the order of events of the same time. */
  readonly number: number;
  readonly process: Process;
}

const isBefore = (one: Event, other: Event) =>
  one.atMs < other.atMs || (one.atMs === other.atMs && one.number < other.number);

/** The future events, as a binary heap: the earliest comes first. */
function createEvents() {
  const heap: Event[] = [];
  let count = 0;
  const at = (index: number) => heap[index] as Event;
  const swap = (one: number, other: number) => {
    [heap[one], heap[other]] = [at(other), at(one)];
  };
  return {
    add(atMs: number, process: Process): void {
      let index = heap.push({ atMs, number: (count += 1), process }) - 1;
      while (index > 0) {
        const parent = (index - 1) >> 1;
        if (!isBefore(at(index), at(parent))) return;
        swap(index, parent);
        index = parent;
      }
    },
    take(): Event | undefined {
      const first = heap[0];
      const last = heap.pop();
      if (first === undefined || last === undefined || heap.length === 0) return first;
      heap[0] = last;
      for (let index = 0; ;) {
        const left = 2 * index + 1;
        if (left >= heap.length) return first;
        const right = left + 1;
        const least = right < heap.length && isBefore(at(right), at(left)) ? right : left;
        if (!isBefore(at(least), at(index))) return first;
        swap(index, least);
        index = least;
      }
    },
  };
}
