// A payment may have thousands of alerts. However many there are, and whatever was done about them, every operator sees all alerts, in time, and can act on
// each (OBS-6, SEC-7).
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { createDecidePayment } from '../../../activities/payments/decide-payment.ts';
import { actOnCase, entriesOfCase, listAlerts, openAlerts } from '../../../db/records/cases.ts';
import { connect, serviceLimits } from '../../../db/pool/connection.ts';
import type { CaseAction } from '../../../core/operations/cases.ts';
import { newestAlert } from '../../harness/events.ts';
import { storeReport } from '../../harness/reports.ts';
import { workbench } from '../../activities/workbench.ts';
import { rewritten } from '../../harness/rewritten.ts';

const { deps, accepted, databaseUrl } = await workbench();
const db = connect(databaseUrl, { applicationName: 'isthmus-test', limits: serviceLimits }); // as the api has it
afterAll(() => db.destroy());

/** A payment whose destination has taken back its ACCC. It has that many alerts. */
async function contradicted(times: number): Promise<string> {
  const { uetr } = await accepted();
  const reportMessageId = await storeReport(db, uetr, { status: 'ACCC' });
  const cause = { by: 'destination', reportMessageId, wantsConfirmation: false } as const;
  await createDecidePayment(deps)({ uetr, cause });
  await storeReport(db, uetr, { status: 'RJCT', reasonCode: 'AC04' });
  await sql`
    insert into audit_events (severity, kind, subject_id, party, detail)
    select severity, kind, subject_id, null, detail || jsonb_build_object('reportMessageId', gen_random_uuid())
    from audit_events, generate_series(2, ${times}::int)
    where subject_id = ${uetr} and kind = 'payment.contradiction'`.execute(db);
  return uetr;
}

const act = async (uetr: string, action: CaseAction) =>
  actOnCase(db, uetr, {
    action,
    by: 'operator',
    note: action,
    closing: { kinds: undefined, seen: await newestAlert(db, uetr) },
  });
const openOf = async (subjectId: string) =>
  (await listAlerts(db, { states: ['open'], subjectId }, { limit: 10 })).alerts.length;

test('eight thousand contradictions of a payment, acted on dozens of times, keep nobody from the alerts (OBS-6, SEC-7)', async () => {
  const uetr = await contradicted(8_000);
  const acts = ['take', 'note', 'close', 'reopen', 'note'] as const;
  for (let n = 0; n < 20; n += 1) expect(await act(uetr, acts[n % acts.length] ?? 'note')).toBe(undefined);
  expect(await act(uetr, 'close')).toBe(undefined);
  const { uetr: other } = await accepted();
  await sql`
    insert into audit_events (severity, kind, subject_id, party)
    values ('alert', 'payment.in-doubt', ${other}, 'THBPPAY')`.execute(db);

  const begunAt = performance.now();
  const { alerts } = await listAlerts(db, { states: ['open', 'taken'] }, { limit: 100 });
  expect(alerts.map(({ kind, subjectId }) => [kind, subjectId])).toEqual([['payment.in-doubt', other]]);
  expect(await openAlerts(db)).toEqual([{ kind: 'payment.in-doubt', severity: 'alert', open: 1 }]);
  const entries = await entriesOfCase(db, uetr);
  expect(performance.now() - begunAt).toBeLessThan(1_500); // a third of it on a machine that does nothing else
  expect(entries.length).toBe(21);
  expect(JSON.stringify(entries).length).toBeLessThan(256 * 1024); // 21 times 8,000 would be 9 MB
}, 60_000);

test('a case of so many alerts that no one statement can go through them is taken and closed all the same (OBS-6, SEC-7)', async () => {
  const uetr = await contradicted(40_000);
  const hasty = connect(databaseUrl, {
    applicationName: 'isthmus-test',
    limits: { ...serviceLimits, statementMs: 1_000 }, // a third of what it is, and of the alerts that reach it
  });
  try {
    for (const action of ['take', 'close'] as const) {
      const closing = { kinds: undefined, seen: await newestAlert(db, uetr) };
      expect(await actOnCase(hasty, uetr, { action, by: 'operator', note: action, closing })).toBe(undefined);
    }
    expect(await openOf(uetr)).toBe(0);
    const [taken, ...more] = await entriesOfCase(db, uetr);
    expect(taken).toMatchObject({ action: 'take', alertCount: 10_000 });
    expect(more.reduce((sum, one) => sum + one.alertCount, 0)).toBe(70_000);
    await rewritten(db, sql`delete from audit_events where subject_id = ${uetr}::uuid`); // for the tests that follow
  } finally {
    await hasty.destroy();
  }
}, 60_000);

test('where each alert stands is what was done last, under it or under its case (OBS-6)', async () => {
  const uetr = await contradicted(10);
  expect(await act(uetr, 'close')).toBe(undefined);
  expect(await openOf(uetr)).toBe(0);
  await storeReport(db, uetr, { status: 'BLCK' }); // nobody had seen it
  expect(await openOf(uetr)).toBe(1);
  const { alerts } = await listAlerts(db, { states: ['closed'], subjectId: uetr }, { limit: 1 });
  const [newestClosed] = alerts;
  await sql`
    insert into case_entries (audit_event_id, action, client_id, note)
    values (${newestClosed?.alertId}::bigint, 'reopen', 'operator', 'it came back')`.execute(db);
  expect(await openOf(uetr)).toBe(2);
  await sql`
    insert into case_entries (subject_id, audit_event_ids, action, client_id, note)
    select ${uetr}::uuid, array_agg(audit_event_id), 'close', 'operator', 'all of them'
    from audit_events where subject_id = ${uetr}::uuid`.execute(db);
  expect(await openOf(uetr)).toBe(0);
  expect((await entriesOfCase(db, uetr)).map(({ alertCount }) => alertCount)).toEqual([10, 1, 11]);
});
