// The published key set, while no key is made or none of ours counts yet: a receiver that kept an empty one would refuse what
// we send (CBK-2).
import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { keySetPath } from '../../../core/deliveries/webhook-signature.ts';
import { connect } from '../../../db/pool/connection.ts';
import { rotateDeliveryKey, unreadableKey, wrapDeliveryKeys } from '../../../db/keys/delivery-keys.ts';
import { vaultPlugin } from '../../../db/keys/vault.ts';
import { testDatabase } from '../../harness/database.ts';
import { startApi } from '../http/running-api.ts';

test('no key yet, or keys that do not count yet, are a 503, not an empty set that a receiver keeps', async () => {
  const sealing = { keys: [{ keyId: 'first', key: randomBytes(32).toString('base64') }], seals: true };
  const { url } = await testDatabase();
  const withKeys = () => vaultPlugin(sealing, () => undefined);
  const worker = connect(url, { applicationName: 'isthmus-test', vault: withKeys() });
  const lines: { level: number; msg: string; keyId?: string }[] = [];
  const logger = pino(
    {},
    { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[0]) },
  );
  const api = await startApi(url, { vault: withKeys(), logger });
  onTestFinished(async () => {
    await api.close();
    await worker.destroy();
  });
  const keySet = () => api.get<{ keys?: readonly { kid: string }[]; code?: string }>(keySetPath, null);
  const refused = async () => {
    const { status, body, headers } = await keySet();
    expect([status, body.code, headers.get('cache-control')]).toEqual([503, 'unavailable', 'no-store']);
  };
  await refused(); // before the first worker
  // made by a process that has no sealing keys, and the worker that has them is still to come
  const keyId = await rotateDeliveryKey(api.db, { by: 'isthmus', because: 'a test', withdraw: false });
  await refused();
  expect(await wrapDeliveryKeys(worker, true)).toEqual([]);
  expect((await keySet()).body).toEqual({ keys: [expect.objectContaining({ kid: keyId })] });
  // what this api cannot read takes nothing from the rest (SEC-6)
  await sql`
    insert into delivery_keys (key_id, public_key, made_by, because, vouched, vouched_by)
    values ('strange', 'x', 'isthmus', 'on schedule', 'x', 'nobody')`.execute(worker);
  for (const asked of [await keySet(), await keySet()])
    expect(asked.body).toEqual({ keys: [expect.objectContaining({ kid: keyId })] });
  const said = lines.filter(({ keyId: about }) => about === 'strange');
  expect(said).toEqual([expect.objectContaining({ level: 50, msg: unreadableKey })]);
});
