// What processes report of their sealing keys must be true, so that an operator can remove an old key (SEC-3,
// SEC-6).
import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { connect, type Db } from '../../../db/pool/connection.ts';
import {
  publishedKeys,
  rotateDeliveryKey,
  signingKeys,
  wrapDeliveryKeys,
} from '../../../db/keys/delivery-keys.ts';
import { wrapIssuerKeys } from '../../../db/keys/issuer.ts';
import { sealingState } from '../../../db/keys/sealing-state.ts';
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
