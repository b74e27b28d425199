// `npm run bench -- size`: checks the model of `isthmus size` against the real system at three loads. Service
// times come from a run of its own at a fourth load. See bench/README.md.
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { simulatePayments, type Deployment, type Kind, type ModelResult } from '../cli/size/payment-model.ts';
import { shippedFigures, valuesOf, withMeasured, type Values } from '../cli/size/figures.ts';
import { UserError } from '../cli/errors.ts';
import type { ThrowawayPlace } from '../cli/throwaway.ts';
import { quantile } from './closed-count.ts';
import { cpuTimesByName, machineCpuTime } from './cpu-time.ts';
import { positive, readOptions } from './options.ts';
import { openPaymentLoad, payClosedLoop, type PaymentLoad, type Taken } from './payment-load.ts';
import { processesOfPayments, startPaymentServices, type PaymentServices } from './payment-services.ts';
import { measuredFigures, readFlushMs, type MeasuredRun } from './service-times.ts';

const optionTable = { payments: { type: 'string', default: '600' } } as const;

const warmUps = 300;
const measuringClients = 12;
// more than 24 clients of one system would be refused by a slow machine (OVL-1), which the model does not know
const checkedClients = [4, 16, 24] as const;
const idleSubmissions = 40;
const trailingMs = 1_500; // time for the work that follows a callback
const tolerance = 0.15;
const simulated = 6_000;
const quietCores = 0.1; // of other programs; more changes the figures

/** The simulated destination: it answers at once, or reports this long after its first answer. */
const destination = { atOnceMs: 2, laterMs: 300 };

interface Bench {
  readonly services: PaymentServices;
  readonly load: PaymentLoad;
}

interface Run {
  readonly taken: readonly Taken[];
  /** Rate of the callbacks in the middle third, when all clients were busy. */
  readonly perSecond: number;
  /** Milliseconds of CPU time per payment, by process. */
  readonly cpuMs: Readonly<Record<string, number>>;
  /** Cores that other programs kept busy. The kernel's work for our own programs is among it. */
  readonly othersCores: number;
  /** The same in milliseconds per payment. */
  readonly othersMs: number;
}

export async function benchSize(argv: readonly string[], place: ThrowawayPlace): Promise<void> {
  const payments = positive(readOptions(argv, optionTable).payments, '--payments');
  const services = await startPaymentServices({ place, say: (line) => console.log(line) });
  const load = await openPaymentLoad(services.apiUrl, { concurrency: Math.max(...checkedClients) });
  place.atEnd(() => load.close());
  const bench = { services, load };
  await runPayments(bench, warmUps, measuringClients);
  const before = await runPayments(bench, payments, measuringClients);
  const idleSubmitMs = await idleSubmit(load);
  const flushMs = await readFlushMs(services.databaseUrl);
  const reals = new Map<number, Run>();
  for (const clients of checkedClients) {
    reals.set(clients, await runPayments(bench, payments, clients));
    console.log(`  ${clients} clients: ${cpuText(reals.get(clients) as Run)}`);
  }
  // before and after, because the speed of a machine drifts
  const measured = meanOf(before, await runPayments(bench, payments, measuringClients));
  const values = valuesOfMachine({ cpuMs: measured.cpuMs, idleSubmitMs, flushMs });
  console.log(`  ${measuringClients} clients, for the model: ${cpuText(measured)}`);
  console.log(`  idle submit ${idleSubmitMs.toFixed(1)} ms, commit on disk ${flushMs.toFixed(2)} ms\n`);
  console.log('clients  figure            measured     model    apart');
  let isApart = false;
  for (const [clients, real] of reals) {
    const model = simulateMachine(values, measured, clients);
    for (const { name, of, by } of compared(real, model)) {
      const apart = by / of - 1;
      isApart ||= !(Math.abs(apart) <= tolerance);
      console.log(
        `${String(clients).padStart(7)}  ${name.padEnd(16)}${of.toFixed(1).padStart(10)}${by.toFixed(1).padStart(10)}` +
          `${(100 * apart).toFixed(0).padStart(7)} %`,
      );
    }
  }
  const others = Math.max(...[measured, ...reals.values()].map(({ othersCores }) => othersCores));
  console.log(`other programs kept at most ${others.toFixed(2)} cores busy`);
  if (!isApart) return;
  throw new UserError(
    `The model is more than ${100 * tolerance} % apart from the system.${others > quietCores ? ' Repeat this on a machine that does nothing else.' : ''}`,
  );
}

/** The means of two runs at the same load. */
function meanOf(one: Run, other: Run): Run {
  const mean = (read: (run: Run) => number) => (read(one) + read(other)) / 2;
  const cpuMs = Object.keys(one.cpuMs).map((name) => [name, mean((run) => run.cpuMs[name] ?? 0)]);
  return {
    ...one,
    cpuMs: Object.fromEntries(cpuMs) as Run['cpuMs'],
    othersCores: mean(({ othersCores }) => othersCores),
    othersMs: mean(({ othersMs }) => othersMs),
  };
}

function cpuText({ cpuMs, othersMs }: Run): string {
  const each = Object.entries({ ...cpuMs, others: othersMs }).map(([name, ms]) => `${name} ${ms.toFixed(1)}`);
  return `CPU ms a payment: ${each.join(', ')}`;
}

/** The two kinds are compared apart: the median of both would lie in the gap between them, anywhere. */
function compared(real: Run, model: ModelResult) {
  const callback = (kind: Kind, name: string) => {
    const ofKind = real.taken.filter(({ answersAtOnce }) => answersAtOnce === (kind === 'atOnce'));
    const totals = ofKind.map(({ totalMs }) => totalMs);
    return { name, of: quantile(totals, 0.5), by: model.finalOfMs[kind].p50 };
  };
  return [
    { name: 'payments/s', of: real.perSecond, by: model.perSecond },
    callback('atOnce', 'at once p50 ms'),
    callback('later', 'later p50 ms'),
  ];
}

async function runPayments({ services, load }: Bench, count: number, clients: number): Promise<Run> {
  const ready = await load.prepare(count);
  const read = () => [machineCpuTime(), cpuTimesByName(processesOfPayments(services))] as const;
  const [machineBefore, before] = read();
  const began = performance.now();
  const endsMs: number[] = [];
  const run = async (...payment: Parameters<PaymentLoad['run']>) => {
    const taken = await load.run(...payment);
    endsMs.push(performance.now());
    return taken;
  };
  const { taken } = await payClosedLoop({ ...load, run }, ready, clients);
  await delay(trailingMs);
  const [machineAfter, after] = read();
  const elapsedMs = performance.now() - began;
  const cpuMs = Object.fromEntries(
    Object.entries(after).map(([name, ms]) => [name, (ms - (before[name] ?? 0)) / count]),
  );
  const ownMs = Object.values(cpuMs).reduce((sum, ms) => sum + ms, 0) * count;
  const othersMs = Math.max(0, machineAfter - machineBefore - ownMs);
  return {
    taken,
    perSecond: rateOfMiddle(endsMs),
    cpuMs,
    othersCores: othersMs / elapsedMs,
    othersMs: othersMs / count,
  };
}

/** The first and the last payments are paid by fewer clients, or all at the same moment. */
function rateOfMiddle(endsMs: readonly number[]): number {
  const [from, to] = [Math.floor(endsMs.length / 3), Math.floor((2 * endsMs.length) / 3)];
  return ((to - from) * 1_000) / ((endsMs[to] ?? 0) - (endsMs[from] ?? 0));
}

async function idleSubmit(load: PaymentLoad): Promise<number> {
  const times: number[] = [];
  for (const payment of await load.prepare(idleSubmissions)) {
    times.push((await load.run(payment)).submitMs);
    await delay(100);
  }
  return quantile(times, 0.5);
}

function valuesOfMachine(run: Omit<MeasuredRun, 'answersAtOnce'>): Values {
  const measured = measuredFigures('size', { ...run, answersAtOnce: 0.5 });
  return {
    ...valuesOf(withMeasured(shippedFigures, measured)),
    destinationMs: destination.laterMs,
    destinationP99Ms: destination.laterMs,
    deliveryMs: 2, // the sandbox and the load generator answer at once
    systems: 1, // one source and one destination
    temporalDatabaseShare: 0.7, // the development server has one connection to SQLite, and most of its work needs it
  };
}

/** The processes of the benchmark share the cores of this machine, also with other programs. */
function simulateMachine(values: Values, { cpuMs, othersMs }: Run, clients: number): ModelResult {
  const machineCores = availableParallelism();
  const deployment: Deployment = {
    apis: 1,
    workers: 1,
    shards: 1,
    temporalFlushMs: 0, // SQLite does not wait for the disk at each commit (cli/parts/temporal.ts)
    temporalCores: machineCores,
    temporalDatabaseCores: machineCores,
    postgresCores: machineCores,
    machineCores,
    partiesCpuMs: (cpuMs['sandbox'] ?? 0) + (cpuMs['load generator'] ?? 0),
    othersCpuMs: othersMs,
  };
  const atOnceMs = { median: destination.atOnceMs, p99: destination.atOnceMs };
  return simulatePayments({ values, deployment, load: { clients }, payments: simulated, seed: 1, atOnceMs });
}
