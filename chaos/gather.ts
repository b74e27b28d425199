// Reads what a run left behind in the database and in the workflow engine into the files of its evidence folder
// (evidence.ts), after everything has healed. It changes nothing and judges nothing.
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { Client as TemporalClient, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { Client as Postgres, escapeIdentifier } from 'pg';
import type { ExecutionRecord } from './oracle/evidence.ts';

export interface Sources {
  /** The evidence folder; it is made if it is not there. */
  readonly folder: string;
  readonly databaseUrl: string;
  /** host:port */
  readonly temporalAddress: string;
  readonly namespace: string;
  /** How many histories are kept; those that have not ended well come first. Default 40. */
  readonly maxHistories?: number;
  /** Only executions of that kind, in the language of the engine's lists; for tests that share a namespace. */
  readonly query?: string;
}

const rowsAtOnce = 500; // of a cursor: a row of `messages` may be half a megabyte in hex

/** Keys of ours are no evidence; the bytes of messages stand with them. */
const leftOut: ReadonlySet<string> = new Set([
  'data_keys',
  'delivery_key_secrets',
  'issuer_keys',
  'message_bodies',
]);
/** What is read of a table, where it is more than its rows. */
const withBodies: Readonly<Record<string, string>> = {
  messages: '(select m.*, b.body from messages m left join message_bodies b using (message_id, created_at))',
};

/** Writes `database/`, `executions.jsonl` and `histories/`; answers when the database was read, ISO 8601. */
export async function gather(sources: Sources): Promise<string> {
  const readAt = await gatherDatabase(sources);
  await gatherExecutions(sources);
  return readAt;
}

/** All tables as of one moment, by the clock of the database. */
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

/** Those that say most come first: failed, running, then one of each type in turn of their length. */
function telling(records: readonly ExecutionRecord[]): readonly ExecutionRecord[] {
  const rank = ({ status }: ExecutionRecord) => (status === 'COMPLETED' ? 2 : status === 'RUNNING' ? 1 : 0);
  return [...records].sort(
    (one, other) => rank(one) - rank(other) || other.historyLength - one.historyLength,
  );
}
