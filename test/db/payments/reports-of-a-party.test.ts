// A destination that reports without end fills neither the record nor the list of alerts, and still decides its
// payments (OVL-2, PAY-7).
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createDecidePayment } from '../../../activities/payments/decide-payment.ts';
import { assert } from '../../../core/assert.ts';
import { buildPacs002, type Pacs002 } from '../../../core/iso20022/pacs002.ts';
import { ok } from '../../../core/result.ts';
import { actOnAlert, findAlert } from '../../../db/records/cases.ts';
import { loadDecidable } from '../../../db/payments/decisions.ts';
import { takeReport, type TakenReport } from '../../../db/payments/reports.ts';
import { findUntoldFinals } from '../../../db/records/sweep.ts';
import { newMessageId } from '../../../fixtures/instruction.ts';
import { workbench } from '../../activities/workbench.ts';

const { deps, accepted } = await workbench();
const { db } = deps;
const decidePayment = createDecidePayment(deps);
const party = 'THBPPAY';

/** Takes in another report of the destination, as the api does. */
async function report(uetr: string, status: Pacs002['status']): Promise<TakenReport> {
  const payment = await loadDecidable(db, uetr, null);
  const values: Pacs002 = {
    messageIdentification: newMessageId(''),
    creationDateTime: new Date().toISOString(),
    status,
    original: payment.destinationReferences.original,
  };
  const body = Buffer.from(buildPacs002(values));
  return takeReport(db, payment, { reading: ok(values), body, party, inReplyTo: null });
}

async function stored(uetr: string): Promise<Readonly<Record<string, number>>> {
  const { rows } = await sql<{ status: string; n: number }>`
    select status, count(*)::int as n from messages
    where subject_id = ${uetr}::uuid and direction = 'in' and message_type = 'pacs002' group by status`.execute(
    db,
  );
  return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
}

async function alertsOf(uetr: string): Promise<readonly { id: string; told: string }[]> {
  const { rows } = await sql<{ id: string; told: string }>`
    select audit_event_id::text as id, kind || ' ' || coalesce(detail ->> 'reported', detail ->> 'limit') as told
    from audit_events where subject_id = ${uetr}::uuid and severity = 'alert' order by audit_event_id`.execute(
    db,
  );
  return rows;
}
const toldOf = async (uetr: string) => (await alertsOf(uetr)).map(({ told }) => told);

async function decided(): Promise<string> {
  const { uetr } = await accepted();
  const first = await report(uetr, 'ACCC');
  assert(first.kind === 'final', 'it is the first');
  const { reportMessageId } = first;
  await decidePayment({ uetr, cause: { by: 'destination', reportMessageId, wantsConfirmation: false } });
  return uetr;
}

async function untold(): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { uetr } of findUntoldFinals(db, { withinMs: 3_600_000, graceMs: 0 })) found.push(uetr);
  return found;
}

test('a hundred reports of a payment are stored, and of more the first of each final status, which counts (OVL-2, PAY-7)', async () => {
  const { uetr } = await accepted();
  for (let nth = 1; nth <= 105; nth += 1) expect((await report(uetr, 'ACWP')).kind).toBe('interim');
  expect((await report(uetr, 'ACTC')).kind).toBe('interim');
  expect(await stored(uetr)).toEqual({ ACWP: 100 });
  expect(await toldOf(uetr)).toEqual(['party.at-limit reports']);
  const finals = [await report(uetr, 'ACCC'), await report(uetr, 'ACCC')];
  expect(await stored(uetr)).toEqual({ ACWP: 100, ACCC: 1 });
  const [first, second] = finals;
  assert(first?.kind === 'final' && second?.kind === 'final', 'it is undecided');
  expect(second.reportMessageId).toBe(first.reportMessageId);
  const cause = {
    by: 'destination',
    reportMessageId: second.reportMessageId,
    wantsConfirmation: false,
  } as const;
  expect(await decidePayment({ uetr, cause })).toMatchObject({ status: 'ACCC' });
  expect((await report(uetr, 'RJCT')).kind).toBe('late');
  expect(await stored(uetr)).toEqual({ ACWP: 100, ACCC: 1, RJCT: 1 });
  expect(await toldOf(uetr)).toEqual(['party.at-limit reports', 'payment.contradiction RJCT']);
  expect(await untold()).toEqual([]);
});

test('of a payment and status there is one contradiction open, however many finals say so; the sweep finds none of them (OVL-2, PAY-7)', async () => {
  const uetr = await decided();
  const answers = await Promise.all(Array.from({ length: 8 }, () => report(uetr, 'RJCT')));
  for (let nth = 1; nth <= 3; nth += 1) answers.push(await report(uetr, 'BLCK'));
  expect(answers.map((taken) => (taken.kind === 'late' ? taken.decision.status : taken.kind))).toEqual(
    Array.from({ length: 11 }, () => 'ACCC'),
  );
  expect(await toldOf(uetr)).toEqual(['payment.contradiction RJCT', 'payment.contradiction BLCK']);
  expect(await stored(uetr)).toEqual({ ACCC: 1, RJCT: 8, BLCK: 3 });
  expect(await untold()).toEqual([]);

  const [first] = await alertsOf(uetr);
  const alert = await findAlert(db, first?.id ?? '');
  assert(alert !== undefined, 'it is there');
  await actOnAlert(db, alert, { action: 'close', by: 'operator', note: 'it has returned the money' });
  expect(await untold()).toEqual([]);
  await report(uetr, 'RJCT');
  expect((await toldOf(uetr)).toSorted()).toEqual([
    'payment.contradiction BLCK',
    'payment.contradiction RJCT',
    'payment.contradiction RJCT',
  ]);
});

test('the sweep finds a contradiction whose process died before its alert, also after an alert of the same status was closed (PAY-7)', async () => {
  const uetr = await decided();
  await report(uetr, 'RJCT');
  const [first] = await alertsOf(uetr);
  const alert = await findAlert(db, first?.id ?? '');
  assert(alert !== undefined, 'it is there');
  await actOnAlert(db, alert, { action: 'close', by: 'operator', note: 'it has returned the money' });
  await sql
    .raw(
      `create function dies() returns trigger language plpgsql as $$ begin
    if new.kind = 'payment.contradiction' then raise exception 'dead'; end if; return new; end $$;
    create trigger dies before insert on audit_events for each row execute function dies()`,
    )
    .execute(db);
  await expect(report(uetr, 'RJCT')).rejects.toThrow('dead');
  await sql.raw('drop trigger dies on audit_events; drop function dies').execute(db);
  expect(await untold()).toEqual([uetr]);
});
