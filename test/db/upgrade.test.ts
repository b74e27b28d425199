// A database that was brought to any earlier state of this version comes to the newest (LIF-6).
import { Migrator } from 'kysely/migration';
import { expect, test } from 'vitest';
import { connect } from '../../db/connection.ts';
import { migrate } from '../../db/migrate.ts';
import { migrations } from '../../db/migrations/index.ts';
import { prepareRecords } from '../../db/partition-records.ts';
import { testDatabase } from '../harness/database.ts';

const names = Object.keys(migrations);
const beforePartitions = '0028-record-keys';
const databases = await Promise.all(
  names
    .filter((name) => name >= beforePartitions)
    .slice(0, -1)
    .map(async (name) => ({ ...(await testDatabase('empty')), name })),
);

test.each(databases)('from $name', async ({ name, url }) => {
  const db = connect(url, { applicationName: 'isthmus-test', maxConnections: 1 });
  try {
    const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(migrations) } });
    const to = async (last: string) => expect((await migrator.migrateTo(last)).error).toBeUndefined();
    await to(beforePartitions);
    if (name > beforePartitions) {
      await prepareRecords(db, () => undefined);
      await to(name);
    }
  } finally {
    await db.destroy();
  }
  const { applied } = await migrate(url);
  expect(applied).toEqual(names.filter((one) => one > name));
  expect((await migrate(url)).applied).toEqual([]);
});
