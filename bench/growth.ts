// `npm run bench -- growth`: does an operation take longer when the record has grown? bench/README.md says what is
// measured and what is not.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
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
import { openPaymentLoad, type PaymentLoad, type ReadyPayment } from './payment-load.ts';
import {
  fillOptions,
  readAmounts,
  startSystemToFill,
  type Amounts,
  type SystemToFill,
} from './system-to-fill.ts';

const few = 1_000; // payments of yesterday, in both records: the same book
const quotesOfEach = 10;
const oldDay = 64; // days ago; quotes are kept for 62
const shares = [0.5, 0.95, 0.99] as const;
const mostSlower = 1.2; // at p99

export async function benchGrowth(argv: readonly string[], place: ThrowawayPlace): Promise<void> {
  const values = readOptions(argv, {
    ...fillOptions,
    rounds: { type: 'string', default: '9' },
    times: { type: 'string', default: '150' },
  });
  const amounts = readAmounts(values);
  const rounds = positive(values.rounds, '--rounds');
  const times = positive(values.times, '--times');
  const small = await startFilled(place);
  const large = await startFilled({ ...place, folder: join(place.folder, 'servers') }); // removed as well at the end
  await fillRest(large, amounts);
  const sides = [await openSide(small, place), await openSide(large, place)] as const;
  for (const { system, measure } of sides) {
    await system.seal();
    await measure(times); // a warm-up, of the code and of the pages in memory
    await sql`vacuum (analyze)`.execute(system.db);
    await measure(Math.ceil(times / 10)); // the new plans
  }
  const readBefore = await indexReads(large.db);
  const taken: readonly [Times[], Times[]] = [[], []];
  for (let round = 1; round <= rounds; round += 1) {
    for (const nth of [0, 1] as const) taken[nth].push(await sides[nth].measure(times));
    console.log(`  round ${round} of ${rounds}`);
  }
  const readAfter = await indexReads(large.db);
  printTimes(taken, amounts.payments);
  console.log(
    `\nblocks that an index read from outside Postgres' cache, for each submission and report, with all that ran meanwhile`,
  );
  for (const [index, count] of readAfter) {
    const each = (count - (readBefore.get(index) ?? 0)) / (rounds * times);
    if (each >= 0.005) console.log(`  ${index.padEnd(48)} ${each.toFixed(2)}`);
  }
  console.log(`\n${await sizesOf(large.db, amounts)}`);
  await dropDay(large.db);
}

/** Starts a system with servers of its own, and the payments and quotes of yesterday. */
async function startFilled(place: ThrowawayPlace): Promise<SystemToFill> {
  const env = { ...place.env, DATABASE_URL: undefined, TEMPORAL_ADDRESS: undefined };
  const system = await startSystemToFill({ ...place, env }, { keepsGiven: false });
  await system.fill({
    payments: few,
    quoteRequests: few * (quotesOfEach - 1),
    days: { first: 1, last: 1 },
  });
  return system;
}

/** Fills the days before yesterday, and a day of quotes that is old enough to be dropped. */
async function fillRest(system: SystemToFill, { payments, quotes, days }: Amounts): Promise<void> {
  const beganAt = performance.now();
  const rest = { payments: payments - few, quoteRequests: quotes - payments - few * (quotesOfEach - 1) };
  await system.fill({ ...rest, days: { first: 2, last: days } });
  await system.fill({
    payments: 0,
    quoteRequests: Math.ceil(quotes / days),
    days: { first: oldDay, last: oldDay },
  });
  console.log(`filled with ${payments} payments and ${quotes} quotes in ${secondsSince(beganAt)}`);
}

/** Prints the median over the rounds of each quantile, and the ratios of the two sides. */
function printTimes([small, large]: readonly [readonly Times[], readonly Times[]], payments: number): void {
  const number = (value: number) => value.toFixed(1).padStart(7);
  const row = (name: string, ...cells: readonly string[]) =>
    console.log(`${name.padEnd(26)}${cells.join('   ')}`);
  const heads = [`${few} payments, ms`, `${payments} payments, ms`, 'ratio'];
  console.log(`\nmedians of ${small.length} rounds`);
  row('', ...heads.map((head) => head.padStart(21)));
  row('', ...heads.map(() => shares.map((share) => `p${100 * share}`.padStart(7)).join('')));
  const slower: string[] = [];
  for (const name of small[0]?.keys() ?? []) {
    const [before, after] = [small, large].map((rounds) => quantilesOf(rounds, name)) as [number[], number[]];
    const ratios = after.map((value, nth) => value / (before[nth] ?? Number.NaN));
    row(
      name,
      before.map(number).join(''),
      after.map(number).join(''),
      ratios.map((ratio) => ratio.toFixed(2).padStart(7)).join(''),
    );
    if (!((ratios.at(-1) ?? Number.NaN) <= mostSlower)) slower.push(name);
  }
  console.log(`more than ${mostSlower} times as slow at p99: ${slower.join('; ') || 'none'}`);
}

const quantilesOf = (rounds: readonly Times[], name: string) =>
  shares.map((share) => {
    const ofRounds = rounds.map((times) => quantile(times.get(name) ?? [], share));
    return quantile(ofRounds, 0.5);
  });

/** Milliseconds of each run, by operation. */
type Times = ReadonlyMap<string, readonly number[]>;

/** Operations by name; each returns when it is done. */
type Operations = Readonly<Record<string, (n: number) => Promise<unknown>>>;

interface Side {
  readonly system: SystemToFill;
  /** Runs each operation so many times, one after the other. */
  readonly measure: (times: number) => Promise<Times>;
}

async function openSide(system: SystemToFill, place: ThrowawayPlace): Promise<Side> {
  const { apiUrl, db } = system;
  const load = await openPaymentLoad(apiUrl, { concurrency: 1, changes: { ending: endingIn.silent } });
  place.atEnd(() => load.close());
  const http = openHttp(apiUrl);
  const ask = async (client: string, path: string) => http(client, 'GET', path);
  const { rows } = await sql<{ uetr: string }>`
    select uetr from payments where judged_at < date_trunc('day', now()) order by judged_at desc limit ${few}`.execute(
    db,
  );
  const { rows: days } = await sql<{ date: string }>`select (now()::date - 1)::text as date`.execute(db);
  const operations: Operations = {
    quotes: () => ask('LOTUSGS0', '/quotes/SG/SGD/TH/THB/SGD/1000?finInstIdType=BICFI&finInstId=LOTUSGS0'),
    'GET /payments, operator': () => ask('operator', '/payments?limit=50'),
    'GET /payments, source': () => ask('SGDFAST', '/payments?limit=50'),
    'GET /payments, destination': () => ask('THBPPAY', '/payments?limit=50'),
    'GET /submissions': () => ask('operator', '/submissions?limit=50'),
    'GET /payments/{uetr}': (n) => ask('operator', `/payments/${rows[n % rows.length]?.uetr}`),
    'book of a day': () => ask('SGDFAST', `/reconciliation?date=${days[0]?.date}`),
    'one sweep': () => sweep(db),
  };
  const measure = async (times: number) => {
    const ready = await load.prepare(times);
    const taken = new Map<string, number[]>();
    const timed = async (name: string, run: () => Promise<unknown>) => {
      const beganAt = performance.now();
      await run();
      taken.set(name, [...(taken.get(name) ?? []), performance.now() - beganAt]);
    };
    for (const [n, payment] of ready.entries()) {
      await timed('submission', () => submit(load, payment));
      for (const [name, run] of Object.entries(operations)) await timed(name, () => run(n));
      const body = await reportOn(db, payment.uetr);
      await timed('report', () => http('THBPPAY', 'POST', '/iso20022/pacs002', body));
    }
    return taken;
  };
  return { system, measure };
}

async function submit(load: PaymentLoad, payment: ReadyPayment): Promise<void> {
  const { status, text } = await load.submit(payment);
  if (status !== 'ACTC') throw new Error(`not accepted: ${text}`);
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
