// Writes what a benchmark measured in the form that `isthmus size --measured` reads.
import { cpus } from 'node:os';
import { withClient } from '../cli/parts/postgres.ts';
import type { Measured } from '../cli/size/figures.ts';
import { quantile } from './closed-count.ts';

/** Bytes on disk, with indexes, of the tables of Isthmus. */
export interface StoredBytes {
  readonly bodies: number;
  readonly quotes: number;
  readonly records: number;
  /** Payments that the database holds. */
  readonly payments: number;
}

export async function readStoredBytes(databaseUrl: string): Promise<StoredBytes> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<Record<keyof StoredBytes, string>>(`
      select
        coalesce(sum(size) filter (where relname like 'message_bodies%'), 0) as bodies,
        coalesce(sum(size) filter (where relname like 'quote_requests%'), 0) as quotes,
        coalesce(sum(size) filter (where relname not like 'message_bodies%' and relname not like 'quote_requests%'), 0) as records,
        (select count(*) from payments) as payments
      from (
        select relname, pg_total_relation_size(oid) as size from pg_class
        where relkind = 'r' and relnamespace = 'public'::regnamespace
      ) tables`);
    const [row] = rows;
    const number = (name: keyof StoredBytes) => Number(row?.[name]);
    return {
      bodies: number('bodies'),
      quotes: number('quotes'),
      records: number('records'),
      payments: number('payments'),
    };
  });
}

const timedCommits = 200;

/**
 * Milliseconds that a commit waits for the disk: the median of commits that wait, less that of commits that do
 * not; 0.01 if that is less, as on a disk in memory.
 */
export async function readFlushMs(databaseUrl: string): Promise<number> {
  return withClient(databaseUrl, async (client) => {
    const times = { on: [] as number[], off: [] as number[] };
    for (let n = 0; n < timedCommits; n += 1) {
      for (const setting of ['on', 'off'] as const) {
        await client.query(`set synchronous_commit = ${setting}`);
        const began = performance.now();
        await client.query("select pg_logical_emit_message(true, 'isthmus', 'one commit')");
        times[setting].push(performance.now() - began);
      }
    }
    return Math.max(0.01, quantile(times.on, 0.5) - quantile(times.off, 0.5));
  });
}

export interface MeasuredRun {
  /** Milliseconds of CPU time per payment, by process. */
  readonly cpuMs: Readonly<Record<string, number>>;
  readonly idleSubmitMs: number;
  readonly answersAtOnce: number;
  readonly flushMs: number;
  readonly stored?: { readonly before: StoredBytes; readonly after: StoredBytes };
}

/** Leaves out what was not measured, such as the CPU of an external server. */
export function measuredFigures(benchmark: string, run: MeasuredRun): Measured {
  const { cpuMs, stored } = run;
  const source = `npm run bench -- ${benchmark}, ${cpus().length} cores, ${cpus()[0]?.model ?? 'unknown'}`;
  const bytes = (name: 'bodies' | 'quotes' | 'records') =>
    stored && (stored.after[name] - stored.before[name]) / (stored.after.payments - stored.before.payments);
  const values = {
    apiCpuMs: cpuMs['api'],
    workerCpuMs: cpuMs['worker'],
    temporalCpuMs: cpuMs['Temporal'],
    postgresCpuMs: cpuMs['Postgres'],
    idleSubmitMs: run.idleSubmitMs,
    answersAtOnce: run.answersAtOnce,
    flushMs: run.flushMs,
    bodyBytes: bytes('bodies'),
    recordBytes: bytes('records'),
    quoteBytes: bytes('quotes'),
  };
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value === undefined || !(value > 0) ? [] : [[name, { value, source }]],
    ),
  );
}
