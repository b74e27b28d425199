// `npm run bench -- size`: checks the model of `isthmus size` against the real system at three loads. Service
// times come from a run of its own at a fourth load. See bench/README.md.
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { simulatePayments, type Deployment, type ModelResult } from '../cli/size/payment-model.ts';
import { shippedFigures, valuesOf, withMeasured, type Values } from '../cli/size/figures.ts';
import { UserError } from '../cli/errors.ts';
import type { ThrowawayPlace } from '../cli/throwaway.ts';
import { quantile } from './closed-count.ts';
import { cpuTimesByName, machineCpuTime } from './cpu-time.ts';
import { positive, readOptions } from './options.ts';
import { openPaymentLoad, payClosedLoop, type PaymentLoad, type Taken } from './payment-load.ts';
import { processesOfPayments, startPaymentServices, type PaymentServices } from './payment-services.ts';
import { measuredFigures } from './service-times.ts';

const optionTable = { payments: { type: 'string', default: '400' } } as const;

const warmUps = 300;
const measuringClients = 12;
const checkedClients = [4, 16, 32] as const;
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
  readonly perSecond: number;
  /** Milliseconds of CPU time per payment, by process. */
  readonly cpuMs: Readonly<Record<string, number>>;
  /** Cores that other programs of the machine kept busy. */
  readonly othersCores: number;
}

export async function benchSize(argv: readonly string[], place: ThrowawayPlace): Promise<void> {
  const payments = positive(readOptions(argv, optionTable).payments, '--payments');
  const services = await startPaymentServices({ place, say: (line) => console.log(line) });
  const load = await openPaymentLoad(services.apiUrl, { concurrency: Math.max(...checkedClients) });
  place.atEnd(() => load.close());
  const bench = { services, load };
  await runPayments(bench, warmUps, measuringClients);
  const measured = await runPayments(bench, payments, measuringClients);
  const idleSubmitMs = await idleSubmit(load);
  const values = valuesOfMachine(measured, idleSubmitMs);
  const { api = 0, worker = 0, Temporal = 0, Postgres = 0 } = measured.cpuMs;
  console.log(
    `  CPU ms a payment, ${measuringClients} clients: api ${api.toFixed(1)}, worker ${worker.toFixed(1)}, ` +
      `Temporal ${Temporal.toFixed(1)}, Postgres ${Postgres.toFixed(1)}; idle submit ${idleSubmitMs.toFixed(1)} ms\n`,
  );
  console.log('clients  figure            measured     model    apart');
  let isApart = false;
  let others = measured.othersCores;
  for (const clients of checkedClients) {
    const real = await runPayments(bench, payments, clients);
    others = Math.max(others, real.othersCores);
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
  console.log(`other programs kept at most ${others.toFixed(2)} cores busy`);
  if (!isApart) return;
  throw new UserError(
    `The model is more than ${100 * tolerance} % apart from the system.${others > quietCores ? ' Repeat this on a machine that does nothing else.' : ''}`,
  );
}

function compared(real: Run, model: ModelResult) {
  const totals = real.taken.map(({ totalMs }) => totalMs);
  return [
    { name: 'payments/s', of: real.perSecond, by: model.perSecond },
    { name: 'callback p50 ms', of: quantile(totals, 0.5), by: model.finalMs.p50 },
  ];
}

async function runPayments({ services, load }: Bench, count: number, clients: number): Promise<Run> {
  const ready = await load.prepare(count);
  const read = () => [machineCpuTime(), cpuTimesByName(processesOfPayments(services))] as const;
  const [machineBefore, before] = read();
  const began = performance.now();
  const { seconds, taken } = await payClosedLoop(load, ready, clients);
  await delay(trailingMs);
  const [machineAfter, after] = read();
  const elapsedMs = performance.now() - began;
  const cpuMs = Object.fromEntries(
    Object.entries(after).map(([name, ms]) => [name, (ms - (before[name] ?? 0)) / count]),
  );
  const ownMs = Object.values(cpuMs).reduce((sum, ms) => sum + ms, 0) * count;
  const othersCores = Math.max(0, (machineAfter - machineBefore - ownMs) / elapsedMs);
  return { taken, perSecond: count / seconds, cpuMs, othersCores };
}

async function idleSubmit(load: PaymentLoad): Promise<number> {
  const times: number[] = [];
  for (const payment of await load.prepare(idleSubmissions)) {
    times.push((await load.run(payment)).submitMs);
    await delay(100);
  }
  return quantile(times, 0.5);
}

function valuesOfMachine({ cpuMs }: Run, idleSubmitMs: number): Values {
  const measured = measuredFigures('size', { cpuMs, idleSubmitMs, answersAtOnce: 0.5 });
  return {
    ...valuesOf(withMeasured(shippedFigures, measured)),
    destinationMs: destination.laterMs,
    destinationP99Ms: destination.laterMs,
    deliveryMs: 2, // the sandbox and the load generator answer at once
    systems: 1, // one destination
  };
}

/** The processes of the benchmark share the cores of this machine. */
function simulateMachine(values: Values, { cpuMs }: Run, clients: number): ModelResult {
  const machineCores = availableParallelism();
  const deployment: Deployment = {
    apis: 1,
    workers: 1,
    // The development server writes to SQLite in this process, so its one shard waits for no disk.
    shards: 64,
    temporalCores: machineCores,
    temporalDatabaseCores: machineCores,
    postgresCores: machineCores,
    machineCores,
    partiesCpuMs: (cpuMs['sandbox'] ?? 0) + (cpuMs['load generator'] ?? 0),
  };
  const atOnceMs = { median: destination.atOnceMs, p99: destination.atOnceMs };
  return simulatePayments({ values, deployment, load: { clients }, payments: simulated, seed: 1, atOnceMs });
}
