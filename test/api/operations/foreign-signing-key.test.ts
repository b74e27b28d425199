// A key that lies among ours and that nobody made who has our sealing keys: operators see that it is none of ours (SEC-6).
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { rotateDeliveryKey } from '../../../db/keys/delivery-keys.ts';
import { vaultPlugin } from '../../../db/keys/vault.ts';
import { testDatabase } from '../../harness/database.ts';
import { startApi } from '../http/running-api.ts';

test('a key that somebody put there who has no sealing keys is shown as not ours, and one that this process cannot read as that (SEC-6)', async () => {
  const sealing = { keys: [{ keyId: 'first', key: randomBytes(32).toString('base64') }], seals: true };
  const { url } = await testDatabase();
  const api = await startApi(url, { vault: vaultPlugin(sealing, () => undefined) });
  onTestFinished(() => api.close());
  const keyId = await rotateDeliveryKey(api.ownDb, { by: 'isthmus', because: 'a test', withdraw: false });
  const foreign = 'A'.repeat(43);
  await sql`
    insert into delivery_keys (key_id, public_key, made_by, because, signs_from)
    values (${foreign}, ${foreign}, 'isthmus', 'on schedule', now() - interval '1 day')`.execute(api.db);
  const other = 'B'.repeat(43);
  await sql`
    insert into delivery_keys (key_id, public_key, made_by, because, signs_from, vouched, vouched_by)
    values (${other}, ${other}, 'isthmus', 'on schedule', now() - interval '2 days', 'AAAA', 'second')`.execute(
    api.db,
  );
  const { body } = await api.get<readonly { keyId: string; state: string }[]>(
    '/admin/delivery-keys',
    'operator',
  );
  expect(body.map((one) => [one.keyId, one.state])).toEqual([
    [keyId, 'signs'],
    [foreign, 'not-ours'],
    [other, 'unreadable'],
  ]);
});
