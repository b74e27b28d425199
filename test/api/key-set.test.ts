// The published key set, while no key of ours counts yet: a receiver that kept an empty one would refuse what we send (CBK-2).
import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { keySetPath } from '../../core/webhook-signature.ts';
import { connect } from '../../db/connection.ts';
import { rotateDeliveryKey, wrapDeliveryKeys } from '../../db/delivery-keys.ts';
import { vaultPlugin } from '../../db/vault.ts';
import { testDatabase } from '../harness/database.ts';
import { startApi } from './running-api.ts';

test('keys that do not count yet are a 503, not an empty set; there is an empty one only where there are none', async () => {
  const sealing = { keys: [{ keyId: 'first', key: randomBytes(32).toString('base64') }], seals: true };
  const { url } = await testDatabase();
  const withKeys = () => vaultPlugin(sealing, () => undefined);
  const worker = connect(url, { applicationName: 'isthmus-test', vault: withKeys() });
  const api = await startApi(url, { vault: withKeys() });
  onTestFinished(async () => {
    await api.close();
    await worker.destroy();
  });
  const keySet = () => api.get<{ keys?: readonly { kid: string }[]; code?: string }>(keySetPath, null);
  expect((await keySet()).body).toEqual({ keys: [] });
  // made by a process that has no sealing keys, and the worker that has them is still to come
  const keyId = await rotateDeliveryKey(api.db, { by: 'isthmus', because: 'a test', withdraw: false });
  const early = await keySet();
  expect([early.status, early.body.code, early.headers.get('cache-control')]).toEqual([
    503,
    'unavailable',
    'no-store',
  ]);
  expect(await wrapDeliveryKeys(worker, true)).toEqual([]);
  expect((await keySet()).body).toEqual({ keys: [expect.objectContaining({ kid: keyId })] });
});
