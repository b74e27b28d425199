// `npm run bench -- payments`: measures the cost and speed of a payment, and compares it with the floor. The
// floor is an empty workflow of the same shape on the same Temporal server. Payments and floor run in turns,
// so that a busy machine slows both alike. See bench/README.md.
import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { paymentWorkflowId } from '../contract/ids.ts';
import { part } from '../fixtures/filled-days.ts';
import { closedCount, quantile } from './closed-count.ts';
import { cpuTimes } from './cpu-time.ts';
import { startFloor, type Floor } from './floor.ts';
import { positive, readOptions } from './options.ts';
import { openPaymentLoad, type PaymentLoad, type ReadyPayment, type Taken } from './payment-load.ts';
import { startPaymentServices, type PaymentServices } from './payment-services.ts';
import type { ThrowawayPlace } from '../cli/throwaway.ts';
import { renderReport, type HistoryCost, type PaymentsResult, type SideResult } from './payments-report.ts';
import { measuredFigures, readStoredBytes } from './service-times.ts';

const optionTable = {
  payments: { type: 'string', default: '1500' },
  concurrency: { type: 'string', default: '32' },
  /** Encrypts stored data, as SEALING_KEYS does in production (SEC-3). */
  sealed: { type: 'boolean', default: false },
  /** Prints one JSON object instead of the table; progress goes to standard error. */
  json: { type: 'boolean', default: false },
  /** Writes the service times to this file, for `isthmus size --measured`. */
  'measure-size': { type: 'string' },
} as const;

// maximum payments per round, so that their quotes do not expire (QUO-6) and callbacks do not pile up
const largestRound = 500;
// number of unmeasured runs on each side, to compile code, open connections and prepare statements
const warmUps = 300;
const idleSubmissions = 60; // number of idle submissions on each side
const describedPerKind = 25; // number of workflow executions of each kind whose history is measured
const trailingMs = 1_500; // time for the work that follows a callback

/**
 * The time until the simulated destination reports for account 0002. The floor waits equally long before its
 * second update.
 */
const answerDelayMs = 300;

interface Bench {
  readonly services: PaymentServices;
  readonly client: Client;
  readonly load: PaymentLoad;
  readonly floor: Floor;
  readonly say: (line: string) => void;
}

/** The measurements so far of one side: the payments or the floor. */
interface Side {
  readonly taken: Taken[];
  seconds: number;
  readonly cpuMs: Record<string, number>;
}

export async function benchPayments(argv: readonly string[], place: ThrowawayPlace): Promise<void> {
  const values = readOptions(argv, optionTable);
  const concurrency = positive(values.concurrency, '--concurrency');
  const plan = { payments: positive(values.payments, '--payments'), concurrency };
  const say = (line: string) => void (values.json ? process.stderr : process.stdout).write(`${line}\n`);
  const services = await startPaymentServices({ place, say, isSealed: values.sealed });
  const connection = await Connection.connect({ address: services.temporal.address });
  place.atEnd(() => connection.close());
  const client = new Client({ connection, namespace: services.temporal.namespace });
  const floor = await startFloor({ client, ...services.temporal, ...services.floor, answerDelayMs });
  place.atEnd(() => floor.stop());
  const load = await openPaymentLoad(services.apiUrl, { concurrency });
  place.atEnd(() => load.close());
  const before = await readStoredBytes(services.databaseUrl);
  const result = await measure({ services, client, load, floor, say }, plan);
  const sizeFile = values['measure-size'];
  if (sizeFile !== undefined) {
    const stored = { before, after: await readStoredBytes(services.databaseUrl) };
    const measured = measuredFigures('payments', { ...result.payments, answersAtOnce: 0.5, stored });
    writeFileSync(sizeFile, `${JSON.stringify(measured, undefined, 2)}\n`);
  }
  console.log(values.json ? JSON.stringify(result) : renderReport(result));
}

async function measure(
  bench: Bench,
  plan: { readonly payments: number; readonly concurrency: number },
): Promise<PaymentsResult> {
  const { concurrency } = plan;
  const newSide = (): Side => ({ taken: [], seconds: 0, cpuMs: {} });
  await floorRound(bench, newSide(), { tasks: warmUps, concurrency });
  await paymentRound(bench, newSide(), { tasks: warmUps, concurrency });
  bench.say(`  warmed up with ${warmUps} each`);
  const payments = newSide();
  const floor = newSide();
  const rounds = Math.max(2, Math.ceil(plan.payments / largestRound));
  for (let round = 0; round < rounds; round += 1) {
    await floorRound(bench, floor, { tasks: part(plan.payments, rounds + 1, round), concurrency });
    await paymentRound(bench, payments, { tasks: part(plan.payments, rounds, round), concurrency });
    bench.say(
      `  ${payments.taken.length} of ${plan.payments} payments, ${(payments.taken.length / payments.seconds).toFixed(1)}/s; ` +
        `floor ${(floor.taken.length / floor.seconds).toFixed(1)}/s`,
    );
  }
  await floorRound(bench, floor, { tasks: part(plan.payments, rounds + 1, rounds), concurrency });
  const idle = await idleLatency(bench);
  return {
    concurrency,
    answerDelayMs,
    payments: await resultOf(bench, payments, idle.payments, paymentWorkflowId),
    floor: await resultOf(bench, floor, idle.floor, (id) => id),
  };
}

interface Round {
  readonly tasks: number;
  readonly concurrency: number;
}

async function floorRound(bench: Bench, side: Side, round: Round): Promise<void> {
  const { services, floor } = bench;
  const processes = { worker: floor.pid, Temporal: services.pids.temporal, client: process.pid };
  await measured(side, round, processes, async (n) => {
    side.taken.push(await floor.run(n % 2 === 0));
  });
}

async function paymentRound(bench: Bench, side: Side, round: Round): Promise<void> {
  const { load, services } = bench;
  const { pids } = services;
  const ready = await load.prepare(round.tasks);
  const processes = {
    api: pids.api,
    worker: pids.worker,
    Temporal: pids.temporal,
    Postgres: pids.postgres,
    sandbox: pids.sandbox,
    'load generator': process.pid,
  };
  await measured(side, round, processes, async (n) => {
    side.taken.push(await load.run(ready[n] as ReadyPayment));
  });
}

/**
 * Runs a round and adds its seconds to the side. It also adds the CPU time of each process, including the
 * work that follows the callbacks.
 */
async function measured(
  side: Side,
  round: Round,
  processes: Readonly<Record<string, number | undefined>>,
  task: (n: number) => Promise<void>,
): Promise<void> {
  const known = Object.entries(processes).flatMap(([name, pid]) =>
    pid === undefined ? [] : [{ name, pid }],
  );
  const read = () => cpuTimes(known.map(({ pid }) => pid));
  const before = read();
  side.seconds += await closedCount(round, task);
  await delay(trailingMs);
  const after = read();
  for (const [index, { name }] of known.entries()) {
    side.cpuMs[name] = (side.cpuMs[name] ?? 0) + (after[index] ?? 0) - (before[index] ?? 0);
  }
}

/**
 * Measures the median time of a submission on an idle system, in milliseconds. Payments and floor take turns.
 */
async function idleLatency({ load, floor, say }: Bench): Promise<{ payments: number; floor: number }> {
  const ready = await load.prepare(idleSubmissions);
  const times = { payments: [] as number[], floor: [] as number[] };
  for (const payment of ready) {
    times.payments.push((await load.run(payment)).submitMs);
    await delay(100); // time for the work that follows the callback
    times.floor.push((await floor.run(payment.answersAtOnce)).submitMs);
    await delay(100);
  }
  say('  idle latency measured');
  return { payments: quantile(times.payments, 0.5), floor: quantile(times.floor, 0.5) };
}

async function resultOf(
  bench: Bench,
  side: Side,
  idleSubmitMs: number,
  workflowId: (id: string) => string,
): Promise<SideResult> {
  const kind = async (answersAtOnce: boolean) => {
    const taken = side.taken.filter((one) => one.answersAtOnce === answersAtOnce);
    const totals = taken.map(({ totalMs }) => totalMs);
    return {
      totalMs: { p50: quantile(totals, 0.5), p99: quantile(totals, 0.99) },
      history: await historyCost(
        bench.client,
        taken.slice(-describedPerKind).map(({ id }) => workflowId(id)),
      ),
    };
  };
  const submits = side.taken.map(({ submitMs }) => submitMs);
  return {
    count: side.taken.length,
    perSecond: side.taken.length / side.seconds,
    submitMs: { p50: quantile(submits, 0.5), p99: quantile(submits, 0.99) },
    idleSubmitMs,
    cpuMs: Object.fromEntries(Object.entries(side.cpuMs).map(([name, ms]) => [name, ms / side.taken.length])),
    atOnce: await kind(true),
    later: await kind(false),
  };
}

/** Measures the mean history size of some workflow executions that ran under load. */
async function historyCost(client: Client, workflowIds: readonly string[]): Promise<HistoryCost> {
  let events = 0;
  let transitions = 0;
  for (const workflowId of workflowIds) {
    const { raw } = await client.workflow.getHandle(workflowId).describe();
    events += Number(raw.workflowExecutionInfo?.historyLength);
    transitions += Number(raw.workflowExecutionInfo?.stateTransitionCount);
  }
  return { events: events / workflowIds.length, transitions: transitions / workflowIds.length };
}
