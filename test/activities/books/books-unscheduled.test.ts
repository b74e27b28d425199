// The engine refuses the schedule of the daily books, or cannot be asked: books that are owed for days are told of all
// the same (REC-2, OBS-6).
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { watchBooks } from '../../../activities/books/watch-books.ts';
import { listAlerts } from '../../../db/records/cases.ts';
import { workbench } from '../workbench.ts';
import { rewritten } from '../../harness/rewritten.ts';
import { eventually } from '../../harness/wait.ts';

const { deps } = await workbench();

async function toldWhile(scheduleBooks: () => Promise<void>, giveUp = (): void => undefined) {
  const stop = watchBooks(deps, { scheduleBooks }, 50);
  try {
    await eventually(async () => {
      const { alerts } = await listAlerts(deps.db, { states: ['open'], kind: 'book.late' }, { limit: 1 });
      expect(alerts.length).toBe(1);
    });
  } finally {
    giveUp();
    await stop();
  }
}

beforeEach(async () => {
  await rewritten(deps.db, sql`delete from audit_events where kind = 'book.late'`);
  await sql`delete from leases`.execute(deps.db);
  await sql`update settlement_accounts set registered_at = now() - interval '5 days'`.execute(deps.db);
  await sql`update book_endpoints set registered_at = now() - interval '3 days'`.execute(deps.db);
});

test('books are late, and the engine refuses their schedule: somebody is told (REC-2, OBS-6)', () =>
  toldWhile(() => Promise.reject(new Error('PERMISSION_DENIED'))));

test('books are late, and the engine does not answer: somebody is told (REC-2, OBS-6)', async () => {
  let giveUp: () => void = () => undefined;
  const silent = new Promise<void>((resolve) => {
    giveUp = resolve;
  });
  await toldWhile(() => silent, giveUp);
});
