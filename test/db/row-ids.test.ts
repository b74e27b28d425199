// Our own rows have ids that grow with time, so that inserts stay at the end of an index.
import { sql } from 'kysely';
import { afterAll, expect, test, vi } from 'vitest';
import { connect } from '../../db/pool/connection.ts';
import { newRowId } from '../../db/pool/row-ids.ts';
import { testDatabase } from '../harness/database.ts';

const database = await testDatabase();
const db = connect(database.url, { applicationName: 'isthmus-test', maxConnections: 1 });
afterAll(() => db.destroy());

test('an id is a UUID v7 of the moment in which it was made, and no two are equal', async () => {
  const moment = new Date('2026-01-05T04:00:00.123Z');
  vi.useFakeTimers({ now: moment, toFake: ['Date'] });
  const ids = Array.from({ length: 100 }, () => newRowId());
  vi.useRealTimers();
  expect(new Set(ids).size).toBe(100);
  const { rows } = await sql<{ version: number; at: Date }>`
    select distinct uuid_extract_version(id) as version, uuid_extract_timestamp(id) as at
    from unnest(${ids}::uuid[]) id`.execute(db);
  expect(rows).toEqual([{ version: 7, at: moment }]);
});

test('a rate has such an id too', async () => {
  const { rows } = await sql<{ version: number }>`
    select distinct uuid_extract_version(rate_id) as version from rates`.execute(db);
  expect(rows).toEqual([{ version: 7 }]);
});
