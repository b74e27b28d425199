// A payment with thousands of alerts: operators still see all alerts in time and can act on each (OBS-6, SEC-7).
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { createDecidePayment } from '../../../activities/payments/decide-payment.ts';
import { actOnCase, entriesOfCase, listAlerts, openAlerts } from '../../../db/records/cases.ts';
import { connect, serviceLimits } from '../../../db/pool/connection.ts';
import type { CaseAction } from '../../../core/operations/cases.ts';
import { newestAlert } from '../../harness/events.ts';
import { storeReport } from '../../harness/reports.ts';
import { workbench } from '../../activities/workbench.ts';

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
  expect(performance.now() - begunAt).toBeLessThan(6_000); // 0.5 s where nothing else runs
  expect(entries.length).toBe(21);
  expect(JSON.stringify(entries).length).toBeLessThan(256 * 1024); // 21 times 8,000 would be 9 MB
});
