// `npm run bench -- fill`: fills a database with payments and quotes of past days, and compares some of them with real
// ones. bench/README.md says what the records have in common with real ones.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { request } from 'undici';
import { secondsSince } from '../cli/parts/progress.ts';
import type { ThrowawayPlace } from '../cli/throwaway.ts';
import type { Db } from '../db/pool/connection.ts';
import type { Evidence } from '../fixtures/bodies.ts';
import { shapeOf } from '../fixtures/shape-of.ts';
import { clientCredentials } from '../sandbox/tokens.ts';
import { readOptions } from './options.ts';
import {
  fillOptions,
  readAmounts,
  startSystemToFill,
  type Amounts,
  type SystemToFill,
} from './system-to-fill.ts';

const samples = 50;

export async function benchFill(argv: readonly string[], place: ThrowawayPlace): Promise<void> {
  const amounts = readAmounts(readOptions(argv, fillOptions));
  const { payments, quotes, days } = amounts;
  const system = await startSystemToFill(place, { keepsGiven: true });
  const beganAt = performance.now();
  await system.fill({ payments, quoteRequests: quotes - payments, days: { first: 1, last: days } });
  console.log(`filled      ${payments} payments, ${quotes} quotes, ${days} days in ${secondsSince(beganAt)}`);
  const sealingAt = performance.now();
  await system.seal();
  console.log(`sealed      in ${secondsSince(sealingAt)}`);
  const read = await compareSamples(system);
  console.log(`compared    ${samples} payments with real ones, ${read} messages read`);
  console.log(await sizesOf(system.db, amounts));
}

/**
 * Reads some copies as an operator, and all messages of each. The api checks the hash of a message that it shows.
 * @returns the number of messages
 * @throws Error if a copy differs from all real payments
 */
async function compareSamples({ db, apiUrl, templates }: SystemToFill): Promise<number> {
  const tokens = clientCredentials({ tokenUrl: `${apiUrl}/oauth/token` });
  const read = async (path: string): Promise<string> => {
    const headers = { authorization: `Bearer ${await tokens.tokenFor('operator')}` };
    const { statusCode, body } = await request(`${apiUrl}${path}`, { headers });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}: ${text.slice(0, 300)}`);
    return text;
  };
  const real = await Promise.all(templates.map(async (uetr) => shapeOf(await read(`/payments/${uetr}`))));
  let messages = 0;
  for (let nth = 0; nth < samples; nth += 1) {
    const { rows } = await sql<{ uetr: string }>`
      select uetr from payments where uetr >= ${randomUUID()}::uuid order by uetr limit 1`.execute(db);
    const uetr = rows[0]?.uetr ?? templates[0] ?? '';
    const text = await read(`/payments/${uetr}`);
    if (!real.includes(shapeOf(text))) throw new Error(`the payment ${uetr} is like no real one: ${text}`);
    for (const { messageId } of (JSON.parse(text) as Evidence).messages) {
      await read(`/payments/${uetr}/messages/${messageId}`);
      messages += 1;
    }
  }
  return messages;
}

const paymentTables = [
  'payments',
  'payment_keys',
  'messages',
  'message_bodies',
  'message_keys',
  'message_identifications',
  'quote_uses',
  'decisions',
  'deliveries',
  'delivery_attempts',
  'audit_seals',
];

/** The size on disk with indexes, per payment and per quote, as text. */
export async function sizesOf(db: Db, { payments, quotes }: Amounts): Promise<string> {
  const { rows } = await sql<{ table: string; bytes: number; indexes: number }>`
    select name as "table", sum(pg_total_relation_size(c.oid))::float8 as bytes, sum(pg_indexes_size(c.oid))::float8 as indexes
    from unnest(${[...paymentTables, 'quote_requests']}::text[]) with ordinality as of (name, nth)
    join pg_class c on c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
      and c.relname ~ ('^' || name || '(_default|_[0-9]+)?$')
    group by name, nth order by nth`.execute(db);
  const line = (name: string, bytes: number, indexes: number, of: number) =>
    `${name.padEnd(26)} ${(bytes / of).toFixed(0).padStart(8)} ${(indexes / of).toFixed(0).padStart(8)} ${(bytes / 1e9).toFixed(2).padStart(8)}`;
  const isOfQuotes = (table: string) => table === 'quote_requests';
  const ofPayments = rows.filter(({ table }) => !isOfQuotes(table));
  const sum = (of: (row: (typeof rows)[number]) => number) =>
    ofPayments.reduce((all, row) => all + of(row), 0);
  return [
    'size on disk                  bytes of indexes       GB',
    ...ofPayments.map(({ table, bytes, indexes }) => line(`  ${table}`, bytes, indexes, payments)),
    line(
      'a payment',
      sum((row) => row.bytes),
      sum((row) => row.indexes),
      payments,
    ),
    ...rows
      .filter(({ table }) => isOfQuotes(table))
      .map(({ bytes, indexes }) => line('a request for quotes', bytes, indexes, quotes)),
  ].join('\n');
}
