// A key of what is sent that a process cannot read, because somebody has put it there or because its SEALING_KEYS lack one,
// is judged by itself (SEC-6): it does not keep a withdrawn one signing, nor a worker from its start (CBK-2).
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
const [old, another] = [key('old'), key('new')];
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
  await expect.poll(signsBy(running.signer), { timeout: 10_000 }).toBe(made);
  expect(await wrapDeliveryKeys(worker, true)).toEqual([]); // it is withdrawn, too
});

test('a worker that lacks the sealing key of what follows a withdrawn one signs by neither, and makes another', async () => {
  const open = world();
  const { signer, lines, changed } = await signerOf(open({ keys: [old] }));
  const first = signsBy(signer)();
  const api = open({ keys: [another, old] });
  const second = await rotateDeliveryKey(api, { ...rotation, withdraw: true });
  changed();
  await expect.poll(signsBy(signer), { timeout: 10_000 }).not.toBe(first);
  const third = signsBy(signer)();
  expect(third).not.toBe(second);
  expect(idsOf(await publishedKeys(api))).toEqual([third, second]); // whoever has both keys takes both
  await expect
    .poll(() => alerts(api), { timeout: 10_000 })
    .toEqual([{ kind: 'delivery-key.unreadable', detail: { keyId: second } }]);
  expect(lines).toContainEqual(expect.objectContaining({ keyId: second, msg: unreadableKey }));
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
    .poll(
      () => {
        try {
          return signer.headersOf(message);
        } catch (error) {
          return (error as Error).message;
        }
      },
      { timeout: 10_000 },
    )
    .toBe('there is no key for what is sent, and none could be made');
  expect(() => signer.sign(message.body)).toThrow('there is no key'); // nothing is signed by nobody
});

test('a worker without sealing keys, once others have wrapped its key, signs on by it, and makes none that would count for nobody else', async () => {
  const open = world();
  const { signer, lines, changed } = await signerOf(open({ keys: [] }));
  const only = signsBy(signer)();
  const db = open({ keys: [old] });
  expect(await wrapDeliveryKeys(db, true)).toEqual([]);
  changed();
  await expect
    .poll(() => lines.map(({ msg }) => msg), { timeout: 10_000 })
    .toContain('keys of deliveries could not be read; trying again');
  expect([signsBy(signer)(), idsOf(await signingKeys(db))]).toEqual([only, [only]]);
  await expect(signerOf(open({ keys: [] }))).rejects.toThrow('there is no key for what is sent');
});

test('of two that have another sealing key under one name, each says at its start what is ours, with an alert, and then no more', async () => {
  const open = world();
  const [here, there] = [old, key('old')].map((one) => open({ keys: [one], seals: false }));
  if (here === undefined || there === undefined) throw new Error('there are two');
  const made = await rotateDeliveryKey(here, rotation);
  const vouched = async () =>
    (await sql<{ vouched: string }>`select vouched from delivery_keys`.execute(here)).rows[0]?.vouched;
  const strange = [{ kind: 'delivery-key.unreadable', keyId: made }];
  const before = await vouched();
  expect(await wrapDeliveryKeys(there, false)).toEqual(strange);
  expect(await vouched()).toBe(before);
  const { lines } = await signerOf(there);
  const after = await vouched();
  expect(after).not.toBe(before);
  expect(lines).toEqual([expect.objectContaining({ keyId: made, msg: unreadableKey })]);
  expect(await alerts(here)).toEqual([{ kind: 'delivery-key.unreadable', detail: { keyId: made } }]);
  expect([await wrapDeliveryKeys(here, false), await wrapDeliveryKeys(there, false)]).toEqual([strange, []]);
  expect(await vouched()).toBe(after);
});

test('two that cannot read what the other makes, and end it by theirs, do not do so by turns', async () => {
  const open = world();
  const [here, there] = [open({ keys: [old] }), open({ keys: [another] })];
  const due = { ...rotation, ifOlderThanDays: 90 };
  const made = [await rotateDeliveryKey(here, due), await rotateDeliveryKey(there, due)];
  expect(made).toEqual([expect.any(String), expect.any(String)]);
  expect([await rotateDeliveryKey(here, due), await rotateDeliveryKey(there, due)]).toEqual([
    undefined,
    undefined,
  ]);
  await sql`update delivery_keys set signs_until = signs_until - interval '6 days 1 hour'`.execute(here);
  expect([await rotateDeliveryKey(there, due), await rotateDeliveryKey(here, due)]).toEqual([
    undefined,
    expect.any(String),
  ]);
});
