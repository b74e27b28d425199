// The metrics of an api process (OBS-2). It counts its requests. At each scrape it also reads from the
// database which work is open, given up or due. So these gauges exist even if no worker runs. All api
// processes export the same gauges: take their maximum, not their sum.
import { Counter, Gauge, Histogram, Registry } from '@prometheus-io/client';

/** The gauges that are read from the database. */
export interface RecordGauges {
  readonly payments: readonly {
    readonly destination: string;
    readonly priority: string;
    readonly state: string;
    readonly count: number;
    readonly oldestSeconds: number;
  }[];
  readonly deliveries: readonly {
    readonly kind: string;
    readonly party: string;
    readonly open: number;
    readonly dead: number;
    /** Seconds since the oldest due delivery became due; 0 if none is due. */
    readonly oldestDueSeconds: number;
    /** Seconds since the oldest open delivery was requested, due or not; 0 if none is open. */
    readonly oldestOpenSeconds: number;
  }[];
  readonly alerts: readonly { readonly kind: string; readonly severity: string; readonly open: number }[];
  /** Parties whose last public key expires, and parties that need a key but have none. */
  readonly keys: readonly { readonly party: string; readonly secondsLeft: number }[];
}

export interface ApiMetrics {
  readonly registry: Registry;
  requested(request: {
    readonly route: string;
    readonly method: string;
    /** Null if the client left before the answer. */
    readonly status: number | null;
    /** Undefined if there was no answer, or if the start time is unknown. */
    readonly seconds: number | undefined;
  }): void;
  /** @param party the payment system whose message was refused */
  refusedSignature(party: string): void;
  /** @param client empty if the name belongs to no client */
  failedLogin(client: string): void;
  /**
   * @param client the named client; too many attempts for it were waiting, so this one was refused unchecked
   */
  turnedAwayLogin(client: string): void;
}

const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * Checks whether a required component responds, by name. Called at each scrape; must return within seconds.
 */
export type PartChecks = Readonly<Record<string, () => Promise<boolean>>>;

/** @param readRecord called at each scrape; while it fails, the gauges from the database are absent */
export function createApiMetrics(readRecord: () => Promise<RecordGauges>, parts: PartChecks): ApiMetrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: 'isthmus_http_requests_total',
    help: 'Requests, by the status of their answer; none: the client left before the answer',
    labelNames: ['route', 'method', 'status'],
    registers,
  });
  const requestSeconds = new Histogram({
    name: 'isthmus_http_request_duration_seconds',
    help: 'From the headers of a request to the end of its answer',
    labelNames: ['route', 'method'],
    buckets: requestBuckets,
    registers,
  });
  const refusedSignature = countFromZero(registers, {
    name: 'isthmus_signatures_refused_total',
    help: 'Messages that were refused for their signature, or because they have none (SEC-1)',
    label: 'party',
  });
  const failedLogin = countFromZero(registers, {
    name: 'isthmus_logins_failed_total',
    help: 'Logins that failed, by the client they named; empty: a name that no client has (SEC-7)',
    label: 'client',
  });
  const turnedAwayLogin = countFromZero(registers, {
    name: 'isthmus_logins_turned_away_total',
    help: 'Logins refused unchecked because too many waited, by the client they named (SEC-7)',
    label: 'client',
  });
  addRecordGauges(registers, readRecord);
  addPartGauge(registers, parts);
  return {
    registry,
    requested: ({ route, method, status, seconds }) => {
      requests.inc({ route, method, status: String(status ?? 'none') });
      if (seconds !== undefined) requestSeconds.observe({ route, method }, seconds);
    },
    failedLogin,
    turnedAwayLogin,
    refusedSignature,
  };
}

// Long enough for every scraper with an interval of 15 s, even if there are several scrapers.
const zeroForMs = 20_000;

/**
 * A counter for events that may come in one burst. A new series stays 0 for a while after the first scrape.
 * Otherwise `increase` would miss the first events, because it ignores the first value of a series.
 * @returns a function that counts one event with this label value
 */
function countFromZero(
  registers: Registry[],
  { name, help, label }: { readonly name: string; readonly help: string; readonly label: string },
): (value: string) => void {
  const shown = new Set<string>();
  // Counts of the series that are still exported as 0.
  const held = new Map<string, { count: number; untilMs?: number }>();
  const counter = new Counter({
    name,
    help: `${help}; each is 0 for ${zeroForMs / 1_000} s from the first scrape after it began`,
    labelNames: [label],
    registers,
    collect() {
      for (const [value, one] of held) {
        one.untilMs ??= performance.now() + zeroForMs;
        const isOver = performance.now() >= one.untilMs;
        counter.inc({ [label]: value }, isOver ? one.count : 0);
        if (!isOver) continue;
        shown.add(value);
        held.delete(value);
      }
    },
  });
  return (value) => {
    if (shown.has(value)) counter.inc({ [label]: value });
    else held.set(value, { ...held.get(value), count: (held.get(value)?.count ?? 0) + 1 });
  };
}

function addPartGauge(registers: Registry[], parts: PartChecks): void {
  new Gauge({
    name: 'isthmus_part_answers',
    help: 'Whether a part that this process needs answered it at this scrape (OBS-4)',
    labelNames: ['part'],
    registers,
    async collect() {
      const asked = Object.entries(parts).map(async ([part, answers]) => {
        this.set({ part }, (await answers()) ? 1 : 0);
      });
      await Promise.all(asked);
    },
  });
}

/** The labels of a gauge, and how to compute its samples from the database reading. */
interface Kind {
  readonly labels: readonly string[];
  readonly of: (record: RecordGauges) => readonly Sample[];
}

interface RecordGauge extends Kind {
  readonly name: string;
  readonly help: string;
  readonly registers: Registry[];
  readonly record: () => Promise<RecordGauges | undefined>;
}

function addGauge({ name, help, labels: labelNames, registers, of, record }: RecordGauge): void {
  new Gauge({
    name,
    help,
    labelNames,
    registers,
    async collect() {
      this.reset();
      const read = await record();
      for (const [labels, value] of read === undefined ? [] : of(read)) this.set(labels, value);
    },
  });
}

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

/**
 * All gauges of one scrape share one database reading. If it fails, they are absent and
 * `isthmus_record_readable` is 0.
 */
function addRecordGauges(registers: Registry[], readRecord: () => Promise<RecordGauges>): void {
  const record = readOnceFor(sharedForMs, readRecord);
  const gauge = (name: string, help: string, kind: Kind) =>
    addGauge({ name, help, ...kind, registers, record });
  const payments = ['destination', 'priority', 'state'];
  const ofPayments = (value: (one: RecordGauges['payments'][number]) => number) => ({
    labels: payments,
    of: (read: RecordGauges) =>
      read.payments.map((one): Sample => {
        const { destination, priority, state } = one;
        return [{ destination, priority, state }, value(one)];
      }),
  });
  const ofDeliveries = (value: (one: RecordGauges['deliveries'][number]) => number) => ({
    labels: ['kind', 'party'],
    of: (read: RecordGauges) =>
      read.deliveries.map((one): Sample => [{ kind: one.kind, party: one.party }, value(one)]),
  });
  gauge(
    'isthmus_payments_open',
    'Payments without final status: waiting or in-doubt',
    ofPayments(({ count }) => count),
  );
  gauge(
    'isthmus_payments_open_oldest_seconds',
    'Age of the oldest payment without final status',
    ofPayments(({ oldestSeconds }) => oldestSeconds),
  );
  gauge(
    'isthmus_deliveries_open',
    'Callbacks, confirmations, notifications and pages of books that are not acknowledged yet',
    ofDeliveries(({ open }) => open),
  );
  gauge(
    'isthmus_deliveries_dead',
    'Callbacks, confirmations, notifications and pages of books that were given up (CBK-1)',
    ofDeliveries(({ dead }) => dead),
  );
  gauge(
    'isthmus_deliveries_oldest_due_seconds',
    'Time since the oldest due delivery became due (I-17)',
    ofDeliveries(({ oldestDueSeconds }) => oldestDueSeconds),
  );
  gauge(
    'isthmus_deliveries_oldest_open_seconds',
    'Time since the oldest delivery that is not acknowledged was requested, due or not',
    ofDeliveries(({ oldestOpenSeconds }) => oldestOpenSeconds),
  );
  gauge('isthmus_alerts_open', 'Alerts and security events that nobody has closed (OBS-6)', {
    labels: ['kind', 'severity'],
    of: (read) => read.alerts.map(({ kind, severity, open }): Sample => [{ kind, severity }, open]),
  });
  gauge(
    'isthmus_party_keys_seconds_left',
    'Until the last public key of a party expires; 0: it needs a valid key and has none (ADM-1)',
    {
      labels: ['party'],
      of: (read) => read.keys.map(({ party, secondsLeft }): Sample => [{ party }, secondsLeft]),
    },
  );
  new Gauge({
    name: 'isthmus_record_readable',
    help: 'Whether the record could be read for this scrape',
    registers,
    async collect() {
      this.set((await record()) === undefined ? 0 : 1);
    },
  });
}

const sharedForMs = 500; // Milliseconds. The gauges of one scrape read at the same time.

/** Shares one reading among all calls within `ms` milliseconds. Returns undefined if the reading failed. */
function readOnceFor<T>(ms: number, read: () => Promise<T>): () => Promise<T | undefined> {
  let last: { readonly at: number; readonly reading: Promise<T | undefined> } | undefined;
  return () => {
    if (last === undefined || performance.now() - last.at > ms) {
      last = { at: performance.now(), reading: read().catch(() => undefined) };
    }
    return last.reading;
  };
}
