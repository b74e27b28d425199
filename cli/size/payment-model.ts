// The way of a payment through the system, as a network of queues. A stage of the payment passes Temporal's
// server and shard, the worker's two threads, and Postgres. The model is deterministic by its seed.
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
  /** CPU of all other programs that share the machine, in ms a payment. No payment waits for them to end. */
  readonly othersCpuMs?: number;
  /** How long a write of Temporal waits for the disk; absent: as long as a commit of Isthmus. */
  readonly temporalFlushMs?: number;
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
  /** The same for each kind: the destination answers in the HTTP response, or reports later. */
  readonly finalOfMs: Readonly<Record<Kind, Quantiles>>;
}

export type Kind = 'atOnce' | 'later';

export const connectionsOfProcess = 20; // activities/start.ts, api/start.ts
export const submissionsAtOnce = 8; // of one system in one api (turnKinds of api/http/limits/turns.ts)

/** What a stage takes, counted in the code. The counts divide the CPU of a part: benchmarks measure its sum. */
export interface Stage {
  /** State transitions in Temporal. */
  readonly transitions: number;
  /** Workflow tasks, which take the workflow thread of a worker. */
  readonly tasks: number;
  /** Statements, messages read or made, and HTTP exchanges, which take the main thread of a worker. */
  readonly steps: number;
  /** Statements in Postgres, also those of the api. */
  readonly statements: number;
  /** How many of the statements write. Their commits wait for the disk. */
  readonly commits: number;
}

const stages = {
  /** The api stores the pacs.008, the worker judges it, the api answers. */
  submit: { transitions: 3, tasks: 1, steps: 6, statements: 5, commits: 2 },
  /** Claims and sends the instruction. Temporal starts the activity eagerly, without a further transition. */
  send: { transitions: 0, tasks: 0, steps: 2, statements: 1, commits: 1 },
  /** The sending activity reads the final status in the answer, and decides. */
  decideAtOnce: { transitions: 0, tasks: 0, steps: 9, statements: 5, commits: 3 },
  /** The answer is a receipt. The activity ends, and the workflow shows the payment as accepted. */
  takeReceipt: { transitions: 3, tasks: 1, steps: 1, statements: 1, commits: 1 },
  /** The api stores the report, the worker decides. */
  decideLater: { transitions: 1, tasks: 1, steps: 5, statements: 4, commits: 2 },
  /** Claims and sends the deliveries, eagerly too. */
  tell: { transitions: 0, tasks: 0, steps: 5, statements: 2, commits: 1 },
  /** Settles three deliveries. The activity ends, and the workflow closes. */
  closeAtOnce: { transitions: 3, tasks: 1, steps: 3, statements: 3, commits: 3 },
  /** The same with two deliveries. The api reads the confirmation for its answer. */
  closeLater: { transitions: 3, tasks: 1, steps: 2, statements: 3, commits: 2 },
} as const satisfies Readonly<Record<string, Stage>>;

const { submit, send, decideAtOnce, takeReceipt, decideLater, tell, closeAtOnce, closeLater } = stages;

/** @internal exported for tests */
export const stagesOf = {
  atOnce: [submit, send, decideAtOnce, tell, closeAtOnce],
  later: [submit, send, takeReceipt, decideLater, tell, closeLater],
} as const;

/** Mean count of a payment, with half of the payments at once, as in the benchmarks. */
function meanOf(count: keyof Stage): number {
  const all = [...stagesOf.atOnce, ...stagesOf.later];
  return all.reduce((sum, stage) => sum + stage[count], 0) / 2;
}

const sliceMs = 0.5; // time of a thread on a shared core before the next thread has its turn
const longestDeferMs = 20; // for which work that nobody waits for lets others go first; fitted
const apiShares = { submit: 0.6, report: 0.4 }; // of the CPU of the api
const measuredLater = 0.5; // share of payments with a report in the benchmark that measured the api

/** A process of Node, with two threads. Each runs on one core at a time. */
interface NodeProcess {
  readonly main: Pool;
  readonly workflows: Pool;
  readonly connections: Pool;
  /** Submissions that are judged, by payment system. */
  readonly turns: readonly Pool[];
  /** Sends under way, by destination. */
  readonly gates: readonly Pool[];
}

interface World {
  readonly options: ModelOptions;
  readonly random: Random;
  readonly times: ReturnType<typeof timesOf>;
  readonly start: (process: Process) => void;
  readonly apis: readonly NodeProcess[];
  readonly workers: readonly NodeProcess[];
  readonly shards: readonly Pool[];
  /** Threads that run at the same time: as many as cores, or any number if all parts share the cores. */
  readonly temporal: Pool;
  readonly temporalDatabase: Pool;
  readonly postgres: Pool;
  readonly parties: Pool;
  /** The cores that all parts share, if they do. */
  readonly machine: Pool | undefined;
}

/** The processes that handle one payment. */
interface Route {
  readonly api: NodeProcess;
  readonly worker: NodeProcess;
  readonly shard: Pool;
  readonly source: number;
  readonly destination: number;
}

export function simulatePayments(options: ModelOptions): ModelResult {
  const simulation = createSimulation();
  const world = build(options, simulation);
  const { payments, load } = options;
  const measured = { from: Math.floor(payments / 3), to: Math.floor((2 * payments) / 3) };
  const submits: number[] = [];
  const finals: Readonly<Record<Kind, number[]>> = { atOnce: [], later: [] };
  const ends: number[] = [];
  let begun = 0;

  function* one(number: number): Process {
    const began = simulation.now();
    const isMeasured = number >= measured.from && number < measured.to;
    yield* pay(world, {
      onSubmitted: () => {
        if (isMeasured) submits.push(simulation.now() - began);
      },
      onFinal: (kind) => {
        ends.push(simulation.now());
        if (isMeasured) finals[kind].push(simulation.now() - began);
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
    finalMs: quantilesOf([...finals.atOnce, ...finals.later]),
    finalOfMs: { atOnce: quantilesOf(finals.atOnce), later: quantilesOf(finals.later) },
  };
}

function build(options: ModelOptions, simulation: ReturnType<typeof createSimulation>): World {
  const { deployment, values, seed } = options;
  const { machineCores } = deployment;
  const many = <T>(count: number, make: () => T): readonly T[] => Array.from({ length: count }, make);
  const cores = (count: number) => simulation.pool(machineCores === undefined ? count : Infinity);
  const node = (): NodeProcess => ({
    main: simulation.pool(1),
    workflows: simulation.pool(1),
    connections: simulation.pool(connectionsOfProcess),
    turns: many(values.systems, () => simulation.pool(submissionsAtOnce)),
    gates: many(values.systems, () => simulation.pool(mostSendsAtOnce)),
  });
  return {
    options,
    random: createRandom(seed),
    times: timesOf(options),
    start: simulation.start,
    apis: many(deployment.apis, node),
    workers: many(deployment.workers, node),
    shards: many(deployment.shards, () => simulation.pool(1)), // one write at a time (history.shardIOConcurrency)
    temporal: cores(deployment.temporalCores),
    temporalDatabase: cores(deployment.temporalDatabaseCores),
    postgres: cores(deployment.postgresCores),
    parties: simulation.pool(Infinity),
    machine: machineCores === undefined ? undefined : simulation.pool(machineCores),
  };
}

interface Moments {
  readonly onSubmitted: () => void;
  readonly onFinal: (kind: Kind) => void;
}

function* pay(world: World, { onSubmitted, onFinal }: Moments): Process {
  const { random, options } = world;
  const { values, deployment, atOnceMs } = options;
  const route: Route = {
    api: random.pick(world.apis),
    worker: random.pick(world.workers),
    shard: random.pick(world.shards),
    source: Math.floor(random.share() * values.systems),
    destination: Math.floor(random.share() * values.systems),
  };
  const kind: Kind = random.share() < values.answersAtOnce ? 'atOnce' : 'later';
  const partiesMs = (deployment.partiesCpuMs ?? 0) / 2;

  world.start(compute(world, world.parties, random.exponential(deployment.othersCpuMs ?? 0)));
  yield* compute(world, world.parties, random.exponential(partiesMs));
  const turn = route.api.turns[route.source] as Pool;
  yield turn;
  yield* work(world, route.api.main, values.apiCpuMs * apiShares.submit);
  yield* pass(world, route, { stage: submit, first: route.api });
  turn.release();
  onSubmitted();

  yield* pass(world, route, { stage: send });
  const usual = { median: values.destinationMs, p99: values.destinationP99Ms };
  const { median, p99 } = (kind === 'atOnce' ? atOnceMs : undefined) ?? usual;
  const answerMs = random.logNormal(median, p99);
  const gate = route.worker.gates[route.destination] as Pool;
  yield* use([gate], kind === 'atOnce' ? answerMs : values.deliveryMs);
  yield* compute(world, world.parties, random.exponential(partiesMs));
  if (kind === 'atOnce') yield* pass(world, route, { stage: decideAtOnce });
  else {
    world.start(pass(world, route, { stage: takeReceipt })); // nobody waits for it
    yield answerMs;
    yield* work(world, route.api.main, (values.apiCpuMs * apiShares.report) / measuredLater);
    yield* pass(world, route, { stage: decideLater, first: route.api });
  }

  yield* pass(world, route, { stage: tell });
  onFinal(kind);
  world.start(close(world, route, kind)); // nobody waits for it
}

function* close(world: World, route: Route, kind: Kind): Process {
  yield world.options.values.deliveryMs;
  yield* pass(world, route, { stage: kind === 'atOnce' ? closeAtOnce : closeLater });
}

/** Passes the parts that a stage needs. The first statement may be the api's. */
function* pass(
  world: World,
  { worker, shard }: Route,
  { stage, first = worker }: { readonly stage: Stage; readonly first?: NodeProcess },
): Process {
  const { times, options } = world;
  const { transitions, tasks, steps, statements, commits } = stage;
  for (let n = 0; n < transitions; n += 1) {
    yield* work(world, world.temporal, times.serverMs);
    yield shard;
    yield* work(world, world.temporalDatabase, times.databaseMs);
    yield times.temporalFlushMs;
    shard.release();
    yield times.waitMs;
  }
  for (let n = 0; n < tasks; n += 1) yield* work(world, worker.workflows, times.taskMs);
  for (let n = 0; n < statements; n += 1) {
    yield* work(world, worker.main, (times.stepMs * steps) / statements);
    const { connections } = n === 0 ? first : worker;
    yield connections;
    yield* work(world, world.postgres, times.statementMs);
    if (n < commits) yield options.values.flushMs;
    connections.release();
  }
}

/** Works for about so long. The payment does not wait for a part of it, such as garbage collection. */
function* work(world: World, thread: Pool, meanMs: number): Process {
  const ms = world.random.exponential(meanMs);
  const { offPathShare } = world.options.values;
  yield* compute(world, thread, ms * (1 - offPathShare));
  world.start(finish(world, thread, ms * offPathShare));
}

/** Work that no payment waits for. On shared cores it waits for an idle one, but not for long: the kernel is fair. */
function* finish(world: World, thread: Pool, ms: number): Process {
  const { machine } = world;
  for (let waited = 0; machine?.isFull() && waited < longestDeferMs; waited += sliceMs) yield sliceMs;
  yield* compute(world, machine === undefined ? thread : world.parties, ms);
}

/** Holds a thread while it works. On shared cores, threads take turns as in an operating system. */
function* compute({ machine }: World, thread: Pool, ms: number): Process {
  yield thread;
  if (machine === undefined) yield ms;
  else for (let left = ms; left > 0; left -= sliceMs) yield* use([machine], Math.min(left, sliceMs));
  thread.release();
}

/**
 * Mean milliseconds of one transition, task, step and statement. `waitMs`: time of a transition that costs no
 * CPU, such as polls; fitted to the idle submission.
 */
function timesOf({ values, deployment }: ModelOptions) {
  const temporalMs = values.temporalCpuMs / values.transitions;
  const times = {
    serverMs: temporalMs * (1 - values.temporalDatabaseShare),
    databaseMs: temporalMs * values.temporalDatabaseShare,
    temporalFlushMs: deployment.temporalFlushMs ?? values.flushMs,
    taskMs: (values.workerCpuMs * (1 - values.workerMainShare)) / meanOf('tasks'),
    stepMs: (values.workerCpuMs * values.workerMainShare) / meanOf('steps'),
    statementMs: values.postgresCpuMs / meanOf('statements'),
  };
  const { transitions, tasks, steps, statements, commits } = submit;
  const cpuMs =
    values.apiCpuMs * apiShares.submit +
    transitions * (times.serverMs + times.databaseMs) +
    (tasks * times.taskMs + steps * times.stepMs + statements * times.statementMs);
  const busyMs =
    (deployment.partiesCpuMs ?? 0) / 2 +
    cpuMs * (1 - values.offPathShare) +
    (transitions * times.temporalFlushMs + commits * values.flushMs);
  const waitMs = Math.max(0, (values.idleSubmitMs - busyMs) / transitions);
  return { ...times, waitMs };
}

function quantilesOf(times: readonly number[]): Quantiles {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
  return { p50: at(0.5), p99: at(0.99) };
}
