// Writes the state of the database and of Temporal after a run into the evidence folder (evidence.ts). It
// runs after everything has healed. It changes nothing and judges nothing.
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { Client as TemporalClient, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { Client as Postgres, escapeIdentifier } from 'pg';
import type { ExecutionRecord } from './oracle/evidence.ts';

export interface Sources {
  /** The evidence folder. `gather` creates it if it is missing. */
  readonly folder: string;
  readonly databaseUrl: string;
  /** The host:port of Temporal. */
  readonly temporalAddress: string;
  readonly namespace: string;
  /**
   * The greatest number of histories to write. Executions that did not complete come first. The default is
   * 40.
   */
  readonly maxHistories?: number;
  /** Restricts the executions, in Temporal's query language. Tests that share a namespace use it. */
  readonly query?: string;
}

const rowsAtOnce = 500; // rows per fetch from the cursor; a row of `messages` may have half a megabyte in hex

/**
 * Tables that are not dumped. The keys are secret and prove nothing, and the dump of `messages` contains the
 * bodies.
 */
const leftOut: ReadonlySet<string> = new Set([
  'data_keys',
  'delivery_key_secrets',
  'issuer_keys',
  'message_bodies',
]);
/** Replaces a table by a subquery that adds the message bodies. */
const withBodies: Readonly<Record<string, string>> = {
  messages: '(select m.*, b.body from messages m left join message_bodies b using (message_id, created_at))',
};

/**
 * Writes `database/`, `executions.jsonl` and `histories/`.
 * @returns the time of the database snapshot, ISO 8601
 */
export async function gather(sources: Sources): Promise<string> {
  const readAt = await gatherDatabase(sources);
  await gatherExecutions(sources);
  return readAt;
}

/**
 * Dumps all tables from one snapshot.
 * @returns the time of the snapshot, by the database's clock
 */
async function gatherDatabase({ folder, databaseUrl }: Sources): Promise<string> {
  const into = join(folder, 'database');
  mkdirSync(into, { recursive: true });
  const client = new Postgres({ connectionString: databaseUrl, application_name: 'isthmus-chaos' });
  await client.connect();
  try {
    await client.query(`set timezone = 'UTC'`);
    await client.query('begin isolation level repeatable read read only');
    const { rows } = await client.query<{ now: Date }>('select clock_timestamp() as now');
    const tables = await client.query<{ name: string }>(
      `select relname as name from pg_class
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by relname`,
    );
    for (const { name } of tables.rows) if (!leftOut.has(name)) await dumpTable(client, name, into);
    await client.query('commit');
    const [first] = rows;
    if (first === undefined) throw new Error('the clock answers');
    return first.now.toISOString();
  } finally {
    await client.end();
  }
}

async function dumpTable(client: Postgres, table: string, into: string): Promise<void> {
  const file = createWriteStream(join(into, `${table}.jsonl`));
  await client.query(
    `declare dump no scroll cursor for select row_to_json(t)::text as line from ${withBodies[table] ?? escapeIdentifier(table)} t`,
  );
  for (;;) {
    const { rows } = await client.query<{ line: string }>(`fetch ${rowsAtOnce} from dump`);
    if (rows.length === 0) break;
    file.write(rows.map(({ line }) => `${line}\n`).join(''));
  }
  await client.query('close dump');
  await finished(file.end());
}

async function gatherExecutions({
  folder,
  temporalAddress,
  namespace,
  maxHistories = 40,
  query,
}: Sources): Promise<void> {
  const into = join(folder, 'histories');
  mkdirSync(into, { recursive: true });
  const connection = await Connection.connect({ address: temporalAddress });
  try {
    const client = new TemporalClient({ connection, namespace });
    const records: ExecutionRecord[] = [];
    for await (const one of client.workflow.list(query === undefined ? {} : { query })) {
      records.push({
        workflowId: one.workflowId,
        runId: one.runId,
        type: one.type,
        status: one.status.name,
        startedAt: one.startTime.toISOString(),
        ...(one.closeTime === undefined ? {} : { closedAt: one.closeTime.toISOString() }),
        historyLength: one.historyLength,
      });
    }
    writeFileSync(
      join(folder, 'executions.jsonl'),
      records.map((record) => `${JSON.stringify(record)}\n`).join(''),
    );
    for (const { workflowId, runId } of telling(records).slice(0, maxHistories)) {
      const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
      writeFileSync(join(into, `${runId}.json`), historyToJSON(history));
    }
  } finally {
    await connection.close();
  }
}

/**
 * Sorts the most informative executions first: failed, then running, then completed. Longer histories come
 * first within each group.
 */
function telling(records: readonly ExecutionRecord[]): readonly ExecutionRecord[] {
  const rank = ({ status }: ExecutionRecord) => (status === 'COMPLETED' ? 2 : status === 'RUNNING' ? 1 : 0);
  return [...records].sort(
    (one, other) => rank(one) - rank(other) || other.historyLength - one.historyLength,
  );
}
