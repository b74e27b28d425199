// What a rate of payments needs: cores, processes, shards, connections, disk and partitions. Cores and disk
// follow from the figures alone; the model adds the times, because they depend on queues.
import { mostSendsAtOnce } from '../../core/deliveries/receiver.ts';
import { connectionsOfProcess, simulatePayments, submissionsAtOnce } from './payment-model.ts';
import type { Deployment, ModelResult } from './payment-model.ts';
import { valuesOf, type Figures, type Values } from './figures.ts';
import { daySeconds, extraConnections, keptDays, limitsFor, workersInUpgrade } from './limits.ts';
import type { Limit } from './limits.ts';

export interface PartSize {
  readonly part: string;
  /** Cores that are busy at the rate, on average. */
  readonly busyCores: number;
  /** Cores to provide. */
  readonly cores: number;
  /** Processes or hosts; undefined: one server. */
  readonly processes?: number;
}

export interface DiskSize {
  readonly what: string;
  readonly bytesPerDay: number;
  readonly keptDays: number;
}

export interface PartitionSize {
  readonly tables: string;
  readonly by: 'day' | 'month' | 'year';
  /** Largest number of partitions at a time, of each table. */
  readonly count: number;
  /** Size of one partition of all these tables together, of the longest period. */
  readonly bytes: number;
}

export interface Sizing {
  readonly perSecond: number;
  readonly parts: readonly PartSize[];
  readonly shards: number;
  /** The most that are open at a time, an upgrade included. */
  readonly connections: { readonly isthmus: number; readonly temporal: number };
  readonly disk: readonly DiskSize[];
  readonly partitions: readonly PartitionSize[];
  readonly times: ModelResult;
  readonly limits: readonly Limit[];
  readonly figures: Figures;
}

const fewest = 2; // processes of each kind, so that one may fail
const fewestShards = 16; // docker-compose.yml
const busySubmits = 2; // a submission under load takes about so many times as long as an idle one
const apisInUpgrade = 1; // apis are replaced one by one, a new one beside the old ones
const jobConnections = 5; // migrate 3, retention 2
const simulatedSeconds = 4;
const simulatedPayments = { fewest: 3_000, most: 20_000 }; // enough for a p99; more cost seconds

export function sizeFor(perSecond: number, figures: Figures): Sizing {
  const values = valuesOf(figures);
  const parts = sizeParts(perSecond, values);
  const deployment = deploymentFor(perSecond, values);
  const { apis, workers, shards } = deployment;
  const hosts = temporalHosts(perSecond, values);
  const wanted = Math.round(perSecond * simulatedSeconds);
  const payments = Math.min(Math.max(wanted, simulatedPayments.fewest), simulatedPayments.most);
  return {
    perSecond,
    parts,
    shards,
    connections: {
      isthmus:
        (connectionsOfProcess + extraConnections) * (apis + apisInUpgrade + workersInUpgrade * workers) +
        jobConnections,
      temporal: hosts * values.temporalHostConnections,
    },
    disk: sizeDisk(perSecond, values),
    partitions: sizePartitions(perSecond, values),
    times: simulatePayments({ values, deployment, load: { perSecond }, payments, seed: 1 }),
    limits: limitsFor({ values, hosts }),
    figures,
  };
}

/** @internal exported for tests */
export function deploymentFor(perSecond: number, values: Values): Deployment {
  const coresFor = (ms: number) => Math.ceil((perSecond * ms) / 1_000 / values.busyShare);
  const eachSystem = perSecond / values.systems;
  const inPlaces = (ms: number, places: number) =>
    Math.ceil((eachSystem * ms) / 1_000 / places / values.busyShare);
  const busiestThread = Math.max(values.workerMainShare, 1 - values.workerMainShare);
  const server = values.temporalCpuMs * (1 - values.temporalDatabaseShare);
  return {
    apis: Math.max(
      fewest,
      coresFor(values.apiCpuMs),
      inPlaces(values.idleSubmitMs * busySubmits, submissionsAtOnce),
    ),
    workers: Math.max(
      fewest,
      coresFor(values.workerCpuMs * busiestThread),
      inPlaces(meanSendMs(values), mostSendsAtOnce),
    ),
    shards: shardsFor(perSecond, values),
    temporalCores: coresFor(server),
    temporalDatabaseCores: coresFor(values.temporalCpuMs * values.temporalDatabaseShare),
    postgresCores: coresFor(values.postgresCpuMs),
  };
}

/** The mean time for which a send to a destination holds its place in the gate. */
function meanSendMs({ destinationMs, destinationP99Ms, answersAtOnce, deliveryMs }: Values): number {
  const sigma = Math.log(destinationP99Ms / destinationMs) / 2.3263; // log-normal, as in random.ts
  return answersAtOnce * destinationMs * Math.exp(sigma ** 2 / 2) + (1 - answersAtOnce) * deliveryMs;
}

/** A power of two, so that shards divide evenly over any such number of hosts. */
function shardsFor(perSecond: number, { transitions, shardWrites }: Values): number {
  const needed = (perSecond * transitions) / shardWrites;
  return Math.max(fewestShards, 2 ** Math.ceil(Math.log2(needed)));
}

function temporalHosts(perSecond: number, values: Values): number {
  return Math.max(
    fewest,
    Math.ceil(deploymentFor(perSecond, values).temporalCores / values.temporalHostCores),
  );
}

function sizeParts(perSecond: number, values: Values): readonly PartSize[] {
  const { apis, workers } = deploymentFor(perSecond, values);
  const part = (name: string, ms: number, processes?: number): PartSize => {
    const busyCores = (perSecond * ms) / 1_000;
    const cores = Math.max(Math.ceil(busyCores / values.busyShare), processes ?? 1);
    return { part: name, busyCores, cores, ...(processes !== undefined && { processes }) };
  };
  const { temporalCpuMs, temporalDatabaseShare } = values;
  return [
    part('api', values.apiCpuMs, apis),
    part('worker', values.workerCpuMs, workers),
    part('Temporal server', temporalCpuMs * (1 - temporalDatabaseShare), temporalHosts(perSecond, values)),
    part('Temporal Postgres', temporalCpuMs * temporalDatabaseShare),
    part('Isthmus Postgres', values.postgresCpuMs),
  ];
}

/** Kept for as long as the defaults of the settings say. */
function sizeDisk(perSecond: number, values: Values): readonly DiskSize[] {
  const { bodyBytes, recordBytes, quoteBytes, historyBytes, dayShare } = values;
  const perDay = perSecond * daySeconds * dayShare;
  const isthmus = bodyBytes + recordBytes + quoteBytes;
  return [
    { what: 'bytes of messages', bytesPerDay: perDay * bodyBytes, keptDays: keptDays.bodies },
    { what: 'records', bytesPerDay: perDay * recordBytes, keptDays: keptDays.records },
    { what: 'quotes', bytesPerDay: perDay * quoteBytes, keptDays: keptDays.quotes },
    { what: 'Temporal', bytesPerDay: perDay * historyBytes, keptDays: 7 },
    {
      what: 'write-ahead log of both',
      bytesPerDay: perDay * (isthmus + historyBytes) * values.logFactor,
      keptDays: 7,
    },
  ];
}

function sizePartitions(
  perSecond: number,
  { bodyBytes, recordBytes, quoteBytes, dayShare }: Values,
): readonly PartitionSize[] {
  const perDay = perSecond * daySeconds * dayShare;
  return [
    { tables: 'quote_requests', by: 'day', count: 62 + 8, bytes: perDay * quoteBytes },
    { tables: 'message_bodies', by: 'month', count: 13 + 2, bytes: perDay * 31 * bodyBytes },
    { tables: 'six tables of records', by: 'year', count: 10 + 2, bytes: perDay * 366 * recordBytes },
  ];
}
