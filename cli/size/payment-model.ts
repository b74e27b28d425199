// The way of a payment through the system, as a network of queues. Each state transition in Temporal is one
// round through the parts: Temporal's server and shard, the worker's two threads, a statement in Postgres.
// The model is deterministic by its seed.
import { mostSendsAtOnce } from '../../core/deliveries/receiver.ts';
import { createRandom, type Random } from './random.ts';
import { createSimulation, use, type Pool, type Process } from './simulation.ts';
import type { Values } from './figures.ts';

export interface Deployment {
  readonly apis: number;
  readonly workers: number;
  readonly shards: number;
  readonly temporalCores: number;
  readonly temporalDatabaseCores: number;
  readonly postgresCores: number;
  /** Cores that all parts share, as on the machine of a benchmark; absent: each has its own. */
  readonly machineCores?: number;
  /** CPU of the parties that share the machine, in ms a payment. */
  readonly partiesCpuMs?: number;
}

/** `perSecond`: payments arrive at random. `clients`: each submits its next payment after the callback. */
export type Load = { readonly perSecond: number } | { readonly clients: number };

export interface ModelOptions {
  readonly values: Values;
  readonly deployment: Deployment;
  readonly load: Load;
  /** How many payments are simulated. The middle third is measured. */
  readonly payments: number;
  readonly seed: number;
  /** Answer times of destinations that answer in the HTTP response; default: those of all destinations. */
  readonly atOnceMs?: { readonly median: number; readonly p99: number };
}

export interface Quantiles {
  readonly p50: number;
  readonly p99: number;
}

export interface ModelResult {
  /** Payments per second that were finished while the middle third ran. */
  readonly perSecond: number;
  /** From the pacs.008 to the pacs.002 ACTC, in milliseconds. */
  readonly submitMs: Quantiles;
  /** From the pacs.008 to the callback, in milliseconds. */
  readonly finalMs: Quantiles;
}

export const connectionsOfProcess = 20; // activities/start.ts, api/start.ts

/**
 * The stages of a payment. `worker` and `postgres` are shares of the CPU of a payment, `rounds` transitions
 * in Temporal. Estimates from the order of the steps; benchmarks measure only the sums.
 */
const stages = {
  submit: { worker: 0.3, postgres: 0.35, rounds: 3 },
  forward: { worker: 0.25, postgres: 0.2, rounds: 2 },
  decideAtOnce: { worker: 0.2, postgres: 0.2, rounds: 2 },
  decideLater: { worker: 0.2, postgres: 0.2, rounds: 3 },
  /** Until the callback is delivered. */
  tell: { worker: 0.17, postgres: 0.15, rounds: 2 },
  /** After the callback: the outcome is stored, the execution closes. */
  close: { worker: 0.08, postgres: 0.1, rounds: 1 },
} as const;
type Stage = (typeof stages)[keyof typeof stages];

const apiShares = { submit: 0.6, report: 0.4 }; // of the CPU of the api
const measuredLater = 0.5; // share of payments with a report in the benchmark that measured the api

/** A process of Node: its thread runs on one core at a time. */
interface NodeProcess {
  readonly main: readonly Pool[];
  readonly workflows: readonly Pool[];
  readonly connections: Pool;
  /** Sends under way, by destination. */
  readonly gates: readonly Pool[];
}

interface World {
  readonly options: ModelOptions;
  readonly random: Random;
  readonly start: (process: Process) => void;
  readonly apis: readonly NodeProcess[];
  readonly workers: readonly NodeProcess[];
  readonly shards: readonly Pool[];
  readonly temporal: readonly Pool[];
  readonly temporalDatabase: readonly Pool[];
  readonly postgres: readonly Pool[];
  /** The machine's cores, if the parties share them. */
  readonly machine: readonly Pool[];
}

/** The processes that handle one payment. */
interface Route {
  readonly api: NodeProcess;
  readonly worker: NodeProcess;
  readonly shard: Pool;
  readonly destination: number;
}

export function simulatePayments(options: ModelOptions): ModelResult {
  const simulation = createSimulation();
  const world = build(options, simulation);
  const { payments, load } = options;
  const measured = { from: Math.floor(payments / 3), to: Math.floor((2 * payments) / 3) };
  const submits: number[] = [];
  const finals: number[] = [];
  const ends: number[] = [];
  let begun = 0;

  function* one(number: number): Process {
    const began = simulation.now();
    const isMeasured = number >= measured.from && number < measured.to;
    yield* pay(world, {
      onSubmitted: () => {
        if (isMeasured) submits.push(simulation.now() - began);
      },
      onFinal: () => {
        ends.push(simulation.now());
        if (isMeasured) finals.push(simulation.now() - began);
      },
    });
  }
  function* client(): Process {
    while (begun < payments) yield* one(begun++);
  }
  function* arrivals(perSecond: number): Process {
    for (let number = 0; number < payments; number += 1) {
      yield world.random.exponential(1_000 / perSecond);
      simulation.start(one(number));
    }
  }
  if ('clients' in load) for (let n = 0; n < load.clients; n += 1) simulation.start(client());
  else simulation.start(arrivals(load.perSecond));
  simulation.run();
  const [first = 0, last = 0] = [ends[measured.from], ends[measured.to]];
  return {
    perSecond: ((measured.to - measured.from) * 1_000) / (last - first),
    submitMs: quantilesOf(submits),
    finalMs: quantilesOf(finals),
  };
}

function build(options: ModelOptions, simulation: ReturnType<typeof createSimulation>): World {
  const { deployment, values, seed } = options;
  const { machineCores } = deployment;
  const machine = machineCores === undefined ? [] : [simulation.pool(machineCores)];
  const many = <T>(count: number, make: () => T): readonly T[] => Array.from({ length: count }, make);
  const cores = (count: number) => (machineCores === undefined ? [simulation.pool(count)] : machine);
  const node = (): NodeProcess => ({
    main: [simulation.pool(1), ...machine],
    workflows: [simulation.pool(1), ...machine],
    connections: simulation.pool(connectionsOfProcess),
    gates: many(values.systems, () => simulation.pool(mostSendsAtOnce)),
  });
  return {
    options,
    random: createRandom(seed),
    start: simulation.start,
    apis: many(deployment.apis, node),
    workers: many(deployment.workers, node),
    shards: many(deployment.shards, () => simulation.pool(1)), // one write at a time (history.shardIOConcurrency)
    temporal: cores(deployment.temporalCores),
    temporalDatabase: cores(deployment.temporalDatabaseCores),
    postgres: cores(deployment.postgresCores),
    machine,
  };
}

interface Moments {
  readonly onSubmitted: () => void;
  readonly onFinal: () => void;
}

function* pay(world: World, { onSubmitted, onFinal }: Moments): Process {
  const { random, options } = world;
  const { values, deployment, atOnceMs } = options;
  const route: Route = {
    api: random.pick(world.apis),
    worker: random.pick(world.workers),
    shard: random.pick(world.shards),
    destination: Math.floor(random.share() * values.systems),
  };
  const answersAtOnce = random.share() < values.answersAtOnce;
  const apiMs = (share: number) => random.exponential(values.apiCpuMs * share);
  const partiesMs = (deployment.partiesCpuMs ?? 0) / 2;

  yield* use(world.machine, random.exponential(partiesMs));
  yield* use(route.api.main, apiMs(apiShares.submit));
  yield* stage(world, route, stages.submit, route.api);
  onSubmitted();

  yield* stage(world, route, stages.forward);
  const usual = { median: values.destinationMs, p99: values.destinationP99Ms };
  const { median, p99 } = (answersAtOnce ? atOnceMs : undefined) ?? usual;
  const answerMs = random.logNormal(median, p99);
  const gate = route.worker.gates[route.destination] as Pool;
  yield* use([gate], answersAtOnce ? answerMs : values.deliveryMs);
  yield* use(world.machine, random.exponential(partiesMs));
  if (answersAtOnce) yield* stage(world, route, stages.decideAtOnce);
  else {
    yield answerMs;
    yield* use(route.api.main, apiMs(apiShares.report / measuredLater));
    yield* stage(world, route, stages.decideLater, route.api);
  }

  yield* stage(world, route, stages.tell);
  yield values.deliveryMs;
  onFinal();
  world.start(stage(world, route, stages.close)); // nobody waits for it
}

/** One stage: a round through the parts for each transition in Temporal. The first statement may be the api's. */
function* stage(
  world: World,
  { worker, shard }: Route,
  { worker: workerShare, postgres: postgresShare, rounds }: Stage,
  first: NodeProcess = worker,
): Process {
  const { random, options } = world;
  const { values } = options;
  const times = timesOf(values);
  const workerMs = (share: number) => random.exponential((values.workerCpuMs * workerShare * share) / rounds);
  for (let round = 0; round < rounds; round += 1) {
    yield* use(world.temporal, random.exponential(times.serverMs * (1 - values.offPathShare)));
    world.start(use(world.temporal, random.exponential(times.serverMs * values.offPathShare)));
    yield* write([shard], world.temporalDatabase, random.exponential(times.databaseMs), values.flushMs);
    yield times.waitMs;
    yield* use(worker.workflows, workerMs(1 - values.workerMainShare));
    yield* use(worker.main, workerMs(values.workerMainShare));
    const statementMs = random.exponential((values.postgresCpuMs * postgresShare) / rounds);
    const { connections } = round === 0 ? first : worker;
    yield* write([connections], world.postgres, statementMs, values.flushMs);
  }
}

/** Holds the connection or the shard while Postgres works, and until the disk has the commit. */
function* write(held: readonly Pool[], cores: readonly Pool[], cpuMs: number, flushMs: number): Process {
  for (const pool of held) yield pool;
  yield* use(cores, cpuMs);
  yield flushMs;
  for (const pool of held) pool.release();
}

/** Milliseconds of one transition. */
function timesOf(values: Values): {
  readonly serverMs: number;
  readonly databaseMs: number;
  /** Time on the way that costs no CPU, such as polls; fitted to the idle submission. */
  readonly waitMs: number;
} {
  const temporalMs = values.temporalCpuMs / values.transitions;
  const serverMs = temporalMs * (1 - values.temporalDatabaseShare);
  const databaseMs = temporalMs * values.temporalDatabaseShare;
  const { worker, postgres, rounds } = stages.submit;
  const busyMs =
    values.apiCpuMs * apiShares.submit +
    values.workerCpuMs * worker +
    values.postgresCpuMs * postgres +
    rounds * (serverMs * (1 - values.offPathShare) + databaseMs + 2 * values.flushMs);
  return { serverMs, databaseMs, waitMs: Math.max(0, (values.idleSubmitMs - busyMs) / rounds) };
}

function quantilesOf(times: readonly number[]): Quantiles {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
  return { p50: at(0.5), p99: at(0.99) };
}
