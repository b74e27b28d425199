// Before one of SEALING_KEYS leaves the setting, an operator goes by what processes say at their start: it is true of all that
// is wrapped (SEC-3, SEC-6).
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { connect, type Db } from '../../../db/pool/connection.ts';
import {
  publishedKeys,
  rotateDeliveryKey,
  signingKeys,
  wrapDeliveryKeys,
} from '../../../db/keys/delivery-keys.ts';
import { offerIssuerKey, readIssuerKeys, rotateIssuerKey, wrapIssuerKeys } from '../../../db/keys/issuer.ts';
import { sealingState, tellOfSealing } from '../../../db/keys/sealing-state.ts';
import { beginSealing, vaultPlugin } from '../../../db/keys/vault.ts';
import { testDatabase, type TestDatabase } from '../../harness/database.ts';

const key = (keyId: string) => ({ keyId, key: randomBytes(32).toString('base64') });
const [old, another] = [key('old'), key('new')];
const databases = await Promise.all(Array.from({ length: 3 }, () => testDatabase()));
const rotation = { by: 'alice', because: 'a test', withdraw: false };

/** A database of its own, and processes that start as an api and a worker do. */
function world() {
  const database = databases.pop() as TestDatabase;
  const opened: Db[] = [];
  onTestFinished(async () => {
    for (const db of opened) await db.destroy();
  });
  const start = async (role: 'isthmus_api' | 'isthmus_worker', keys: readonly ReturnType<typeof key>[]) => {
    const vault = vaultPlugin({ keys, seals: true }, () => undefined);
    const db = connect(database.as(role), { applicationName: 'isthmus-test', maxConnections: 3, vault });
    opened.push(db);
    await beginSealing(db);
    if (role === 'isthmus_api') await wrapIssuerKeys(db);
    else await wrapDeliveryKeys(db, true);
    return db;
  };
  return {
    api: (...keys: readonly ReturnType<typeof key>[]) => start('isthmus_api', keys),
    worker: (...keys: readonly ReturnType<typeof key>[]) => start('isthmus_worker', keys),
  };
}

const wrappedBy = async (db: Db) => (await sealingState(db)).wrappedBy;

test('a key that an api makes while others have started with another sealing key keeps the old one needed, until a worker starts again', async () => {
  const { api, worker } = world();
  await rotateDeliveryKey(await worker(old), rotation);
  const late = await api(old, another);
  expect(await wrappedBy(await worker(another, old))).toEqual(['new']);
  await rotateDeliveryKey(late, rotation);
  expect(await wrappedBy(await api(another, old))).toEqual(['new', 'old']);
  expect(await wrappedBy(await worker(another, old))).toEqual(['new']);
  expect(await wrappedBy(await api(another, old))).toEqual(['new']);
  const [published, signing] = [
    await publishedKeys(await api(another)),
    await signingKeys(await worker(another)),
  ];
  expect([published.length, signing.length]).toEqual([2, 2]);
});

test('so does one that signs tokens, until an api starts again; one that is over and cannot be read is no reason', async () => {
  const { api } = world();
  const late = await api(old, another);
  const privateJwk = { d: 'x' };
  await offerIssuerKey(late, { keyId: 'first', privateJwk });
  const ready = await api(another, old);
  await rotateIssuerKey(late, { keyId: 'second', privateJwk }, rotation);
  expect(await wrappedBy(ready)).toEqual(['new', 'old']);
  expect(await wrappedBy(await api(another, old))).toEqual(['new']);
  const alone = await api(another);
  expect((await readIssuerKeys(alone)).map(({ keyId }) => keyId)).toEqual(['second', 'first']);
  // one that signs no more, and that this api cannot read, does not keep others from counting
  await sql`update issuer_keys set wrapped_by = 'nobody' where key_id = 'first'`.execute(alone);
  await wrapIssuerKeys(alone);
  expect((await readIssuerKeys(alone)).map(({ keyId }) => keyId)).toEqual(['second']);
  expect(await wrappedBy(alone)).toEqual(['new', 'nobody']);
  await sql`update issuer_keys set withdrawn_at = now() where key_id = 'first'`.execute(alone);
  expect(await wrappedBy(alone)).toEqual(['new']);
  await sql`update issuer_keys set wrapped_by = 'nobody' where key_id = 'second'`.execute(alone);
  await expect(readIssuerKeys(alone)).rejects.toThrow('SEALING_KEYS lacks nobody'); // nobody could log in
});

test('a sealing key that has left too early is named in the log; what it wrapped does not count, and another key is made', async () => {
  const { api, worker } = world();
  const late = await api(old, another);
  await worker(another, old);
  const lost = await rotateDeliveryKey(late, rotation);
  const started = await worker(another);
  const said: unknown[] = [];
  const write = (about: object, says: string) => void said.push([says, about]);
  await tellOfSealing(started, { info: write, error: write });
  const state = { dataKeyId: expect.any(String) as string, wrappedBy: ['new', 'old'], lacking: ['old'] };
  expect(said).toEqual([
    ['stored personal data is sealed', state],
    ['SEALING_KEYS lacks a key that still wraps our keys', { lacking: ['old'] }],
  ]);
  expect(await wrapDeliveryKeys(started, true)).toEqual([{ kind: 'delivery-key.unreadable', keyId: lost }]);
  const made = await rotateDeliveryKey(started, { ...rotation, ifOlderThanDays: 90 });
  expect((await publishedKeys(await api(another))).map(({ keyId }) => keyId)).toEqual([made]);
  await rotateDeliveryKey(started, { ...rotation, withdraw: true });
  expect(await wrappedBy(started)).toEqual(['new']);
});
