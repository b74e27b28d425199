// The signer signs with the keys that it knows, also while the database is away (CBK-2).
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { openSigner } from '../../../activities/wire/signer.ts';
import { connect } from '../../../db/pool/connection.ts';
import { rotateDeliveryKey } from '../../../db/keys/delivery-keys.ts';
import { ReferenceDataStale } from '../../../db/pool/failures.ts';
import { testDatabase } from '../../harness/database.ts';

const database = await testDatabase();
const db = connect(database.url, { applicationName: 'isthmus-test' });
const lines: string[] = [];
const logger = pino({}, { write: (line: string) => void lines.push(line) });
let reference: () => object = () => lines;
const signer = await openSigner(db, { rotateAfterDays: 90, reference: () => reference(), logger });
afterAll(async () => {
  await signer.close();
  await db.destroy();
});
const signatures = () =>
  signer.headersOf({ id: 'MSG-1', body: Buffer.from('<a/>') })['webhook-signature']?.split(' ');

test('a worker makes the first key by itself', async () => {
  expect(signatures()).toEqual([expect.stringMatching(/^v1a,[A-Za-z0-9+/]{86}==$/)]);
  const made = await db.selectFrom('delivery_keys').select(['made_by', 'key_id']).execute();
  expect(made).toEqual([{ made_by: 'isthmus', key_id: expect.any(String) as string }]);
  // so that whoever puts one beside it is given away (SEC-6)
  const said = lines.splice(0).map((line) => JSON.parse(line) as object);
  expect(said).toEqual([
    expect.objectContaining({ msg: 'a key of what is sent was made', keyId: made[0]?.key_id }),
  ]);
});

test('while the database is away nothing is said of keys, and the known one signs', async () => {
  reference = () => {
    throw new ReferenceDataStale('for seconds');
  };
  await delay(1_500);
  expect(signatures()).toHaveLength(1);
  expect(lines).toEqual([]);
});

test('while a key is new to those who keep our key set, what needs one signature has that of the one before; unless that was withdrawn', async () => {
  const keyIds = async () => {
    const headers = await signer.signedRequest({
      url: 'https://th.example/in?a=1',
      body: Buffer.from('<a/>'),
    });
    return /keyid="([^"]+)"/.exec(headers['signature-input'] ?? '')?.[1];
  };
  const listed = async () => {
    const { rows } = await sql<{
      id: string;
    }>`select key_id as id from delivery_keys order by signs_from`.execute(db);
    return rows.map(({ id }) => id);
  };
  reference = () => ({}); // it has changed
  await rotateDeliveryKey(db, { by: 'operator', because: 'a test', withdraw: false });
  await expect.poll(signatures).toHaveLength(2);
  const [older, newer] = await listed();
  expect(await keyIds()).toBe(older);
  await sql`update delivery_keys set signs_from = signs_from - interval '11 minutes' where key_id = ${newer}`.execute(
    db,
  );
  reference = () => ({});
  await expect.poll(keyIds).toBe(newer);
  await rotateDeliveryKey(db, { by: 'operator', because: 'it was seen elsewhere', withdraw: true });
  await expect.poll(keyIds).toBe((await listed()).at(-1));
});
