/**
 * Counts uses per sender and window: requests per minute (SEC-7), other quantities per day. Counts are kept
 * in memory, so that no request waits for them. Once a second, api/http/limits/share-counts.ts exchanges the
 * counts between all processes. Windows are fixed, not token buckets, because processes can share a window by
 * adding their counts.
 */

/**
 * The state of a limit, for the headers `RateLimit-Policy` and `RateLimit`
 * (draft-ietf-httpapi-ratelimit-headers-10).
 */
export interface Standing {
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
  /** Seconds until the next window begins, at least 1. */
  readonly resetSeconds: number;
  /** Seconds after which a refused request may be repeated. */
  readonly retrySeconds: number;
  /** Whether the limit is reached. If so, this request was not counted and must be refused. */
  readonly isOver: boolean;
  /** Whether the limit per second is reached, rather than the limit of the window. */
  readonly isOfSecond?: true;
}

export interface Count {
  readonly name: string;
  readonly count: number;
}

/**
 * Counts that this process has to share. A name is included if it has used a hundredth of its limit since it
 * was last shared.
 */
export interface Untold {
  /** The last minute of the window, in minutes since the epoch. */
  readonly minute: number;
  /** The current minute, in minutes since the epoch. */
  readonly now: number;
  readonly counts: readonly Count[];
}

export interface Quotas {
  /** Counts one use of the name, if the limit allows it. Limit 0: no limit. */
  use(name: string, limit: number): Standing;
  /** Counts `by` uses (default 1) that have already happened, even beyond the limit. */
  note(name: string, limit: number, by?: number): void;
  /** Returns the state of the limit without counting a use. */
  look(name: string, limit: number): Standing;
  /**
   * Exchanges counts with the other processes.
   * @param tell sends the counts of this process to the others, and returns the totals of all. If it fails,
   * the next call sends the same counts again.
   * @throws the error of `tell`
   */
  share(tell: (untold: Untold) => Promise<readonly Count[]>): Promise<void>;
}

interface Counter {
  used: number;
  untold: number;
  readonly limit: number;
  /** Uses in this second, in this process. It limits bursts, which would take capacity from other senders. */
  inSecond: number;
  second: number;
}

/**
 * The limit per second is a tenth of the limit per minute, so that a sender cannot use up its minute at once.
 */
const burstOf = (limit: number) => Math.max(10, Math.ceil(limit / 10));

const minuteMs = 60_000;
export const minutesOfDay = 1_440;

interface Told extends Count {
  readonly counter: Counter;
}

interface Now {
  readonly nowMs: number;
  /** End of the window, in epoch milliseconds. */
  readonly endsAtMs: number;
}

function standingAt({ nowMs, endsAtMs }: Now, used: number, limit: number): Standing {
  const resetSeconds = Math.max(1, Math.ceil((endsAtMs - nowMs) / 1_000));
  return {
    limit,
    used,
    remaining: Math.max(0, limit - used),
    resetSeconds,
    retrySeconds: resetSeconds,
    isOver: false,
  };
}

/** Counts one use, if the limits of the window and of the current second allow it. */
function take(counter: Counter, limit: number, now: Now): Standing {
  if (counter.limit !== 0) {
    if (counter.used >= limit) return { ...standingAt(now, counter.used, limit), isOver: true };
    const second = Math.floor(now.nowMs / 1_000);
    if (counter.second !== second) Object.assign(counter, { second, inSecond: 0 });
    if (counter.inSecond >= burstOf(limit)) {
      return { ...standingAt(now, counter.used, limit), retrySeconds: 1, isOver: true, isOfSecond: true };
    }
    counter.inSecond += 1;
  }
  add(counter);
  return standingAt(now, counter.used, limit);
}

function add(counter: Counter, by = 1): void {
  counter.used += by;
  counter.untold += by;
}

/**
 * @param clock epoch milliseconds, so that all processes count the same minutes
 * @param windowMinutes length of the window; a day begins at midnight UTC
 */
export function createQuotas(clock: () => number = Date.now, windowMinutes = 1): Quotas {
  const windowMs = windowMinutes * minuteMs;
  let minute = 0; // the last minute of the current window, in minutes since the epoch
  let counters = new Map<string, Counter>(); // at most one entry for each name that was used in the window

  function begin(): Now {
    const nowMs = clock();
    const endsAtMs = (Math.floor(nowMs / windowMs) + 1) * windowMs;
    if (minute !== endsAtMs / minuteMs - 1) {
      minute = endsAtMs / minuteMs - 1;
      counters = new Map();
    }
    return { nowMs, endsAtMs };
  }

  function counterOf(name: string, limit: number): Counter {
    const counter = counters.get(name) ?? { used: 0, untold: 0, limit, inSecond: 0, second: 0 };
    counters.set(name, counter);
    return counter;
  }

  /** Takes the counts that have grown by at least a hundredth of their limit since they were last shared. */
  function takeUntold(): readonly Told[] {
    const told: Told[] = [];
    for (const [name, counter] of counters) {
      if (counter.limit === 0 || counter.untold < Math.max(1, counter.limit / 100)) continue;
      told.push({ name, count: counter.untold, counter });
      counter.untold = 0;
    }
    return told;
  }

  return {
    use(name, limit) {
      const now = begin();
      return take(counterOf(name, limit), limit, now);
    },
    note(name, limit, by) {
      begin();
      add(counterOf(name, limit), by);
    },
    look(name, limit) {
      const now = begin();
      const used = counters.get(name)?.used ?? 0;
      return { ...standingAt(now, used, limit), isOver: limit !== 0 && used >= limit };
    },
    async share(tell) {
      const { nowMs } = begin();
      const told = takeUntold();
      if (told.length === 0) return;
      const counts = told.map(({ name, count }) => ({ name, count }));
      try {
        const totals = await tell({ minute, now: Math.floor(nowMs / minuteMs), counts });
        const byName = new Map(told.map(({ name, counter }) => [name, counter]));
        for (const { name, count } of totals) {
          const counter = byName.get(name); // has no effect if the window has ended meanwhile
          if (counter !== undefined) counter.used = Math.max(counter.used, count + counter.untold);
        }
      } catch (error) {
        for (const { counter, count } of told) counter.untold += count;
        throw error;
      }
    },
  };
}

/** Rate limit headers as a flat list (name, value, ...); empty if there is no limit. */
export function rateLimitLines({ limit, remaining, resetSeconds, isOfSecond }: Standing): readonly string[] {
  if (limit === 0) return [];
  return [
    'ratelimit-policy',
    `"per-minute";q=${limit};w=60, "per-second";q=${burstOf(limit)};w=1`,
    'ratelimit',
    `${isOfSecond ? '"per-second";r=0;t=1, ' : ''}"per-minute";r=${remaining};t=${resetSeconds}`,
  ];
}
