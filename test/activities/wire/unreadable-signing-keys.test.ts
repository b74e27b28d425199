// A process cannot read one signing key: somebody inserted it, or a sealing key is missing (SEC-6). The other keys
// still sign, and a withdrawn key still stops (CBK-2).
import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { openSigner, type Signer } from '../../../activities/wire/signer.ts';
import { connect, type Db } from '../../../db/pool/connection.ts';
import {
  publishedKeys,
  rotateDeliveryKey,
  signingKeys,
  unreadableKey,
  wrapDeliveryKeys,
} from '../../../db/keys/delivery-keys.ts';
import type { DatabaseRole } from '../../../db/migrations/rights.ts';
import { vaultPlugin } from '../../../db/keys/vault.ts';
import { testDatabase, type TestDatabase } from '../../harness/database.ts';

const key = (keyId: string) => ({ keyId, key: randomBytes(32).toString('base64') });
const old = key('old');
const databases = await Promise.all(Array.from({ length: 6 }, () => testDatabase()));

interface Process {
  readonly keys: readonly ReturnType<typeof key>[];
  readonly seals?: boolean;
  readonly role?: DatabaseRole;
}

/** A database of its own, with processes that have these sealing keys or those. */
function world() {
  const database = databases.pop() as TestDatabase;
  const opened: Db[] = [];
  onTestFinished(async () => {
    for (const db of opened) await db.destroy();
  });
  return ({ keys, seals = true, role }: Process): Db => {
    const vault = keys.length === 0 ? undefined : vaultPlugin({ keys, seals }, () => undefined);
    const url = role === undefined ? database.url : database.as(role);
    const db = connect(url, { applicationName: 'isthmus-test', maxConnections: 3, vault });
    opened.push(db);
    return db;
  };
}

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly keyId?: string;
}

async function signerOf(db: Db) {
  const lines: Line[] = [];
  let generation = {};
  const signer = await openSigner(db, {
    rotateAfterDays: 90,
    reference: () => generation,
    logger: pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as Line) }),
  });
  onTestFinished(() => signer.close());
  /** As the notification does it (REF-6). */
  const changed = () => void (generation = {});
  return { signer, lines, changed };
}

const signsBy = (signer: Signer) => () => signer.sign(Buffer.from('x')).keyId;
const rotation = { by: 'alice', because: 'a test', withdraw: false };
const idsOf = (keys: readonly { readonly keyId: string }[]) => keys.map(({ keyId }) => keyId);
const putStrange = (db: Db) =>
  sql`insert into delivery_keys (key_id, public_key, made_by, because, vouched, vouched_by)
    values ('strange', 'x', 'isthmus', 'on schedule', 'x', 'nobody')`.execute(db);
async function alerts(db: Db) {
  const { rows } = await sql`select kind, detail from audit_events where severity = 'alert'`.execute(db);
  return rows;
}

test('one that names a sealing key that nobody has stops neither the others, nor a worker at its start, nor a withdrawal', async () => {
  const open = world();
  const worker = open({ keys: [old], role: 'isthmus_worker' });
  const api = open({ keys: [old], role: 'isthmus_api' });
  const running = await signerOf(worker);
  const first = signsBy(running.signer)();
  await putStrange(api);
  const started = await signerOf(worker);
  expect(signsBy(started.signer)()).toBe(first);
  expect([idsOf(await publishedKeys(api)), idsOf(await signingKeys(worker))]).toEqual([[first], [first]]);
  expect(started.lines).toEqual([
    expect.objectContaining({ level: 50, keyId: 'strange', msg: unreadableKey }),
  ]);
  expect(await alerts(api)).toEqual([{ kind: 'delivery-key.unreadable', detail: { keyId: 'strange' } }]);
  const made = await rotateDeliveryKey(api, { ...rotation, withdraw: true });
  running.changed();
  await expect.poll(signsBy(running.signer)).toBe(made);
  expect(await wrapDeliveryKeys(worker, true)).toEqual([]); // it is withdrawn, too
});

test('what was withdrawn signs no more, also while keys cannot be read', async () => {
  const db = world()({ keys: [] });
  const { signer, changed } = await signerOf(db);
  await sql`alter table delivery_key_secrets rename to hidden`.execute(db);
  await sql`update delivery_keys set signs_until = statement_timestamp(), withdrawn_at = statement_timestamp()`.execute(
    db,
  );
  changed();
  const message = { id: 'M', body: Buffer.from('<a/>') };
  await expect
    .poll(() => {
      try {
        return signer.headersOf(message);
      } catch (error) {
        return (error as Error).message;
      }
    })
    .toBe('there is no key for what is sent, and none could be made');
  expect(() => signer.sign(message.body)).toThrow('there is no key'); // nothing is signed by nobody
});
