// `npm run bench -- growth`: does an operation take longer when the record has grown? bench/README.md says what is
// measured and what is not.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { Pool } from 'undici';
import { answerPacs008 } from '../core/iso20022/pacs002.ts';
import { secondsSince } from '../cli/parts/progress.ts';
import type { ThrowawayPlace } from '../cli/throwaway.ts';
import { findUnanswered, findUnjudged } from '../db/payments/unanswered.ts';
import { loadDecidable } from '../db/payments/decisions.ts';
import type { Db } from '../db/pool/connection.ts';
import { dropOldQuotePartitions } from '../db/records/partitions.ts';
import { findNeglected, findUndecided, findUntoldFinals } from '../db/records/sweep.ts';
import { endingIn } from '../fixtures/endings.ts';
import { newMessageId } from '../fixtures/instruction.ts';
import { clientCredentials } from '../sandbox/tokens.ts';
import { quantile } from './closed-count.ts';
import { sizesOf } from './fill.ts';
import { positive, readOptions } from './options.ts';
import { openPaymentLoad, type ReadyPayment } from './payment-load.ts';
import { fillOptions, readAmounts, startSystemToFill, type SystemToFill } from './system-to-fill.ts';

const few = 1_000; // payments of yesterday, in the small record and in the large one: the same book
const quotesOfEach = 10;
const oldDay = 64; // days ago; quotes are kept for 62

export async function benchGrowth(argv: readonly string[], place: ThrowawayPlace): Promise<void> {
  const values = readOptions(argv, { ...fillOptions, rounds: { type: 'string', default: '300' } });
  const amounts = readAmounts(values);
  const { payments, quotes, days } = amounts;
  const rounds = positive(values.rounds, '--rounds');
  const system = await startSystemToFill(place, { keepsGiven: false });
  const yesterday = { first: 1, last: 1 };
  await system.fill({ payments: few, quoteRequests: few * (quotesOfEach - 1), days: yesterday });
  await measure(system, place, rounds); // a warm-up
  const small = await measure(system, place, rounds);
  const beganAt = performance.now();
  const rest = { payments: payments - few, quoteRequests: quotes - payments - few * (quotesOfEach - 1) };
  await system.fill({ ...rest, days: { first: 2, last: days } });
  await system.fill({
    payments: 0,
    quoteRequests: Math.ceil(quotes / days),
    days: { first: oldDay, last: oldDay },
  });
  console.log(`filled with ${payments} payments and ${quotes} quotes in ${secondsSince(beganAt)}`);
  await system.seal();
  await measure(system, place, Math.ceil(rounds / 10)); // the new plans and pages
  const readBefore = await indexReads(system.db);
  const large = await measure(system, place, rounds);
  const readAfter = await indexReads(system.db);
  console.log(`\n${rounds} rounds${' '.repeat(24)}${few} payments        ${payments} payments       ratio`);
  for (const [name, times] of small) console.log(line(name, times, large.get(name) ?? []));
  console.log(`\nblocks that an index read from outside Postgres' cache, for each submission and report`);
  for (const [index, count] of readAfter) {
    const each = (count - (readBefore.get(index) ?? 0)) / rounds;
    if (each >= 0.005) console.log(`  ${index.padEnd(48)} ${each.toFixed(2)}`);
  }
  console.log(`\n${await sizesOf(system.db, amounts)}`);
  await dropDay(system.db);
}

const line = (name: string, small: readonly number[], large: readonly number[]) => {
  const both = (share: number) => [quantile(small, share), quantile(large, share)] as const;
  const [p50, p99] = [both(0.5), both(0.99)];
  const show = (nth: 0 | 1) =>
    `p50 ${p50[nth].toFixed(1).padStart(6)}  p99 ${p99[nth].toFixed(1).padStart(6)} ms`;
  const ratio = ([before, after]: readonly [number, number]) => (after / before).toFixed(2);
  return `${name.padEnd(24)} ${show(0)}   ${show(1)}   ${ratio(p50)}  ${ratio(p99)}`;
};

/** Operations by name; each returns when it is done. The n-th round runs each of them once. */
type Operations = Readonly<Record<string, (n: number) => Promise<unknown>>>;

/** @returns milliseconds of each round, by operation */
async function measure(
  { apiUrl, db }: SystemToFill,
  place: ThrowawayPlace,
  rounds: number,
): Promise<ReadonlyMap<string, number[]>> {
  const load = await openPaymentLoad(apiUrl, { concurrency: 1, changes: { ending: endingIn.silent } });
  place.atEnd(() => load.close());
  const ready = await load.prepare(rounds);
  const http = openHttp(apiUrl);
  const ask = async (client: string, path: string) => http(client, 'GET', path);
  const { rows } = await sql<{ uetr: string }>`
    select uetr from payments where judged_at < date_trunc('day', now()) order by judged_at desc limit ${few}`.execute(
    db,
  );
  const { rows: days } = await sql<{ date: string }>`select (now()::date - 1)::text as date`.execute(db);
  const operations: Operations = {
    quotes: () => ask('LOTUSGS0', '/quotes/SG/SGD/TH/THB/SGD/1000?finInstIdType=BICFI&finInstId=LOTUSGS0'),
    submission: async (n) => {
      const { status, text } = await load.submit(ready[n] as ReadyPayment);
      if (status !== 'ACTC') throw new Error(`not accepted: ${text}`);
    },
    'GET /payments, operator': () => ask('operator', '/payments?limit=50'),
    'GET /payments, system': () => ask('SGDFAST', '/payments?limit=50'),
    'GET /payments/{uetr}': (n) => ask('operator', `/payments/${rows[n % rows.length]?.uetr}`),
    'book of a day': () => ask('SGDFAST', `/reconciliation?date=${days[0]?.date}`),
    'one sweep': () => sweep(db),
  };
  const taken = new Map<string, number[]>([...Object.keys(operations), 'report'].map((name) => [name, []]));
  const timed = async (name: string, run: () => Promise<unknown>) => {
    const beganAt = performance.now();
    await run();
    taken.get(name)?.push(performance.now() - beganAt);
  };
  for (const [n, { uetr }] of ready.entries()) {
    for (const [name, run] of Object.entries(operations)) await timed(name, () => run(n));
    const body = await reportOn(db, uetr);
    await timed('report', () => http('THBPPAY', 'POST', '/iso20022/pacs002', body));
  }
  await load.close();
  return taken;
}

function openHttp(apiUrl: string) {
  const tokens = clientCredentials({ tokenUrl: `${apiUrl}/oauth/token` });
  const pool = new Pool(apiUrl, { connections: 1 });
  return async (client: string, method: 'GET' | 'POST', path: string, body?: string) => {
    const headers = {
      authorization: `Bearer ${await tokens.tokenFor(client)}`,
      ...(body !== undefined && { 'content-type': 'application/xml' }),
    };
    const answer = await pool.request({ path, method, headers, ...(body !== undefined && { body }) });
    const text = await answer.body.text();
    if (answer.statusCode !== 200)
      throw new Error(`${path} answered ${answer.statusCode}: ${text.slice(0, 300)}`);
  };
}

/** The destination's ACCC. */
async function reportOn(db: Db, uetr: string): Promise<string> {
  const { destinationReferences } = await loadDecidable(db, uetr, null);
  return answerPacs008(destinationReferences, {
    messageIdentification: newMessageId(''),
    creationDateTime: new Date().toISOString(),
    status: 'ACCC',
  });
}

/**
 * Reads all that a sweep reads. A sweep looks back 10 minutes beyond the last one (activities/sweep/sweep.ts).
 * @returns how much work it found
 */
async function sweep(db: Db): Promise<number> {
  const [withinMs, graceMs] = [630_000, 15_000];
  const window = { withinMs, graceMs, workerId: randomUUID() };
  const finds: readonly AsyncIterable<unknown>[] = [
    findUndecided(db, graceMs),
    findUntoldFinals(db, window),
    findNeglected(db),
    findUnanswered(db, window),
    findUnjudged(db, window),
  ];
  let work = 0;
  for (const found of finds) for await (const one of found) work += Number(one !== undefined);
  return work;
}

/** Blocks read by each index of our tables so far, by its name without that of the partition's time. */
async function indexReads(db: Db): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ index: string; count: number }>`
    select regexp_replace(indexrelname, '_[0-9]{4,8}_', '_') as index, sum(idx_blks_read)::float8 as count
    from pg_statio_user_indexes group by 1 order by 2 desc, 1`.execute(db);
  return new Map(rows.map(({ index, count }) => [index, count]));
}

/** Drops the day of quotes that is too old, as the api does every hour. */
async function dropDay(db: Db): Promise<void> {
  const beganAt = performance.now();
  const { dropped, failed } = await dropOldQuotePartitions(db);
  if (failed[0] !== undefined) throw failed[0].error;
  console.log(
    `\ndropped ${dropped.join(', ') || 'nothing: the api was faster'} in ${(performance.now() - beganAt).toFixed(0)} ms`,
  );
}
