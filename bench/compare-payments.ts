// Compares payments with the floors in a closed loop: throughput, latency, CPU, history. All run in turns.
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { paymentWorkflowId } from '../contract/ids.ts';
import { part } from '../fixtures/filled-days.ts';
import type { ThrowawayPlace } from '../cli/throwaway.ts';
import type { Say } from '../cli/parts/progress.ts';
import { readUse, usedCores, type UseReading } from './by-workers.ts';
import { quantile } from './closed-count.ts';
import { cpuTimesByName } from './cpu-time.ts';
import type { FloorShape } from './floor/contract.ts';
import { openFloor, type Floor } from './floor/floor.ts';
import {
  payClosedLoop,
  type PaidRound,
  type PaymentLoad,
  type ReadyPayment,
  type Taken,
} from './payment-load.ts';
import { processesOfPayments, type PaymentServices } from './payment-services.ts';
import type { HistoryCost, PaymentsResult, SideResult } from './payments-report.ts';

// maximum payments per round, so that their quotes do not expire (QUO-6) and callbacks do not pile up
const largestRound = 500;
// number of unmeasured runs on each side, to compile code, open connections and prepare statements
const warmUps = 300;
const idleSubmissions = 60; // number of idle submissions on each side
const describedPerKind = 25; // number of workflow executions of each kind whose history is measured
const trailingMs = 1_500; // time for the work that follows a callback

/**
 * The time until the simulated destination reports for account 0002. The floors wait equally long before
 * their second update.
 */
const answerDelayMs = 300;

export interface ComparisonPlan {
  readonly payments: number;
  readonly concurrency: number;
  readonly workers: number;
}

interface Compared {
  readonly place: ThrowawayPlace;
  readonly services: PaymentServices;
  readonly load: PaymentLoad;
  readonly say: Say;
}

interface Bench extends Compared {
  readonly client: Client;
  readonly floor: Floor;
}

/** The measurements so far of one side: the payments or a floor. */
interface Side {
  readonly taken: Taken[];
  seconds: number;
  readonly cpuMs: Record<string, number>;
  /** Readings before and after each round. */
  readonly uses: (readonly [UseReading, UseReading])[];
}

const sides = ['fixedFloor', 'payments', 'shapedFloor'] as const;
type SideName = (typeof sides)[number];

export async function comparePayments(compared: Compared, plan: ComparisonPlan): Promise<PaymentsResult> {
  const { services, place } = compared;
  const connection = await Connection.connect({ address: services.temporal.address });
  place.atEnd(() => connection.close());
  const client = new Client({ connection, namespace: services.temporal.namespace });
  return measure({ ...compared, client, floor: openFloor(services, answerDelayMs) }, plan);
}

async function measure(bench: Bench, plan: ComparisonPlan): Promise<PaymentsResult> {
  const { concurrency, workers } = plan;
  const newSide = (): Side => ({ taken: [], seconds: 0, cpuMs: {}, uses: [] });
  for (const name of sides) await runRound(bench, { name, side: newSide() }, { tasks: warmUps, concurrency });
  bench.say(`  warmed up with ${warmUps} each`);
  const measured = { payments: newSide(), fixedFloor: newSide(), shapedFloor: newSide() };
  const rounds = Math.max(sides.length, Math.ceil(plan.payments / largestRound));
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < sides.length; turn += 1) {
      // another side begins each round, because the timers of one side fire during the next
      const name = sides[(round + turn) % sides.length] ?? 'payments';
      const tasks = part(plan.payments, rounds, round);
      await runRound(bench, { name, side: measured[name] }, { tasks, concurrency });
    }
    const rates = sides.map((name) => `${name} ${rateOf(measured[name]).toFixed(1)}/s`);
    bench.say(`  ${measured.payments.taken.length} of ${plan.payments} payments; ${rates.join(', ')}`);
  }
  const idle = await idleLatency(bench);
  const result = (name: SideName, workflowId = (id: string) => id) =>
    resultOf(bench, measured[name], { idleSubmitMs: idle[name], workflowId });
  return {
    ...{ concurrency, workers, answerDelayMs, usedCores: usedCores(measured.payments.uses) },
    payments: await result('payments', paymentWorkflowId),
    fixedFloor: await result('fixedFloor'),
    shapedFloor: await result('shapedFloor'),
  };
}

const rateOf = ({ taken, seconds }: Side): number => taken.length / seconds;

interface Round {
  readonly tasks: number;
  readonly concurrency: number;
}

async function runRound(
  bench: Bench,
  { name, side }: { readonly name: SideName; readonly side: Side },
  round: Round,
): Promise<void> {
  if (name !== 'payments') {
    await measured(side, floorProcesses(bench), () => bench.floor.run(name, round));
    return;
  }
  const ready = await bench.load.prepare(round.tasks);
  await measured(side, processesOfPayments(bench.services), () =>
    payClosedLoop(bench.load, ready, round.concurrency),
  );
}

function floorProcesses({ services: { processes, isTemporalOnPostgres } }: Bench) {
  const { Temporal, Postgres } = processes;
  const engine = { Temporal, Postgres: isTemporalOnPostgres ? Postgres : [] };
  return { client: processes['floor-client'], worker: processes['floor-worker'], ...engine };
}

/**
 * Adds a round to the side: its seconds, its times, and the CPU time of each process, including the work that
 * follows the callbacks.
 */
async function measured(
  side: Side,
  processes: Readonly<Record<string, readonly number[]>>,
  run: () => Promise<PaidRound>,
): Promise<void> {
  const before = readUse(processes);
  const { seconds, taken } = await run();
  side.uses.push([before, readUse(processes)]);
  await delay(trailingMs);
  side.seconds += seconds;
  side.taken.push(...taken);
  for (const [name, ms] of Object.entries(cpuTimesByName(processes)))
    side.cpuMs[name] = (side.cpuMs[name] ?? 0) + ms - (before.partMs[name] ?? 0);
}

/** Measures the median time of a submission on an idle system, in milliseconds. The sides take turns. */
async function idleLatency({ load, floor, say }: Bench): Promise<Record<SideName, number>> {
  const times: Record<SideName, number[]> = { payments: [], fixedFloor: [], shapedFloor: [] };
  const floorOnce = (shape: FloorShape, { answersAtOnce }: ReadyPayment) =>
    floor.runOnce(shape, answersAtOnce);
  for (const payment of await load.prepare(idleSubmissions)) {
    for (const name of sides) {
      const taken = await (name === 'payments' ? load.run(payment) : floorOnce(name, payment));
      times[name].push(taken.submitMs);
      await delay(100); // time for the work that follows the callback
    }
  }
  say('  idle latency measured');
  const median = (name: SideName) => quantile(times[name], 0.5);
  return {
    payments: median('payments'),
    fixedFloor: median('fixedFloor'),
    shapedFloor: median('shapedFloor'),
  };
}

async function resultOf(
  bench: Bench,
  side: Side,
  {
    idleSubmitMs,
    workflowId,
  }: { readonly idleSubmitMs: number; readonly workflowId: (id: string) => string },
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
    perSecond: rateOf(side),
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
