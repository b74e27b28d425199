// A data key is missing or changed (SEC-3): nothing is stored under it, running processes soon open nothing with it
// (LIF-6), and a changed key is named.
import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { connect, type Db } from '../../../db/pool/connection.ts';
import { dropDataKeys, listDataKeys } from '../../../db/keys/data-keys.ts';
import { settleAttempt } from '../../../db/deliveries/deliveries.ts';
import { openExcerpt, sealExcerpt } from '../../../db/deliveries/excerpts.ts';
import { isDatabaseFailure } from '../../../db/pool/failures.ts';
import { messageBody, recordReceived, storedOutgoing } from '../../../db/records/messages.ts';
import { refuseMessage } from '../../../db/records/refused-messages.ts';
import { beginSealing, vaultPlugin } from '../../../db/keys/vault.ts';
import { testDatabase } from '../../harness/database.ts';
import { rewritten } from '../../harness/rewritten.ts';
import { eventually } from '../../harness/wait.ts';

const keys = [{ keyId: 'first', key: randomBytes(32).toString('base64') }];

afterEach(() => void vi.useRealTimers());

/** A database, and processes that seal. */
async function world() {
  const { url } = await testDatabase();
  const opened: Db[] = [];
  afterAll(() => Promise.all(opened.map((db) => db.destroy())));
  return async (): Promise<Db> => {
    const vault = vaultPlugin({ keys, seals: true }, () => undefined);
    const db = connect(url, { applicationName: 'isthmus-test', maxConnections: 3, vault });
    opened.push(db);
    await beginSealing(db);
    return db;
  };
}

const message = (text: string) =>
  ({
    subjectId: randomUUID(),
    type: 'pacs008',
    messageIdentification: 'M-1',
    leg: 'source',
    party: 'SGDFAST',
    body: Buffer.from(text),
  }) as const;

const loseKeys = (db: Db) => rewritten(db, sql`delete from data_keys`);
const inHalfAMinute = () => vi.advanceTimersByTime(30_001);

describe('stored under it', async () => {
  const start = await world();
  const deliveryId = randomUUID();
  let reader: Db;

  beforeAll(async () => {
    reader = await start();
    await rewritten(
      reader,
      sql`insert into deliveries (delivery_id, subject_id, begun_at, kind, message_id, party, attempts, possibly_sent)
        values (${deliveryId}, ${randomUUID()}, now(), 'confirmation', ${randomUUID()}, 'SGDFAST', 1, 1)`,
    );
    await rewritten(
      reader,
      sql`insert into delivery_attempts (delivery_id, begun_at, attempt) values (${deliveryId}, now(), 1)`,
    );
  });

  test.each([
    ['a message that came', async (db: Db) => recordReceived(db, message(randomUUID()))],
    [
      'a message that we built',
      async (db: Db) =>
        sql`with ${storedOutgoing(db, [{ ...message('built'), messageId: randomUUID() }], sql`true`)} select`.execute(
          db,
        ),
    ],
    [
      'a message that does not count',
      async (db: Db) => {
        const { subjectId, party, body } = message(randomUUID());
        await refuseMessage(db, 'report.invalid', { subjectId, party, inReplyTo: null, body, fault: {} });
      },
    ],
    [
      'an excerpt',
      async (db: Db) =>
        settleAttempt(db, {
          deliveryId,
          attempt: 1,
          asks: 1,
          url: null,
          outcome: 'ANSWERED',
          httpStatus: 500,
          durationMs: 1,
          errorClass: null,
          responseExcerpt: 'said',
          next: { kind: 'retry', inMs: 0 },
        }),
    ],
  ])('%s is not; the process looks at once, and it is stored at the next try', async (_what, store) => {
    const db = await start();
    const before = await keysStoredUnder();
    await loseKeys(reader);
    const failed = await store(db).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 'IS001' });
    expect(isDatabaseFailure(failed)).toBe(true); // 503, or tried again
    expect(await keysStoredUnder()).toEqual(before);
    await eventually(
      async () => {
        await store(db);
      },
      { limitMs: 15_000 }, // it looks again by itself after 30 s
    );
    const [now] = await listDataKeys(reader);
    expect(now).toBeDefined();
    expect(await keysStoredUnder()).toContain(now?.keyId);
  });

  async function keysStoredUnder(): Promise<readonly (string | null)[]> {
    const { rows } = await sql<{ keyId: string | null }>`
      select key_id as "keyId" from message_bodies union all
      select excerpt_key_id from delivery_attempts order by 1`.execute(reader);
    return rows.map(({ keyId }) => keyId);
  }
});

describe('deleted with all that it sealed (LIF-6)', async () => {
  const start = await world();

  test('a process that runs opens nothing with it half a minute later', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const db = await start();
    const excerpt = { deliveryId: randomUUID(), attempt: 1, responseExcerpt: 'Quetzal' };
    const { text, keyId } = sealExcerpt(db, excerpt);
    const stored = { ...excerpt, responseExcerpt: text };
    expect(await openExcerpt(db, stored, keyId)).toBe('Quetzal');
    await sql`update data_keys set month = month - interval '3 months'`.execute(db);
    expect(await dropDataKeys(db)).toHaveLength(1);
    inHalfAMinute();
    expect(await openExcerpt(db, stored, keyId)).toBeNull();
  });
});

describe('changed', async () => {
  const start = await world();

  test('no process starts, and each says which key, in which table, and what to do', async () => {
    const db = await start();
    const { messageId } = await recordReceived(db, message('a text'));
    await sql`update data_keys set wrapped = set_byte(wrapped, 20, (get_byte(wrapped, 20) + 1) % 256)`.execute(
      db,
    );
    const [stored] = await listDataKeys(db);
    const failed = await start().catch((error: unknown) => error);
    expect(failed).toMatchObject({ name: 'ConfigurationError' });
    for (const said of [
      stored?.keyId ?? 'none',
      'data_keys',
      'from a backup',
      'SEALING_KEYS',
      'docs/operations/keys-and-sealing.md',
    ])
      expect(String(failed)).toContain(said);
    expect((await messageBody(db, messageId))?.toString()).toBe('a text'); // one that runs has it
  });
});
