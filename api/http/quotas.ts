/**
 * Counts per sender and window: requests per minute (SEC-7), other quantities per day. Counted in memory, so that
 * a request waits for nothing; api/operations/share-counts.ts tells every process what the others have counted, once a second.
 * Fixed windows and no token buckets: processes share a window by adding.
 */

/** What is left, as the headers `RateLimit-Policy` and `RateLimit` say it (draft-ietf-httpapi-ratelimit-headers-10). */
export interface Standing {
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
  /** Until the next minute begins. */
  readonly resetSeconds: number;
  /** After which one that is over may come again. */
  readonly retrySeconds: number;
  /** Nothing was left: this one was not counted, and is not served. */
  readonly isOver: boolean;
  /** It is this second of which nothing was left. */
  readonly isOfSecond?: true;
}

export interface Count {
  readonly name: string;
  readonly count: number;
}

/** What the others are to be told: of each name that has used a hundredth of its limit since the last time. */
export interface Untold {
  readonly minute: number;
  /** The minute that it is. */
  readonly now: number;
  readonly counts: readonly Count[];
}

export interface Quotas {
  /** Counts one of that name, if it is within the limit; 0: no limit. */
  use(name: string, limit: number): Standing;
  /** Counts one that has happened, or so many, whatever the limit is. */
  note(name: string, limit: number, by?: number): void;
  /** How it stands, without counting one. */
  look(name: string, limit: number): Standing;
  /**
   * @param tell tells the others, and answers with what all together have counted; where it fails, all of it is told the next time
   * @throws what it throws
   */
  share(tell: (untold: Untold) => Promise<readonly Count[]>): Promise<void>;
}

interface Counter {
  used: number;
  untold: number;
  readonly limit: number;
  /** Of this second, in this process: what others need is not taken by one at once. */
  inSecond: number;
  second: number;
}

/** A tenth of what a minute has, so that what one may ask in a minute does not come at once. */
const burstOf = (limit: number) => Math.max(10, Math.ceil(limit / 10));

const minuteMs = 60_000;
export const minutesOfDay = 1_440;
/** What strangers may name. Clients are as many as there are, and are counted each by its own name. */
export const strangers = 'stranger ';
/** From then on the one that was named longest ago is forgotten for each new one, so that nobody is counted with somebody else. */
const mostStrangers = 50_000; // some 10 MB

interface Told extends Count {
  readonly counter: Counter;
}

interface Now {
  readonly nowMs: number;
  /** When the counters begin anew. */
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

/** Counts one, if it is within what the minute and this second have. */
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
 * @param clock epoch milliseconds: processes count the same minutes
 * @param windowMinutes after which the counters begin anew; a day begins at midnight UTC
 */
export function createQuotas(clock: () => number = Date.now, windowMinutes = 1): Quotas {
  const windowMs = windowMinutes * minuteMs;
  let minute = 0; // that it is; of a longer window, its last one
  let clients = new Map<string, Counter>();
  let guests = new Map<string, Counter>(); // of strangers; the one that was named last stands last

  function begin(): Now {
    const nowMs = clock();
    const endsAtMs = (Math.floor(nowMs / windowMs) + 1) * windowMs;
    if (minute !== endsAtMs / minuteMs - 1) {
      minute = endsAtMs / minuteMs - 1;
      clients = new Map();
      guests = new Map();
    }
    return { nowMs, endsAtMs };
  }

  const known = (name: string) => (name.startsWith(strangers) ? guests : clients);

  function counterOf(name: string, limit: number): Counter {
    const counters = known(name);
    const counter = counters.get(name) ?? { used: 0, untold: 0, limit, inSecond: 0, second: 0 };
    if (counters === guests) guests.delete(name);
    counters.set(name, counter);
    const [oldest = ''] = guests.keys();
    if (guests.size > mostStrangers) guests.delete(oldest);
    return counter;
  }

  /** Those that have used a hundredth of their limit since the last time: from now on they are told. */
  function takeUntold(): readonly Told[] {
    const told: Told[] = [];
    for (const counters of [clients, guests]) {
      for (const [name, counter] of counters) {
        if (counter.limit === 0 || counter.untold < Math.max(1, counter.limit / 100)) continue;
        told.push({ name, count: counter.untold, counter });
        counter.untold = 0;
      }
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
      const used = known(name).get(name)?.used ?? 0;
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
          const counter = byName.get(name); // where the minute has ended meanwhile, nobody looks at it any more
          if (counter !== undefined) counter.used = Math.max(counter.used, count + counter.untold);
        }
      } catch (error) {
        for (const { counter, count } of told) counter.untold += count;
        throw error;
      }
    },
  };
}

/** Lines of an answer's head; a limit that there is not has none. */
export function rateLimitLines({ limit, remaining, resetSeconds, isOfSecond }: Standing): readonly string[] {
  if (limit === 0) return [];
  return [
    'ratelimit-policy',
    `"per-minute";q=${limit};w=60, "per-second";q=${burstOf(limit)};w=1`,
    'ratelimit',
    `${isOfSecond ? '"per-second";r=0;t=1, ' : ''}"per-minute";r=${remaining};t=${resetSeconds}`,
  ];
}
