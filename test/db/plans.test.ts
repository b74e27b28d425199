// On a large record, no statement of a payment's way reads a whole table or partition. The statements are those that a
// running gateway sends. Postgres says how it would run each.
import pg from 'pg';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { withClient } from '../../cli/parts/postgres.ts';
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

test('no statement reads a whole table, and a recent quote is sought in the partitions of its days', async () => {
  const real = [await pay(endingIn.creditedAtOnce), await pay(endingIn.creditedLater)];
  await gateway.stopWorker();
  const of = real.map(({ uetr }) => uetr);
  await fillDays(db, { of, payments: 40_000, quoteRequests: 40_000, days: { first: 1, last: 60 } });
  await sql`
    insert into audit_events (occurred_at, severity, kind, subject_id, detail)
    select decided_at, 'info', 'operator.enquiry', uetr, '{"by": "anna"}' from decisions, generate_series(1, 5)
    order by decided_at`.execute(db);
  await sql`vacuum (analyze) audit_events`.execute(db);
  const statements = await sentDuring(async () => {
    await gateway.startWorker(); // it sweeps at once
    await workAsUsual();
    await gateway.stopWorker();
  });
  expect([...statements.keys()].map(nameOfPrepared)).toEqual(expect.arrayContaining(hot));

  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relkind = 'r' and pg_relation_size(oid) > ${fewPages} * 8192`.execute(
    db,
  );
  const large = new Set(rows.map(({ name }) => name).filter((name) => growing.test(name)));
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
  expect(daysRead.size).toBeGreaterThan(0);
  expect(daysRead.size).toBeLessThanOrEqual(4); // two days back, today, and one ahead
}, 300_000);
