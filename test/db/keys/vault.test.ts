// Sealed data opens only in its own place and with its own key (SEC-3).
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, afterEach, describe, expect, it, test, vi } from 'vitest';
import { retain } from '../../../cli/retention-lines.ts';
import { connect, type Db } from '../../../db/pool/connection.ts';
import { dropDataKeys, listDataKeys } from '../../../db/keys/data-keys.ts';
import { rotateDeliveryKey, signingKeys, wrapDeliveryKeys } from '../../../db/keys/delivery-keys.ts';
import { openExcerpt, sealExcerpt } from '../../../db/deliveries/excerpts.ts';
import { offerIssuerKey, readIssuerKeys, wrapIssuerKeys } from '../../../db/keys/issuer.ts';
import { messageBody, recordReceived } from '../../../db/records/messages.ts';
import {
  beginSealing,
  open,
  openUnchanged,
  seal,
  vaultPlugin,
  type BodyColumns,
} from '../../../db/keys/vault.ts';
import { testDatabase } from '../../harness/database.ts';
import { rewritten } from '../../harness/rewritten.ts';

const key = (keyId: string) => ({ keyId, key: randomBytes(32).toString('base64') });
const [first, second] = [key('first'), key('second')];

afterEach(() => void vi.useRealTimers());

/** A database, and processes with these keys or those. */
async function world() {
  const { url } = await testDatabase();
  const opened: Db[] = [];
  afterAll(() => Promise.all(opened.map((db) => db.destroy())));
  const connected = (vault?: ReturnType<typeof vaultPlugin>) => {
    const db = connect(url, { applicationName: 'isthmus-test', maxConnections: 3, vault });
    opened.push(db);
    return db;
  };
  const processWith = async (keys: readonly ReturnType<typeof key>[], seals = true): Promise<Db> => {
    const db = connected(keys.length === 0 ? undefined : vaultPlugin({ keys, seals }, () => undefined));
    await beginSealing(db);
    return db;
  };
  /** What the retention job would say to somebody who asks. */
  const asked = async (): Promise<string> => {
    const said: string[] = [];
    const config = { databaseUrl: url, messagesMonths: 13, recordsYears: 10 };
    await retain(config, { dryRun: true, say: (line) => said.push(line) });
    return said.join('\n');
  };
  return { connected, processWith, asked };
}

const received = (text: string) =>
  ({
    subjectId: randomUUID(),
    type: 'pacs008',
    messageIdentification: 'M-1',
    leg: 'source',
    party: 'SGDFAST',
    body: Buffer.from(text),
  }) as const;

const about = ['a message', 'pacs008', 'SGDFAST'];
const plain = Buffer.from('Quetzalcoatl Tan, CANARY-DBTR-7781');

describe('with keys', async () => {
  const { processWith } = await world();
  const db = await processWith([first]);

  it('what is stored is not what is read, in a transaction too', async () => {
    const stored = await db.transaction().execute((trx) => recordReceived(trx, received(plain.toString())));
    const { rows } = await sql<{ body: Buffer; key_id: string }>`
      select body, key_id from message_bodies where message_id = ${stored.messageId}`.execute(db);
    const [row] = rows;
    expect(row?.body.includes('Quetz')).toBe(false);
    expect(row?.key_id).toBe((await listDataKeys(db))[0]?.keyId);
    expect((await messageBody(db, stored.messageId))?.equals(plain)).toBe(true);
  });

  it('the same bytes again are recognised, and nothing is sealed alike twice', async () => {
    const message = received('the same');
    const [one, other] = [await recordReceived(db, message), await recordReceived(db, message)];
    expect(other).toEqual({ messageId: one.messageId, isNew: false });
    expect(seal(db, about, plain).bytes.equals(seal(db, about, plain).bytes)).toBe(false);
  });

  it.each([
    ['another message', ['another', 'pacs008', 'SGDFAST']],
    ['two parts that read alike', ['a message', 'pacs008SGDFAST', '']],
  ])('it does not open for %s', async (_what, other) => {
    const sealed = seal(db, about, plain);
    await expect(open(db, other, sealed)).rejects.toThrow('were changed, or belong somewhere else');
  });

  it('it opens no more once a bit of it is another, wherever', async () => {
    const { bytes, keyId } = seal(db, about, plain);
    for (let at = 0; at < bytes.length; at += 1) {
      const altered = Buffer.from(bytes);
      altered[at] = (altered[at] ?? 0) ^ 1;
      await expect(open(db, about, { bytes: altered, keyId })).rejects.toThrow('were changed');
    }
    for (const length of [0, 1, 12, 27, bytes.length - 1]) {
      await expect(open(db, about, { bytes: bytes.subarray(0, length), keyId })).rejects.toThrow(
        'were changed',
      );
    }
  });

  it('what goes out is not sent where it was changed', async () => {
    const { bytes, keyId } = seal(db, about, plain);
    const sha256 = createHash('sha256').update(plain).digest();
    const row: BodyColumns = { body: bytes, body_key_id: keyId, body_about: about, body_sha256: sha256 };
    expect((await openUnchanged(db, row))?.equals(plain)).toBe(true);
    expect(await openUnchanged(db, { ...row, body: Buffer.concat([bytes, Buffer.from('x')]) })).toBeNull();
    const unsealed = { ...row, body_key_id: null };
    expect((await openUnchanged(db, { ...unsealed, body: plain }))?.equals(plain)).toBe(true); // of before the keys
    expect(await openUnchanged(db, { ...unsealed, body: Buffer.from(`${plain.toString()}x`) })).toBeNull();
  });

  it('excerpts of answers too; a changed one says so', async () => {
    const excerpt = { deliveryId: randomUUID(), attempt: 2, responseExcerpt: plain.toString() };
    const { text, keyId } = sealExcerpt(db, excerpt);
    expect(text).not.toContain('Quetz');
    expect(await openExcerpt(db, { ...excerpt, responseExcerpt: text }, keyId)).toBe(plain.toString());
    expect(await openExcerpt(db, { ...excerpt, attempt: 3, responseExcerpt: text }, keyId)).toBe(
      '(the stored copy fails its integrity check)',
    );
  });

  it('private keys of ours too', async () => {
    await rotateDeliveryKey(db, { by: 'isthmus', because: 'a test', withdraw: false });
    const { rows } = await sql<{ private_key: string; wrapped_by: string }>`
      select private_key, wrapped_by from delivery_key_secrets`.execute(db);
    const [signing] = await signingKeys(db);
    expect(rows[0]?.wrapped_by).toBe('first');
    expect(signing?.privateKey).toHaveLength(43); // 32 bytes
    expect(rows[0]?.private_key).not.toContain(signing?.privateKey);
    const privateJwk = { kty: 'EC', d: 'the-private-part' };
    await offerIssuerKey(db, { keyId: 'an issuer key', privateJwk });
    const stored = await sql<{ text: string }>`select private_jwk::text as text from issuer_keys`.execute(db);
    expect(stored.rows[0]?.text).not.toContain('the-private-part');
    expect(await readIssuerKeys(db)).toEqual([{ keyId: 'an issuer key', privateJwk, active: true }]);
  });
});

describe('without keys', async () => {
  const { processWith, asked } = await world();

  it('nothing is sealed; what is there before opens later; a process without the keys does not start from then on', async () => {
    const before = await processWith([]);
    const old = await recordReceived(before, received('before'));
    await rotateDeliveryKey(before, { by: 'isthmus', because: 'a test', withdraw: false });
    const [old1] = await signingKeys(before);
    expect(await asked()).not.toContain('not sealed');
    const db = await processWith([first]);
    expect(await asked()).toMatch(/not sealed, and stay so until they are dropped: \d{4}-\d\d: 1$/m);
    expect((await messageBody(db, old.messageId))?.toString()).toBe('before');
    await wrapDeliveryKeys(db, true);
    expect((await signingKeys(db))[0]?.privateKey).toBe(old1?.privateKey);
    const { rows } = await sql`select from delivery_key_secrets where wrapped_by is null`.execute(db);
    expect(rows).toHaveLength(0);
    await expect(processWith([])).rejects.toThrow('SEALING_KEYS lacks first');
    await expect(processWith([second])).rejects.toThrow('SEALING_KEYS lacks first');
    // one that runs already waits for its end, and takes it for no defect
    const sealed = await recordReceived(db, received('after'));
    await expect(messageBody(before, sealed.messageId)).rejects.toThrow('SEALING_KEYS lacks first');
  });
});

describe('one key after another', async () => {
  const { processWith } = await world();

  it('data keys and private keys are wrapped by the first; the other may go then', async () => {
    const db = await processWith([first]);
    const { messageId } = await recordReceived(db, received('sealed before'));
    await rotateDeliveryKey(db, { by: 'isthmus', because: 'a test', withdraw: false });
    await offerIssuerKey(db, { keyId: 'k', privateJwk: { d: 'x' } });
    // everywhere, first, as the last one: it opens, and wraps nothing
    await processWith([first, second]);
    expect((await listDataKeys(db)).map(({ wrappedBy }) => wrappedBy)).toEqual(['first']);
    const rotated = await processWith([second, first]);
    await wrapDeliveryKeys(rotated, true);
    await wrapIssuerKeys(rotated);
    expect((await listDataKeys(db)).map(({ wrappedBy }) => wrappedBy)).toEqual(['second']);
    expect((await messageBody(db, messageId))?.toString()).toBe('sealed before'); // it still runs
    const alone = await processWith([second]);
    expect((await messageBody(alone, messageId))?.toString()).toBe('sealed before');
    expect(await signingKeys(alone)).toHaveLength(1);
    expect((await readIssuerKeys(alone))[0]?.privateJwk).toEqual({ d: 'x' });
  });

  it('a key of the same name that is another opens nothing, and does not start', async () => {
    await expect(processWith([key('second')])).rejects.toThrow('second in SEALING_KEYS is another key than');
  });
});

describe('SEALING=0', async () => {
  const { processWith } = await world();

  it('opens, and seals nothing: while other processes do not have the keys yet', async () => {
    const db = await processWith([first], false);
    expect(await listDataKeys(db)).toEqual([]);
    const { messageId } = await recordReceived(db, received('plain'));
    const without = await processWith([]);
    expect((await messageBody(without, messageId))?.toString()).toBe('plain');
    const sealing = await processWith([first]);
    const sealed = await recordReceived(sealing, received('sealed'));
    expect((await messageBody(db, sealed.messageId))?.toString()).toBe('sealed');
  });
});

describe('a key for each month', async () => {
  const { processWith, connected } = await world();

  test('ten processes that start at once have one', async () => {
    const processes = await Promise.all(Array.from({ length: 10 }, () => processWith([first])));
    const keys = new Set(processes.map((db) => seal(db, about, plain).keyId));
    expect(keys.size).toBe(1);
    expect(await listDataKeys(processes[0] as Db)).toHaveLength(1);
  });

  test('what was made in an earlier month opens, and a new one seals', async () => {
    const db = await processWith([first]);
    const { messageId } = await recordReceived(db, received('of long ago'));
    await sql`update data_keys set month = month - interval '15 months'`.execute(db);
    const later = await processWith([first]);
    expect(await listDataKeys(later)).toHaveLength(2);
    expect((await messageBody(later, messageId))?.toString()).toBe('of long ago');
    expect(seal(later, about, plain).keyId).toBe((await listDataKeys(later))[0]?.keyId);
  });

  test('with the last bytes that it sealed a key is gone, and with it what else it sealed (LIF-6)', async () => {
    const db = await processWith([first]);
    const [, old] = await listDataKeys(db);
    const job = connected();
    const excerpt = { deliveryId: randomUUID(), attempt: 1, responseExcerpt: 'Quetzal' };
    expect(await dropDataKeys(job)).toEqual([]); // a body is sealed under it
    await rewritten(db, sql`delete from message_bodies where key_id = ${old?.keyId}`);
    const dropped = await dropDataKeys(job);
    expect(dropped).toEqual([old?.month.slice(0, 7)]);
    expect(await listDataKeys(db)).toHaveLength(1);
    expect(await openExcerpt(db, excerpt, old?.keyId ?? '')).toBeNull();
    const { rows } =
      await sql`select detail from audit_events where kind = 'retention.data-keys-dropped'`.execute(db);
    expect(rows).toEqual([{ detail: { months: dropped.join(', ') } }]);
  });
});
