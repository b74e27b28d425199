// The results of `npm run bench -- payments`, and the report that shows them.

export interface Latency {
  readonly p50: number;
  readonly p99: number;
}

/** Mean numbers per workflow execution. */
export interface HistoryCost {
  readonly events: number;
  readonly transitions: number;
}

interface KindResult {
  /** Milliseconds from the submission to the callback. */
  readonly totalMs: Latency;
  readonly history: HistoryCost;
}

/** The results of one side: the payments or the floor. */
export interface SideResult {
  readonly count: number;
  readonly perSecond: number;
  readonly submitMs: Latency;
  /** Median of the idle submissions, in milliseconds. */
  readonly idleSubmitMs: number;
  /** Milliseconds of CPU time per payment, by process. */
  readonly cpuMs: Readonly<Record<string, number>>;
  /** Payments whose destination answers in the HTTP response. */
  readonly atOnce: KindResult;
  /** Payments whose destination answers in a separate message. */
  readonly later: KindResult;
}

export interface PaymentsResult {
  readonly concurrency: number;
  readonly answerDelayMs: number;
  readonly payments: SideResult;
  readonly floor: SideResult;
}

/** The processes of a gateway in production. The sandbox and the load generator simulate other parties. */
const ours = ['api', 'worker', 'Temporal', 'Postgres'] as const;
const targets = { perSecond: 0.7, cpuMs: 60, idleSubmitMs: 40, events: 30, transitions: 10 } as const;

export function renderReport({ payments, floor, ...setting }: PaymentsResult): string {
  const ourCpu = sum(ours.map((name) => payments.cpuMs[name] ?? 0));
  const floorCpu = sum(Object.values(floor.cpuMs));
  const others = Object.entries(payments.cpuMs).filter(([name]) => !ours.some((one) => one === name));
  const rows: (readonly [string, number, number | undefined, string?])[] = [
    ['per second', payments.perSecond, floor.perSecond, `at least ${100 * targets.perSecond} %`],
    ['submit p50, ms', payments.submitMs.p50, floor.submitMs.p50],
    ['submit p99, ms', payments.submitMs.p99, floor.submitMs.p99],
    ['to callback p50, ms: at once', payments.atOnce.totalMs.p50, floor.atOnce.totalMs.p50],
    ['to callback p99, ms: at once', payments.atOnce.totalMs.p99, floor.atOnce.totalMs.p99],
    ['to callback p50, ms: later', payments.later.totalMs.p50, floor.later.totalMs.p50],
    ['to callback p99, ms: later', payments.later.totalMs.p99, floor.later.totalMs.p99],
    ['idle submit p50, ms', payments.idleSubmitMs, floor.idleSubmitMs, `below ${targets.idleSubmitMs}`],
    ['CPU ms: api (floor: its client)', payments.cpuMs['api'] ?? NaN, floor.cpuMs['client']],
    ...(['worker', 'Temporal', 'Postgres'] as const).map(
      (name) => [`CPU ms: ${name}`, payments.cpuMs[name] ?? NaN, floor.cpuMs[name]] as const,
    ),
    ['CPU ms: together', ourCpu, floorCpu, `at most ${targets.cpuMs}`],
    ...others.map(([name, ms]) => [`CPU ms apart: ${name}`, ms, undefined] as const),
    ['history events: at once', payments.atOnce.history.events, floor.atOnce.history.events],
    ['transitions: at once', payments.atOnce.history.transitions, floor.atOnce.history.transitions],
    [
      'history events: later',
      payments.later.history.events,
      floor.later.history.events,
      `at most ${targets.events}`,
    ],
    [
      'transitions: later',
      payments.later.history.transitions,
      floor.later.history.transitions,
      `at most ${targets.transitions}`,
    ],
  ];
  return [
    `${payments.count} payments and ${floor.count} runs of the floor, ${setting.concurrency} at once; half of the destinations ` +
      `answer at once, half ${setting.answerDelayMs} ms later`,
    '',
    line('', 'payments', 'floor', 'of the floor', 'target'),
    ...rows.map(([name, value, floorValue, target = '']) =>
      line(name, digits(value), digits(floorValue), share(value, floorValue), target),
    ),
  ].join('\n');
}

function line(name: string, value: string, floor: string, ratio: string, target: string): string {
  return `${name.padEnd(34)}${value.padStart(10)}${floor.padStart(10)}${ratio.padStart(15)}   ${target}`.trimEnd();
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function digits(value: number | undefined): string {
  return value === undefined || Number.isNaN(value) ? '-' : value.toFixed(1);
}

function share(value: number, floor: number | undefined): string {
  return floor === undefined || Number.isNaN(value) ? '-' : `${((100 * value) / floor).toFixed(0)} %`;
}
