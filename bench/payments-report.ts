// The results of `npm run bench -- payments`, and the report that shows them.
import type { UsedCores } from './by-workers.ts';

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

/** The results of one side: the payments or a floor. */
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
  readonly workers: number;
  readonly answerDelayMs: number;
  /** While payments ran, without the floors and without the work that follows the callbacks. */
  readonly usedCores: UsedCores;
  readonly payments: SideResult;
  readonly fixedFloor: SideResult;
  readonly shapedFloor: SideResult;
}

/** The processes of a gateway in production. The sandbox and the load generator simulate other parties. */
const ours = ['api', 'worker', 'Temporal', 'Postgres'] as const;
/** Shares are of the fixed floor. */
const targets = { perSecond: 0.7, cpuMs: 60, idleSubmitMs: 40, events: 30, transitions: 10 } as const;

/** A figure of the payments, and how to read the same figure of a floor. */
type Row = readonly [
  name: string,
  value: number,
  ofFloor: (floor: SideResult) => number | undefined,
  target?: string,
];

export function renderReport({ payments, fixedFloor, shapedFloor, ...setting }: PaymentsResult): string {
  const both = (name: string, value: (side: SideResult) => number, target?: string): Row =>
    target === undefined ? [name, value(payments), value] : [name, value(payments), value, target];
  const others = Object.entries(payments.cpuMs).filter(([name]) => !ours.some((one) => one === name));
  const rows: readonly Row[] = [
    both('per second', ({ perSecond }) => perSecond, `at least ${100 * targets.perSecond} %`),
    both('submit p50, ms', ({ submitMs }) => submitMs.p50),
    both('submit p99, ms', ({ submitMs }) => submitMs.p99),
    both('to callback p50, ms: at once', ({ atOnce }) => atOnce.totalMs.p50),
    both('to callback p99, ms: at once', ({ atOnce }) => atOnce.totalMs.p99),
    both('to callback p50, ms: later', ({ later }) => later.totalMs.p50),
    both('to callback p99, ms: later', ({ later }) => later.totalMs.p99),
    both('idle submit p50, ms', ({ idleSubmitMs }) => idleSubmitMs, `below ${targets.idleSubmitMs}`),
    ['CPU ms: api (floor: its client)', payments.cpuMs['api'] ?? NaN, ({ cpuMs }) => cpuMs['client']],
    ...(['worker', 'Temporal', 'Postgres'] as const).map((name): Row => [
      `CPU ms: ${name}`,
      payments.cpuMs[name] ?? NaN,
      ({ cpuMs }) => cpuMs[name],
    ]),
    [
      'CPU ms: together',
      sum(ours.map((name) => payments.cpuMs[name] ?? 0)),
      ({ cpuMs }) => sum(Object.values(cpuMs)),
      `at most ${targets.cpuMs}`,
    ],
    ...others.map(([name, ms]): Row => [`CPU ms apart: ${name}`, ms, () => undefined]),
    both('history events: at once', ({ atOnce }) => atOnce.history.events),
    both('transitions: at once', ({ atOnce }) => atOnce.history.transitions),
    both('history events: later', ({ later }) => later.history.events, `at most ${targets.events}`),
    both('transitions: later', ({ later }) => later.history.transitions, `at most ${targets.transitions}`),
  ];
  const { workers, concurrency, answerDelayMs } = setting;
  return [
    `${payments.count} payments and ${fixedFloor.count} runs of each floor, ${workers} ${workers === 1 ? 'worker' : 'workers'}, ` +
      `${concurrency} at once; half of the destinations answer at once, half ${answerDelayMs} ms later`,
    '',
    line('', ['payments', 'fixed floor', 'of it', 'shaped floor', 'of it'], 'target'),
    ...rows.map(([name, value, ofFloor, target = '']) => {
      const floors = [fixedFloor, shapedFloor].map(ofFloor);
      return line(
        name,
        [digits(value), ...floors.flatMap((one) => [digits(one), share(value, one)])],
        target,
      );
    }),
  ].join('\n');
}

const columns = [10, 13, 8, 14, 8];

function line(name: string, values: readonly string[], target: string): string {
  const cells = values.map((value, at) => value.padStart(columns[at] ?? 0)).join('');
  return `${name.padEnd(34)}${cells}   ${target}`.trimEnd();
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
