// What is on record is written once: the database refuses to change it or to remove it, whoever asks (LIF-1).
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { connect } from '../../../db/pool/connection.ts';
import { recordAudit } from '../../../db/records/audit.ts';
import { testDatabase } from '../../harness/database.ts';

const database = await testDatabase();
const db = connect(database.url, { applicationName: 'isthmus-test' });
afterAll(() => db.destroy());

const tables = [
  { table: 'messages', column: 'status' },
  { table: 'payments', column: 'accepted' },
  { table: 'decisions', column: 'status' },
  { table: 'audit_events', column: 'severity' },
];

test.each(tables)(
  '$table: what is on record is neither changed nor removed (LIF-1)',
  async ({ table, column }) => {
    const refused = (operation: string) => `${table} is insert-only: ${operation} refused (LIF-1)`;
    const [name, member] = [sql.table(table), sql.ref(column)];
    await expect(sql`update ${name} set ${member} = ${member}`.execute(db)).rejects.toThrow(
      refused('update'),
    );
    await expect(sql`delete from ${name}`.execute(db)).rejects.toThrow(refused('delete'));
    await expect(sql`truncate ${name} cascade`.execute(db)).rejects.toThrow(
      /is insert-only: truncate refused/,
    );
    await expect(
      sql`merge into ${name} t using (select 1) s on true when matched then delete`.execute(db),
    ).rejects.toThrow(refused('delete'));
  },
);

test('what is on record stays as it was', async () => {
  await recordAudit(db, { kind: 'destination.answer-refused', detail: { reason: 'as it was' } });
  await sql`update audit_events set detail = '{}'`.execute(db).catch(() => undefined);
  const events = await db
    .selectFrom('audit_events')
    .select('detail')
    .where('kind', '=', 'destination.answer-refused')
    .execute();
  expect(events).toEqual([{ detail: { reason: 'as it was' } }]);
});
