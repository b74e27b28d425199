// With SEALING_KEYS, a key that the owner of the tables inserts is neither published nor used (SEC-6).
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { openSigner } from '../../../activities/wire/signer.ts';
import { openBuiltinIssuer } from '../../../api/auth/issuer.ts';
import { wrapIssuerKeys } from '../../../db/keys/issuer.ts';
import { connect, type Db } from '../../../db/pool/connection.ts';
import {
  keyIdOf,
  publishedKeys,
  rotateDeliveryKey,
  signingKeys,
  wrapDeliveryKeys,
} from '../../../db/keys/delivery-keys.ts';
import { vaultPlugin } from '../../../db/keys/vault.ts';
import { testDatabase } from '../../harness/database.ts';
import { rewritten } from '../../harness/rewritten.ts';

const { url } = await testDatabase();
const opened: Db[] = [];
afterAll(() => Promise.all(opened.map((one) => one.destroy())));
const sealingKey = { keyId: 'first', key: randomBytes(32).toString('base64') };
function processWith(seals?: boolean): Db {
  const vault = seals === undefined ? undefined : vaultPlugin({ keys: [sealingKey], seals }, () => undefined);
  const one = connect(url, { applicationName: 'isthmus-test', maxConnections: 3, vault });
  opened.push(one);
  return one;
}
const db = processWith(true);
const without = processWith();

const rotation = { by: 'isthmus', because: 'a test', withdraw: false };
const idsOf = (keys: readonly { readonly keyId: string }[]) => keys.map(({ keyId }) => keyId);
const published = async (by = db) => idsOf(await publishedKeys(by));

const mine = generateKeyPairSync('ed25519').privateKey;
const { x = '', d = '' } = mine.export({ format: 'jwk' });
const myId = keyIdOf(x);

/** As the owner of the tables does it. */
async function putKey(secret: string | null = d): Promise<void> {
  await sql`insert into delivery_keys (key_id, public_key, made_by, because) values (${myId}, ${x}, 'isthmus', 'on schedule')`.execute(
    db,
  );
  if (secret !== null)
    await sql`insert into delivery_key_secrets (key_id, private_key) values (${myId}, ${secret})`.execute(db);
}

let ours: string;
beforeEach(async () => {
  for (const table of ['audit_seals', 'audit_events', 'delivery_key_secrets', 'delivery_keys'])
    await rewritten(db, sql`delete from ${sql.table(table)}`);
  ours = (await rotateDeliveryKey(db, rotation)) ?? '';
});

test.each([
  ['with its private part in the clear', () => putKey()],
  ['without its private part', () => putKey(null)],
  [
    'with what was said of one of ours',
    async () => {
      await putKey();
      await sql`update delivery_keys set (vouched, vouched_by) =
        (select vouched, vouched_by from delivery_keys where key_id = ${ours}) where key_id = ${myId}`.execute(
        db,
      );
      await sql`update delivery_key_secrets set (private_key, wrapped_by) =
        (select private_key, wrapped_by from delivery_key_secrets where key_id = ${ours}) where key_id = ${myId}`.execute(
        db,
      );
    },
  ],
])('a key that was put beside ours, %s, is neither published nor signs, whatever starts', async (_, put) => {
  await put();
  expect(await published()).toEqual([ours]);
  expect(await wrapDeliveryKeys(db, true)).toEqual([{ kind: 'delivery-key.not-ours', keyId: myId }]);
  expect(await published()).toEqual([ours]);
  expect(idsOf(await signingKeys(db))).toEqual([ours]);
});

test('a key of before there were sealing keys counts once a worker has them, also while nothing is sealed yet', async () => {
  await rewritten(db, sql`delete from delivery_key_secrets`);
  await sql`delete from delivery_keys`.execute(db);
  const old = await rotateDeliveryKey(without, rotation);
  expect(await published()).toEqual([]);
  expect(await wrapDeliveryKeys(processWith(false), true)).toEqual([]); // SEALING=0
  expect(await published()).toEqual([old]);
  await sql`update delivery_keys set vouched = null, vouched_by = null`.execute(db);
  expect(await wrapDeliveryKeys(db, true)).toEqual([]); // at once
  expect([await published(), idsOf(await signingKeys(db))]).toEqual([[old], [old]]);
  await sql`update delivery_keys set vouched = null, vouched_by = null`.execute(db); // made by a release that said nothing
  expect(await wrapDeliveryKeys(db, true)).toEqual([]);
  expect(await published()).toEqual([old]);
  await putKey();
  expect(await published(without)).toHaveLength(2); // who has no keys cannot tell
});

test('a worker says so, with an alert, and goes on by ours', async () => {
  await putKey();
  const lines: { msg: string; keyId?: string; level: number }[] = [];
  const logger = pino(
    {},
    { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[0]) },
  );
  const signer = await openSigner(db, { rotateAfterDays: 90, reference: () => lines, logger });
  try {
    expect(signer.sign(Buffer.from('x')).keyId).toBe(ours);
  } finally {
    await signer.close();
  }
  expect(lines).toEqual([
    expect.objectContaining({
      level: 50,
      keyId: myId,
      msg: 'a delivery key was not made by us, and is ignored',
    }),
  ]);
  const { rows } =
    await sql`select severity, detail from audit_events where kind = 'delivery-key.not-ours'`.execute(db);
  expect(rows).toEqual([{ severity: 'alert', detail: { keyId: myId } }]);
});

test('a key in the clear that was put beside those that sign tokens, or in their place, counts nowhere, and is an alert (SEC-6)', async () => {
  await sql`delete from issuer_keys`.execute(db);
  const settings = { issuer: 'https://a.example', audience: 'https://a.example', clock: Date.now };
  const keysOf = async () => {
    const reference = {};
    const issuer = await openBuiltinIssuer(db, { ...settings, reference: () => reference });
    return (await issuer.jwks()).keys.map(({ kid }) => kid);
  };
  const [own] = await keysOf();
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const put = (keyId: string, retiredAt: Date | null, wrappedBy: string | null = null) =>
    sql`insert into issuer_keys (key_id, private_jwk, retired_at, wrapped_by)
      values (${keyId}, ${JSON.stringify(privateKey.export({ format: 'jwk' }))}::jsonb, ${retiredAt}, ${wrappedBy})`.execute(
      db,
    );
  await put('beside', new Date());
  await put('as if it were wrapped', new Date(), 'first');
  await put('as if by another', new Date(), 'other');
  await wrapIssuerKeys(db); // an api starts: it must not make it ours
  expect(await keysOf()).toEqual([own]);
  await sql`update issuer_keys set retired_at = now() where key_id = ${own}`.execute(db);
  await put('in place', null);
  await wrapIssuerKeys(db);
  const keys = await keysOf();
  expect(keys).toHaveLength(2);
  expect(keys[1]).toBe(own);
  expect(keys[0]).not.toBe('in place');
  await keysOf();
  const { rows } = await sql<{ keyId: string }>`
    select detail->>'keyId' as "keyId" from audit_events where kind = 'issuer-key.not-ours' order by 1`.execute(
    db,
  );
  expect(rows.map(({ keyId }) => keyId)).toEqual([
    'as if by another',
    'as if it were wrapped',
    'beside',
    'in place',
  ]);
});
