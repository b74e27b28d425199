// The limits of the design, each with the rate at which it is reached and what helps. A limit is in the code,
// in a setting that we ship, or in a default of Postgres or Temporal that we do not change.
import type { Values } from './figures.ts';
import { connectionsOfProcess } from './payment-model.ts';

export interface Limit {
  readonly name: string;
  /** Payments per second at which it is reached. */
  readonly perSecond: number;
  readonly why: string;
  readonly mend: string;
  /** Who can mend it: a platform team by a setting or a server; or only a change of Isthmus. */
  readonly takes: 'setting' | 'code';
}

/** What the limits depend on, beside the figures. */
export interface Sized {
  readonly values: Values;
  /** Hosts of the Temporal server. */
  readonly hosts: number;
}

const number = (value: number) => value.toLocaleString('en-US');
export const daySeconds = 86_400;
const monthSeconds = 31 * daySeconds;
const yearSeconds = 366 * daySeconds;

/** Defaults of the Temporal server (its common/dynamicconfig/constants.go) that we do not change. */
const temporal = {
  matchingPerSecond: 1_200, // matching.rps, of each host
  historyPerSecond: 3_000, // history.rps, of each host
  dispatchPerSecond: 1_000, // admin.matchingNamespaceTaskqueueToPartitionDispatchRate
  visibilityWritesPerSecond: 9_000, // system.visibilityPersistenceMaxWriteQPS, of each host
};

/** What docker/temporal-dynamic-config.yaml and docker-compose.yml set. */
const ours = { frontendPerSecond: 20_000, shards: 16 };

/** Defaults of core/settings/settings.ts, of each payment system. */
const settings = { messagesPerMinute: 60_000, megabytesPerDay: 20_000, undecidedPayments: 100_000 };

/** Defaults of the retention. */
export const keptDays = { bodies: 13 * 30.4, records: 3_652, quotes: 62 };

/** Connections of a process beside its pool: one listens, and in an api one makes partitions. */
export const extraConnections = 2;
/** While an upgrade runs, new workers stand beside the old ones. */
export const workersInUpgrade = 2;

const silenceSeconds = 3_600;
const statementMs = 1; // of the statement that adds the counts

const postgres = {
  tableBytes: 32 * 2 ** 40, // largest table, or partition, with pages of 8 KiB
  toastValues: 2 ** 32, // most values outside of their rows, in one table
  transactions: 2 ** 31, // until old rows must be frozen
  statementMs: 3_000, // serviceLimits of db/pool/connection.ts
};

/** All limits, the one that is reached first at the head. */
export function limitsFor(sized: Sized): readonly Limit[] {
  const all = [...limitsOfTemporal(sized), ...limitsOfPostgres(sized), ...limitsOfIsthmus(sized)];
  return all.toSorted((one, other) => one.perSecond - other.perSecond);
}

function limitsOfTemporal({ values, hosts }: Sized): readonly Limit[] {
  const shardMs = (values.temporalCpuMs * values.temporalDatabaseShare) / values.transitions + values.flushMs;
  return [
    {
      name: 'matching.rps',
      perSecond: (hosts * temporal.matchingPerSecond) / values.matchingCalls,
      why: `${number(temporal.matchingPerSecond)} calls a second and host; above that, tasks wait for a repeat`,
      mend: 'set matching.rps in docker/temporal-dynamic-config.yaml to four times as much',
      takes: 'setting',
    },
    {
      name: 'history.rps',
      perSecond: (hosts * temporal.historyPerSecond) / values.historyCalls,
      why: `${number(temporal.historyPerSecond)} calls a second and host`,
      mend: 'set history.rps in docker/temporal-dynamic-config.yaml to four times as much',
      takes: 'setting',
    },
    {
      name: 'history shards',
      perSecond: (ours.shards * 1_000) / shardMs / values.transitions,
      why: `the Compose file has ${ours.shards}; each writes one transition at a time, and their number is for ever`,
      mend: 'set NUM_HISTORY_SHARDS to the number above before the first start; later it takes a new Temporal, which the sweep fills',
      takes: 'setting',
    },
    {
      name: 'one partition of the task queue payments',
      perSecond: temporal.dispatchPerSecond,
      why: `matching gives out ${number(temporal.dispatchPerSecond)} tasks a second of a partition; each payment has its first workflow task there`,
      mend: 'set matching.numTaskqueueReadPartitions and WritePartitions to 4 or more',
      takes: 'setting',
    },
    {
      name: 'frontend.namespaceRPS',
      perSecond: (hosts * ours.frontendPerSecond) / values.frontendCalls,
      why: `${number(ours.frontendPerSecond)} requests a second and host`,
      mend: 'raise it with frontend.rps in docker/temporal-dynamic-config.yaml, or add hosts',
      takes: 'setting',
    },
    {
      name: 'the visibility store',
      perSecond: (hosts * temporal.visibilityWritesPerSecond) / values.visibilityWrites,
      why: `${number(temporal.visibilityWritesPerSecond)} writes a second and host; before that, its Postgres has little left for histories`,
      mend: 'a database or OpenSearch for visibility alone; or no search attributes before the close',
      takes: 'setting',
    },
  ];
}

function limitsOfPostgres({ values }: Sized): readonly Limit[] {
  const tableBytes = values.recordBytes * values.largestTableShare;
  const primaryMs = values.primaryCores * values.busyShare * 1_000; // of CPU a second
  return [
    {
      name: 'the hourly seal of the record',
      perSecond: (postgres.statementMs * 1_000) / values.sealRowMicros / 3_600,
      why: `one statement reads all decisions of an hour, and may take ${postgres.statementMs / 1_000} s`,
      mend: 'seal in pieces of minutes (db/records/audit-seals.ts)',
      takes: 'code',
    },
    {
      name: 'message_bodies by month: values outside of rows',
      perSecond: postgres.toastValues / 2 / (monthSeconds * values.dayShare),
      why: 'at most 4.3 billion in one partition; with SEALING_KEYS both pacs.008 are such values',
      mend: 'partitions by day (make_partition)',
      takes: 'code',
    },
    {
      name: 'message_bodies by month: size',
      perSecond: postgres.tableBytes / values.bodyBytes / (monthSeconds * values.dayShare),
      why: 'at most 32 TiB in one partition',
      mend: 'partitions by day (make_partition)',
      takes: 'code',
    },
    {
      name: 'messages by year: size',
      perSecond: postgres.tableBytes / tableBytes / (yearSeconds * values.dayShare),
      why: 'at most 32 TiB in one partition',
      mend: 'partitions by month (make_partition)',
      takes: 'code',
    },
    {
      name: 'transaction ids',
      perSecond: postgres.transactions / values.commits / (daySeconds * values.dayShare),
      why: 'Postgres must freeze all old rows within a day, or it stops',
      mend: 'more and faster autovacuum workers; fewer commits; Temporal on a server of its own',
      takes: 'setting',
    },
    {
      name: "disk of Isthmus' Postgres",
      perSecond: (values.primaryTerabytes * 1e12) / keptBytes(values) / (daySeconds * values.dayShare),
      why: `${number(values.primaryTerabytes)} TB on one primary, assumed, when all is kept that the retention keeps`,
      mend: 'set RECORDS_KEPT_YEARS below 10; or move old partitions to other disks (tablespaces)',
      takes: 'setting',
    },
    {
      name: "one primary of Isthmus' Postgres: cores",
      perSecond: primaryMs / values.postgresCpuMs,
      why: `all writes go to one server, assumed to have ${values.primaryCores} cores`,
      mend: 'one Isthmus for each group of source payment systems; not built',
      takes: 'code',
    },
    {
      name: "one primary of Temporal's Postgres",
      perSecond: primaryMs / (values.temporalCpuMs * values.temporalDatabaseShare),
      why: `all histories go to one server, assumed to have ${values.primaryCores} cores`,
      mend: "another store for Temporal's histories, such as Cassandra; never tested with Isthmus",
      takes: 'setting',
    },
    {
      name: "connections to Isthmus' Postgres",
      perSecond: values.primaryConnections / connectionsPerRate(values),
      why: `${number(values.primaryConnections)} on one primary, assumed; each process may open ${connectionsOfProcess + extraConnections}, and an upgrade runs new workers beside the old ones`,
      mend: 'more max_connections, after a test; a pooler does not help, because it must pool by session',
      takes: 'setting',
    },
  ];
}

/** Connections of all processes during an upgrade, for each payment per second. */
function connectionsPerRate({ apiCpuMs, workerCpuMs, workerMainShare, busyShare }: Values): number {
  const busiestThread = Math.max(workerMainShare, 1 - workerMainShare);
  const processes = (ms: number) => ms / 1_000 / busyShare;
  const workers = workersInUpgrade * processes(workerCpuMs * busiestThread);
  return (connectionsOfProcess + extraConnections) * (processes(apiCpuMs) + workers);
}

/** Bytes of a payment, each for the days for which it is kept. */
const keptBytes = ({ bodyBytes, recordBytes, quoteBytes }: Values): number =>
  bodyBytes * keptDays.bodies + recordBytes * keptDays.records + quoteBytes * keptDays.quotes;

function limitsOfIsthmus({ values }: Sized): readonly Limit[] {
  const { systems, pacs008Bytes, flushMs, apiCpuMs, busyShare, dayShare } = values;
  const apisAtRow = 1_000 / (flushMs + statementMs); // each holds the row once a second
  return [
    {
      name: 'MEGABYTES_PER_DAY',
      perSecond: (systems * settings.megabytesPerDay * 1_000_000) / pacs008Bytes / (daySeconds * dayShare),
      why: `${number(settings.megabytesPerDay)} MB a day of each source`,
      mend: 'raise this setting of the api',
      takes: 'setting',
    },
    {
      name: 'MESSAGES_PER_MINUTE',
      perSecond: (systems * settings.messagesPerMinute) / 60,
      why: `${number(settings.messagesPerMinute)} submissions a minute of each source`,
      mend: 'raise this setting of the api',
      takes: 'setting',
    },
    {
      name: 'UNDECIDED_PAYMENTS',
      perSecond: (systems ** 2 * settings.undecidedPayments) / silenceSeconds,
      why: `${number(settings.undecidedPayments)} of each source; reached if one destination is silent for an hour`,
      mend: 'raise this setting of the api',
      takes: 'setting',
    },
    {
      name: 'one row of request_counts for each client and minute',
      perSecond: (apisAtRow * 1_000 * busyShare) / apiCpuMs,
      why: 'the only row that many processes write: every api, once a second',
      mend: 'share the counts every few seconds (api/http/limits/share-counts.ts)',
      takes: 'code',
    },
  ];
}
