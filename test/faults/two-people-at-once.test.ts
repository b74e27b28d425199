// Operators settle many payments in doubt at once, while the destination reports and the database fails now and
// then.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { gatewayInDoubt } from '../harness/in-doubt.ts';
import { jsonRoutes } from '../harness/json-routes.ts';
import { postReport, reportOn } from '../harness/reports.ts';
import { eventually } from '../harness/wait.ts';

const { gateway, forwarded, confirmations, callbacks, inDoubt } = await gatewayInDoubt();
const { db } = gateway;

const ask = await jsonRoutes<{ readonly outcomeId?: string }>(gateway);

const statuses = ['ACCC', 'RJCT', 'BLCK'] as const;
const operators = ['operator', 'operator2'] as const;

/** Outcomes, confirmations, withdrawals and reports for one payment at once. */
async function struggle(uetr: string, round: number): Promise<void> {
  const path = `/payments/${uetr}/outcomes`;
  const status = statuses[round % 3] ?? 'ACCC';
  const outcome = { status, evidence: 'their desk', ...(status === 'RJCT' && { reasonCode: 'AC04' }) };
  let outcomeId: string | undefined;
  for (let tries = 0; tries < 20 && outcomeId === undefined; tries += 1) {
    const answers = await Promise.all(operators.map((client) => ask('POST', path, outcome, client)));
    const recorded = answers.filter((one) => one.status === 200);
    expect(recorded.length).toBeLessThan(2);
    outcomeId = recorded[0]?.body.outcomeId;
  }
  const one = `${path}/${outcomeId ?? ''}`;
  const sent = forwarded.get(uetr);
  const final = statuses[(round + 1) % 3] ?? 'ACCC';
  const values = { status: final, ...(final === 'RJCT' && { reasonCode: 'AM04' }) };
  const acts = [
    ...operators.flatMap((client) =>
      [0, 1].map(() => ask('POST', `${one}/confirmation`, { status }, client)),
    ),
    ...(round % 4 === 0 ? [ask('POST', `${one}/withdrawal`, { because: 'wrong payment' })] : []),
    ...(round % 2 === 0 && sent ? [postReport(gateway, reportOn(sent, values), 'MYRRPP')] : []),
  ];
  await Promise.all(acts);
}

const told = (messages: readonly string[], uetr: string) => [
  ...new Set(
    messages
      .filter((one) => one.includes(uetr))
      .map((one) => `${/<TxSts>(\w+)</.exec(one)?.[1] ?? ''} ${/<MsgId>([^<]+)</.exec(one)?.[1] ?? ''}`),
  ),
];

test('whatever happens at once, a payment in doubt is decided once, by a final or by two people, and told so (LIF-4, PAY-7, QUO-8)', async () => {
  const uetrs: string[] = [];
  for (let count = 0; count < 24; count += 1) uetrs.push(await inDoubt());
  await sql`create function fail_sometimes() returns trigger language plpgsql as $$
    begin
      if random() < 0.25 then raise exception 'the disk says no' using errcode = '53100'; end if;
      return new;
    end $$`.execute(db);
  for (const table of [sql`decisions`, sql`recorded_outcomes`, sql`audit_events`])
    await sql`create trigger fails before insert or update on ${table} for each row execute function fail_sometimes()`.execute(
      db,
    );
  await Promise.all(uetrs.map((uetr, round) => struggle(uetr, round)));
  // `drop trigger` would lock tables in use, and may deadlock
  await sql`create or replace function fail_sometimes() returns trigger language plpgsql as $$
    begin return new; end $$`.execute(db);

  const rows = async () =>
    (
      await sql<{
        uetr: string;
        status: string | null;
        decidedBy: string | null;
        outcomeStatus: string | null;
        confirmed: number;
        recordedBy: string | null;
        confirmedBy: string | null;
        finalStatus: string | null;
        quote: boolean;
        audits: number;
      }>`
    select p.uetr, d.status, d.decided_by as "decidedBy", o.status as "outcomeStatus", o.recorded_by as "recordedBy",
      o.confirmed_by as "confirmedBy",
      (select count(*)::int from recorded_outcomes c where c.uetr = p.uetr and c.confirmed_at is not null) as confirmed,
      (select m.status from deliveries i join messages m on m.message_id = i.final_report_id
        where i.subject_id = p.uetr and i.kind = 'instruction') as "finalStatus",
      exists (select from quote_uses q where q.uetr = p.uetr) as quote,
      (select count(*)::int from audit_events a where a.subject_id = p.uetr and a.kind = 'operator.outcome-confirmed') as audits
    from payments p left join decisions d on d.uetr = p.uetr left join recorded_outcomes o on o.outcome_id = d.outcome_id
    where p.uetr = any(${uetrs}::uuid[])`.execute(db)
    ).rows;
  await eventually(
    async () => {
      for (const row of await rows()) {
        const isDue = row.confirmed > 0 || row.finalStatus !== null;
        expect({ ...row, isDecided: row.status !== null }).toMatchObject({ isDecided: isDue });
      }
    },
    { everyMs: 500, limitMs: 60_000 },
  );
  for (const row of await rows()) {
    expect(row.audits, row.uetr).toBe(row.confirmed);
    expect(row.quote, row.uetr).toBe(row.status !== 'RJCT');
    if (row.status === null) continue;
    if (row.decidedBy === 'operator') {
      expect(row).toMatchObject({ status: row.outcomeStatus, finalStatus: null });
      expect(row.recordedBy).not.toBe(row.confirmedBy);
    } else expect(row).toMatchObject({ decidedBy: 'destination', status: row.finalStatus });
    await eventually(
      () => {
        for (const messages of [callbacks, confirmations]) {
          const [only, ...more] = told(messages, row.uetr);
          if (messages === callbacks) expect(only).toMatch(new RegExp(`^${row.status ?? ''} `));
          else expect(only ?? row.status).toContain(row.status);
          expect(more).toEqual([]);
        }
      },
      { everyMs: 500, limitMs: 70_000 },
    );
  }
});
