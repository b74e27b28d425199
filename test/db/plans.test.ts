// On a large record, no statement of a payment's way reads a whole table or partition, and no list reads more than its
// page needs. The statements are those that a running gateway sends. Postgres says how it runs each.
import pg from 'pg';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { withClient } from '../../cli/parts/postgres.ts';
import { findDeadLetters } from '../../db/payments/asks.ts';
import { sliceRows } from '../../db/pool/paged.ts';
import { readGauges } from '../../db/records/gauges.ts';
import { nameOfPrepared } from '../../db/pool/statements.ts';
import { endingIn } from '../../fixtures/endings.ts';
import { fillDays } from '../../fixtures/filled-days.ts';
import { instruction, newMessageId } from '../../fixtures/instruction.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { bestQuote, submit } from '../harness/payer.ts';

const gateway = await testGateway();
const { db, databaseUrl } = gateway;
const evidence = evidenceOf(gateway);

const pay = async (ending: string) => {
  const quote = await bestQuote(gateway);
  const message = instruction(quote, { ending, endToEndId: newMessageId('E2E') });
  await submit(gateway, message);
  await evidence.closed(message.uetr);
  return { message, uetr: message.uetr, quoteId: quote.quoteId };
};
const get = async (client: string, path: string) => {
  const headers = { authorization: `Bearer ${await gateway.token(client)}` };
  const answer = await fetch(`${gateway.url}${path}`, { headers });
  expect([path, answer.status, await answer.text()]).toEqual([path, 200, expect.any(String)]);
};

interface Sent {
  readonly text: string;
  readonly values: readonly unknown[];
}
interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly Plan[];
  /** These are there if the statement was run. */
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
}
const nodesOf = (plan: Plan): readonly Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** Tables that grow with payments, quotes or messages; their partitions too. */
const growing =
  /^(audit_events|decisions|deliveries|delivery_attempts|message_bodies|message_identifications|message_keys|messages|payment_keys|payments|quote_requests|quote_uses)(_|$)/;
/** Its scan runs only while there is no seal at all, so while the record is young. */
const isOnlyForFirstSeal = (text: string) => text.includes('min(occurred_at) from audit_events');
/** A smaller one is read at once, with an index or without. */
const fewPages = 30;

/** Prepared statements that every payment needs. */
const hot = [
  'read_offers',
  'store_quotes',
  'find_recent_quote',
  'record_received',
  'load_submission',
  'record_accepted',
  'claim_instruction',
  'record_report',
  'load_decidable',
  'record_decision',
  'claim_due',
  'settle_attempt',
];

/** What the gateway does day and night, beside and after the payments. */
async function workAsUsual(): Promise<void> {
  const { uetr, message, quoteId } = await pay(endingIn.creditedAtOnce);
  await pay(endingIn.creditedLater);
  await pay(endingIn.rejected);
  await submit(gateway, message); // again: an enquiry
  const date = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  for (const client of ['operator', 'SGDFAST', 'LOTUSGS0']) {
    await get(client, '/payments?limit=20');
    await get(client, `/payments?endToEndId=${message.endToEndId}`);
    await get(client, `/payments/${uetr}`);
  }
  for (const state of ['waiting', 'in-doubt', 'telling', 'dead-letter'])
    await get('operator', `/payments?state=${state}`);
  await get('operator', `/payments?messageIdentification=${message.messageIdentification}`);
  await get('operator', `/payments?quoteId=${quoteId}`);
  await get('operator', '/submissions?limit=20');
  await get('LOTUSGS0', `/quotes/${quoteId}/fees-and-amounts`);
  await get('SGDFAST', `/reconciliation?date=${date}`);
  await get('SGDFAST', `/reconciliation/camt054?date=${date}`);
  await readGauges(db);
}

/** The lists of the api and of the portal, as each role asks for them. Nothing matches some of the filters. */
async function readLists(): Promise<void> {
  const before = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  const date = before(1).slice(0, 10);
  const ofSystem = ['/payments', '/submissions', '/parties?minutes=60', '/flow?minutes=1440'];
  const ofPsp = ['/payments', '/flow?minutes=1440'];
  const lists = {
    operator: [
      ...ofSystem,
      '/payments?limit=500',
      ...['waiting', 'in-doubt', 'telling', 'dead-letter', 'done'].map((state) => `/payments?state=${state}`),
      ...['status=ACTC', 'status=RJCT,BLCK', 'reasonCode=AC04', 'priority=HIGH', 'corridor=SG-MY'].map(
        (filter) => `/payments?${filter}`,
      ),
      ...['party=SGDFAST', 'party=LOTUTHS0', 'currency=SGD&minAmount=5000'].map(
        (filter) => `/payments?${filter}`,
      ),
      `/payments?to=${before(30)}`,
      ...['state=stored', 'party=MYRRPP', 'message=acmt023'].map(
        (filter) => `/submissions?from=${before(60)}&${filter}`,
      ),
      '/alerts',
      '/alerts?state=closed',
      '/pauses',
      `/reconciliation/sent?date=${date}`,
    ],
    SGDFAST: [...ofSystem, '/payments?status=RJCT', `/reconciliation?date=${date}`],
    THBPPAY: [...ofSystem, '/payments?status=RJCT', `/reconciliation?date=${date}`],
    LOTUSGS0: ofPsp,
    LOTUTHS0: ofPsp,
    MERISGS0: ['/parties?minutes=60', '/flow?minutes=1440', '/api/v1/standings'],
  };
  for (const [client, paths] of Object.entries(lists)) for (const path of paths) await get(client, path);
  await findDeadLetters(db, {}, 50);
}

/** The statements that this process sends while it works, each with its last values. */
async function sentDuring(work: () => Promise<void>): Promise<ReadonlyMap<string, readonly unknown[]>> {
  const submitted = vi.spyOn(pg.Query.prototype as unknown as { submit: () => unknown }, 'submit');
  try {
    await work();
    const all = submitted.mock.contexts as unknown as readonly Partial<Sent>[];
    return new Map(
      all
        .map(({ text = '', values = [] }) => [text, values] as const)
        .filter(([text]) => /^\s*(with|select|insert|update|delete)\b/i.test(text)),
    );
  } finally {
    submitted.mockRestore();
  }
}

/** The nodes of the plan for these values; and of the plan for any values, if the statement is prepared. */
async function planned(client: pg.Client, [text, values]: readonly [string, readonly unknown[]]) {
  const explain = async (options: string, given?: unknown[]) => {
    const { rows } = await client.query<{ 'QUERY PLAN': readonly [{ readonly Plan: Plan }] }>(
      `explain (format json${options}) ${text}`,
      given,
    );
    return rows.flatMap((row) => nodesOf(row['QUERY PLAN'][0].Plan));
  };
  const isPrepared = nameOfPrepared(text) !== undefined;
  return { own: await explain('', [...values]), generic: isPrepared ? await explain(', generic_plan') : [] };
}

const isWrite = /\b(insert into|update|delete from)\b/i;

/** Runs a statement, and returns how many rows it reads from large tables, whether they match or not. */
async function rowsRead(
  client: pg.Client,
  { text, values, large }: Sent & { readonly large: ReadonlySet<string> },
): Promise<number> {
  const { rows } = await client.query<{ 'QUERY PLAN': readonly [{ readonly Plan: Plan }] }>(
    `explain (analyze, format json) ${text}`,
    [...values],
  );
  return rows
    .flatMap((row) => nodesOf(row['QUERY PLAN'][0].Plan))
    .filter(({ 'Relation Name': relation = '' }) => large.has(relation))
    .map((node) => {
      const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
      return ((node['Actual Rows'] ?? 0) + removed) * (node['Actual Loops'] ?? 0);
    })
    .reduce((sum, count) => sum + count, 0);
}

const days = { first: 1, last: 60 };
const payments = 40_000;
const real = [await pay(endingIn.creditedAtOnce), await pay(endingIn.creditedLater)];
await gateway.stopWorker();
await fillDays(db, { of: real.map(({ uetr }) => uetr), payments, quoteRequests: payments, days });
await sql`
  insert into audit_events (occurred_at, severity, kind, subject_id, detail)
  select decided_at, case when nth = 1 and random() < 0.01 then 'alert' else 'info' end, 'operator.enquiry', uetr, '{"by": "anna"}'
  from decisions, generate_series(1, 5) nth order by decided_at`.execute(db);
await sql`
  insert into alert_states (audit_event_id, case_entry_id, action, client_id, at)
  select audit_event_id, audit_event_id, 'close', 'anna', occurred_at from audit_events where severity = 'alert'`.execute(
  db,
);
await sql`vacuum (analyze) audit_events, alert_states`.execute(db);
const { rows: tables } = await sql<{ name: string }>`
  select relname as name from pg_class where relkind = 'r' and pg_relation_size(oid) > ${fewPages} * 8192`.execute(
  db,
);
const large = new Set(tables.map(({ name }) => name).filter((name) => growing.test(name)));

test('no list reads more rows than a few for each row of a page, or of a slice of its scan', async () => {
  const most = 4 * sliceRows; // a slice, and a few rows about each of its rows
  expect(most).toBeLessThan(payments / 2 + 1);
  const statements = [...(await sentDuring(readLists))];
  const faults: string[] = [];
  await withClient(databaseUrl, async (client) => {
    await client.query('set default_transaction_read_only = on');
    for (const [text, values] of statements.filter(([sent]) => !isWrite.test(sent))) {
      const read = await rowsRead(client, { text, values, large });
      if (read > most) faults.push(`${read} rows: ${text} ${JSON.stringify(values)}`);
    }
  });
  expect(faults).toEqual([]);
}, 300_000);

/** Prepared statements that Postgres plans for the given values at each call. Nothing that they write is kept. */
async function plannedAnew(statements: ReadonlyMap<string, readonly unknown[]>): Promise<readonly string[]> {
  return withClient(databaseUrl, async (client) => {
    for (const [text, values] of statements) {
      const name = nameOfPrepared(text);
      // Postgres always plans the first five calls for their values
      for (let call = 0; name !== undefined && call < 7; call += 1) {
        await client.query('begin');
        await client.query({ name, text, values: [...values] }).catch((error: unknown) => {
          if (!isTaken(error)) throw error; // the payment is there already
        });
        await client.query('rollback');
      }
    }
    const { rows } = await client.query<{ name: string }>(
      'select name from pg_prepared_statements where generic_plans = 0',
    );
    return rows.map(({ name }) => name);
  });
}

const isTaken = (error: unknown) => error instanceof pg.DatabaseError && error.code === '23505';

test('no statement reads a whole table, and a recent quote is sought in the partitions of its days', async () => {
  const statements = await sentDuring(async () => {
    await gateway.startWorker(); // it sweeps at once
    await workAsUsual();
    await gateway.stopWorker();
  });
  expect([...statements.keys()].map(nameOfPrepared)).toEqual(expect.arrayContaining(hot));

  expect(large.size).toBeGreaterThan(10);
  const faults: string[] = [];
  const daysRead = new Set<string>();
  await withClient(databaseUrl, async (client) => {
    for (const [text, values] of statements) {
      if (isOnlyForFirstSeal(text)) continue;
      const { own, generic } = await planned(client, [text, values]);
      for (const { 'Node Type': type, 'Relation Name': relation = '' } of [...own, ...generic])
        if (type === 'Seq Scan' && large.has(relation)) faults.push(`${relation}: ${text}`);
      if (nameOfPrepared(text) !== 'find_recent_quote') continue;
      for (const { 'Relation Name': name = '' } of own)
        if (/^quote_requests_\d/.test(name)) daysRead.add(name);
    }
  });
  expect(faults).toEqual([]);
  expect(await plannedAnew(statements)).toEqual([]);
  expect(daysRead.size).toBeGreaterThan(0);
  expect(daysRead.size).toBeLessThanOrEqual(4); // two days back, today, and one ahead
}, 300_000);
