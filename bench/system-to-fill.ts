// The system of the benchmarks `fill` and `growth`: the processes of `payments`, with a few payments that the fill
// copies.
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { UsageError, UserError } from '../cli/errors.ts';
import { withClient } from '../cli/parts/postgres.ts';
import { secondsSince } from '../cli/parts/progress.ts';
import type { ThrowawayPlace } from '../cli/throwaway.ts';
import { connect, connectOne, type Db } from '../db/pool/connection.ts';
import { sealedSoFar } from '../db/records/audit-seals.ts';
import { newMessageId } from '../fixtures/instruction.ts';
import { fillDays, type Filling } from '../fixtures/filled-days.ts';
import { positive } from './options.ts';
import { payers } from './overload.ts';
import { openPaymentLoad, type ReadyPayment } from './payment-load.ts';
import { startPaymentServices } from './payment-services.ts';

export const fillOptions = {
  payments: { type: 'string', default: '1000000' },
  quotes: { type: 'string', default: '10000000' },
  days: { type: 'string', default: '60' },
} as const;

const mostDays = 60; // quotes are kept for 62 days (QUO-10)

export interface Amounts {
  readonly payments: number;
  /** Requests for quotes, those of the payments included. */
  readonly quotes: number;
  readonly days: number;
}

/** @throws UsageError if the options are wrong, or there are more payments than quotes */
export function readAmounts(values: Readonly<Record<keyof Amounts, string>>): Amounts {
  const [payments, quotes, days] = (['payments', 'quotes', 'days'] as const).map((name) =>
    positive(values[name], `--${name}`),
  ) as [number, number, number];
  if (quotes < payments) throw new UsageError('--quotes: each payment needs a quote of its own.');
  if (days > mostDays) throw new UsageError(`--days: at most ${mostDays}, because older quotes are dropped.`);
  return { payments, quotes, days };
}

export interface SystemToFill {
  readonly db: Db;
  readonly apiUrl: string;
  /** UETRs of real payments: two of each payment system, one answered at once and one later. */
  readonly templates: readonly string[];
  readonly fill: (filling: Omit<Filling, 'of' | 'onDay'>) => Promise<void>;
  /** Lets the worker seal the record, and waits until every hour that has ended is sealed. */
  readonly seal: () => Promise<void>;
}

/**
 * Starts the processes. Until `seal`, the worker makes no seals: a sealed hour must get no further rows.
 * @throws UserError if the database of DATABASE_URL is not empty
 */
export async function startSystemToFill(
  place: ThrowawayPlace,
  { keepsGiven }: { readonly keepsGiven: boolean },
): Promise<SystemToFill> {
  const say = (line: string) => console.log(line);
  const given = keepsGiven ? place.env['DATABASE_URL'] : undefined;
  if (given !== undefined && given !== '') await assertEmpty(given);
  let release = () => Promise.resolve();
  const services = await startPaymentServices({
    place,
    say,
    keepsGiven,
    settings: { MESSAGES_PER_MINUTE: '0', REQUESTS_PER_MINUTE: '0' }, // a limit would refuse what is measured
    onDatabase: async (url) => {
      const lock = await connectOne(url, { applicationName: 'isthmus-bench' });
      release = () => lock.client.end();
      place.atEnd(release);
      await sql`select pg_advisory_lock(hashtext('audit_seals'))`.execute(lock.db); // as sealNextHour
    },
  });
  const db = connect(services.databaseUrl, { applicationName: 'isthmus-bench' });
  place.atEnd(() => db.destroy());
  const templates = await payTemplates(services.apiUrl);
  await untilAllTold(db);
  return {
    db,
    apiUrl: services.apiUrl,
    templates,
    fill: async (filling) => {
      const beganAt = performance.now();
      const onDay = (done: number, all: number) => {
        if (done % 10 === 0 || done === all) say(`  ${done} of ${all} days, ${secondsSince(beganAt)}`);
      };
      await fillDays(db, { ...filling, of: templates, onDay });
    },
    seal: async () => {
      await release();
      for (;;) {
        const { until } = await sealedSoFar(db);
        if (until !== null && Date.now() - Date.parse(until) < sealDueMs) return;
        await delay(1_000);
      }
    },
  };
}

/** An hour is sealed 5 minutes after its end, by a worker that looks every minute. */
const sealDueMs = 66 * 60_000;

/** Checks the database before anything is written to it. It may have no tables yet. */
async function assertEmpty(databaseUrl: string): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    for (const table of ['payments', 'quote_requests', 'audit_seals']) {
      const { rows } = await client.query<{ isThere: boolean }>(
        `select to_regclass('public.${table}') is not null as "isThere"`,
      );
      if (rows[0]?.isThere !== true || (await client.query(`select from ${table} limit 1`)).rowCount === 0)
        continue;
      throw new UserError(
        `The database of DATABASE_URL has rows in ${table}. Name a database without payments, quotes and seals; fill writes the demo's scheme into it.`,
      );
    }
  });
}

/** Each payment goes through the whole system, and its notes say how it was made. */
async function payTemplates(apiUrl: string): Promise<readonly string[]> {
  const templates: string[] = [];
  for (const payer of payers) {
    const changes = { endToEndId: newMessageId('E2E') };
    const load = await openPaymentLoad(apiUrl, { concurrency: 2, payers: [payer], changes });
    try {
      const ready: readonly ReadyPayment[] = await load.prepare(2);
      for (const payment of ready) templates.push((await load.run(payment)).id);
    } finally {
      await load.close();
    }
  }
  return templates;
}

/** The callback ends a payment for the load generator; the other deliveries may take a moment longer. */
async function untilAllTold(db: Db): Promise<void> {
  for (;;) {
    const { rows } = await sql`
      select from deliveries where closed_at is null and (kind = 'instruction' or delivered_at is null)
      union all select from delivery_attempts where outcome is null limit 1`.execute(db);
    if (rows.length === 0) return;
    await delay(100);
  }
}
