// What an api counts (OBS-2): its requests; and, read from the record at each scrape, what is open, dead or due, which
// is exported even when no worker runs. Every api exports the same of the record: take the maximum of them.
import { Counter, Gauge, Histogram, Registry } from '@prometheus-io/client';

/** What the record holds at this moment. */
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
    /** How long the one that is due for longest is; 0: none is. */
    readonly oldestDueSeconds: number;
    /** How long ago the oldest that is open was asked for, due or not; 0: none is open. */
    readonly oldestOpenSeconds: number;
  }[];
  readonly alerts: readonly { readonly kind: string; readonly severity: string; readonly open: number }[];
  /** Of parties whose last public key ends, or is missed. */
  readonly keys: readonly { readonly party: string; readonly secondsLeft: number }[];
}

export interface ApiMetrics {
  readonly registry: Registry;
  requested(request: {
    readonly route: string;
    readonly method: string;
    /** Null: its client left before it was answered. */
    readonly status: number | null;
    /** Undefined where it was not answered, or nobody knows when it began. */
    readonly seconds: number | undefined;
  }): void;
  /** @param party the payment system whose message did not count */
  refusedSignature(party: string): void;
  /** @param client empty: of nobody that there is */
  failedLogin(client: string): void;
  /** @param client whose secrets so many try that this one's turn did not come */
  turnedAwayLogin(client: string): void;
}

const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Whether a part that is needed answers, by its name; asked at each scrape, and within seconds. */
export type PartChecks = Readonly<Record<string, () => Promise<boolean>>>;

/** @param readRecord asked at each scrape; while it fails, the gauges of the record are absent */
export function createApiMetrics(readRecord: () => Promise<RecordGauges>, parts: PartChecks): ApiMetrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: 'isthmus_http_requests_total',
    help: 'Requests, by the status of their answer; none: the client left before it',
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
    help: 'Logins whose turn to be tried did not come in time, right or wrong, by the client they named (SEC-7)',
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

const zeroForMs = 20_000; // whoever scrapes every 15 s sees it, though others scrape too

/**
 * Counts what may come all at once and never again. Each series is 0 for a while, from the first scrape after it began: of one
 * that begins with what it counts `increase` sees nothing.
 * @returns counts one more of a value of the label
 */
function countFromZero(
  registers: Registry[],
  { name, help, label }: { readonly name: string; readonly help: string; readonly label: string },
): (value: string) => void {
  const shown = new Set<string>();
  const held = new Map<string, { count: number; untilMs?: number }>(); // of those that are still shown as 0
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

/** How the samples of a gauge are taken from the record. */
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

/** Every gauge of one scrape shows the same reading; a failure leaves them out, and shows in a gauge of its own. */
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
    'Age of the oldest of them',
    ofPayments(({ oldestSeconds }) => oldestSeconds),
  );
  gauge(
    'isthmus_deliveries_open',
    'Callbacks, confirmations and notifications that are still to be taken',
    ofDeliveries(({ open }) => open),
  );
  gauge(
    'isthmus_deliveries_dead',
    'Callbacks, confirmations and notifications that were given up (CBK-1)',
    ofDeliveries(({ dead }) => dead),
  );
  gauge(
    'isthmus_deliveries_oldest_due_seconds',
    'How long the one that is due for longest is (I-17)',
    ofDeliveries(({ oldestDueSeconds }) => oldestDueSeconds),
  );
  gauge(
    'isthmus_deliveries_oldest_open_seconds',
    'How long ago the oldest that is still to be taken was asked for, due or not',
    ofDeliveries(({ oldestOpenSeconds }) => oldestOpenSeconds),
  );
  gauge('isthmus_alerts_open', 'Alerts and security events that nobody has closed (OBS-6)', {
    labels: ['kind', 'severity'],
    of: (read) => read.alerts.map(({ kind, severity, open }): Sample => [{ kind, severity }, open]),
  });
  gauge(
    'isthmus_party_keys_seconds_left',
    'Until the last public key of a party ends; 0: it has to sign, and none counts (ADM-1)',
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

const sharedForMs = 500; // the gauges of one scrape ask at the same time

/** One reading for all who ask within that time; undefined where it failed. */
function readOnceFor<T>(ms: number, read: () => Promise<T>): () => Promise<T | undefined> {
  let last: { readonly at: number; readonly reading: Promise<T | undefined> } | undefined;
  return () => {
    if (last === undefined || performance.now() - last.at > ms) {
      last = { at: performance.now(), reading: read().catch(() => undefined) };
    }
    return last.reading;
  };
}
