// Finds the parties whose public keys end soon, for metrics and an alert (OBS-2, ADM-1).
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { connect } from '../../../db/pool/connection.ts';
import { keysThatEnd } from '../../../db/keys/party-keys.ts';
import { testDatabase } from '../../harness/database.ts';

const database = await testDatabase();
const db = connect(database.url, { applicationName: 'isthmus-test', maxConnections: 2 });
afterAll(() => db.destroy());

beforeEach(async () => {
  await sql`delete from public_keys`.execute(db);
  await sql`update operators set signs_messages = false`.execute(db);
});

/** Days from now on; null: always. */
interface Days {
  readonly from?: number;
  readonly until: number | null;
}

async function key(party: { operatorId: string } | { institutionId: string }, { from = -9, until }: Days) {
  const [operator, institution] =
    'operatorId' in party ? [party.operatorId, null] : [null, party.institutionId];
  await sql`
    insert into public_keys (key_id, operator_id, institution_id, public_jwk, valid_from, valid_until)
    values (gen_random_uuid()::text, ${operator}, ${institution}, '{}', now() + ${from} * interval '1 day',
      now() + ${until} * interval '1 day')`.execute(db);
}

const thai = { operatorId: 'IPSO-TH' };
const daysLeft = async () =>
  (await keysThatEnd(db)).map(({ party, secondsLeft }) => [party, Math.round(secondsLeft / 86_400)]);

test('the last of several keys counts, and one that has no end never ends', async () => {
  await key(thai, { until: 3 });
  await key({ institutionId: 'DE-BANY' }, { until: 2 });
  expect(await daysLeft()).toEqual([
    ['DE-BANY', 2],
    ['THBPPAY', 3],
  ]);
  await key(thai, { from: 1, until: 30 });
  await key({ institutionId: 'DE-BANY' }, { until: null });
  expect(await daysLeft()).toEqual([['THBPPAY', 30]]);
});

test('a key that begins only after the last has ended makes a gap, and is not counted until then', async () => {
  await key(thai, { until: 2 });
  await key(thai, { from: 5, until: 300 });
  expect(await daysLeft()).toEqual([['THBPPAY', 2]]);
  await key(thai, { from: 1, until: 6 });
  expect(await daysLeft()).toEqual([['THBPPAY', 300]]);
});
