// What is found again each time that somebody looks is one alert, until an operator closes it (OBS-6).
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { alertUnlessOpen } from '../../../db/records/audit.ts';
import { actOnAlert, listAlerts } from '../../../db/records/cases.ts';
import type { Alert } from '../../../core/operations/cases.ts';
import { workbench } from '../../activities/workbench.ts';

const { deps } = await workbench();
const { db } = deps;

const lateBook = (day: string) =>
  ({ kind: 'book.late', party: 'SGDFAST', detail: { day, reason: 'as before' } }) as const;
const dayOf = ({ detail }: Alert) => (detail as { readonly day?: string }).day;
const openAbout = async (day: string) => {
  const { alerts } = await listAlerts(
    db,
    { states: ['open', 'taken'], kind: 'book.late' },
    { limit: 10_000 },
  );
  return alerts.filter((one) => dayOf(one) === day);
};

test('many who find the same thing at once tell of it once; what is found at another party or day is another alert (OBS-6)', async () => {
  const found = [...Array.from({ length: 8 }, () => lateBook('2026-01-01')), lateBook('2026-01-02')];
  await Promise.all(found.map((one) => alertUnlessOpen(db, one)));
  await alertUnlessOpen(db, { ...lateBook('2026-01-02'), party: 'THBPPAY' });
  expect((await openAbout('2026-01-01')).map(({ party }) => party)).toEqual(['SGDFAST']);
  expect((await openAbout('2026-01-02')).map(({ party }) => party).sort()).toEqual(['SGDFAST', 'THBPPAY']);
});

test('an alert that is open is found behind a thousand others, and told again only once it is closed (OBS-6)', async () => {
  await alertUnlessOpen(db, lateBook('2026-02-01'));
  await sql`
    insert into audit_events (severity, kind, party, detail)
    select 'alert', 'book.late', 'SGDFAST', jsonb_build_object('day', n) from generate_series(1, 1100) n`.execute(
    db,
  );
  await alertUnlessOpen(db, lateBook('2026-02-01'));
  const [first, ...others] = await openAbout('2026-02-01');
  expect(others).toEqual([]);

  await actOnAlert(db, first!, { action: 'take', by: 'operator', note: 'mine' });
  await alertUnlessOpen(db, lateBook('2026-02-01'));
  expect((await openAbout('2026-02-01')).map(({ alertId }) => alertId)).toEqual([first!.alertId]);

  await actOnAlert(db, first!, { action: 'close', by: 'operator', note: 'done' });
  await alertUnlessOpen(db, lateBook('2026-02-01'));
  const again = await openAbout('2026-02-01');
  expect(again.map(({ alertId }) => alertId === first!.alertId)).toEqual([false]);
});
