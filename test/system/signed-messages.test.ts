// Everything that we send is signed, by keys that we publish and operators replace (CBK-2): what each party of a payment and
// of a resolution gets verifies by the key set, as it is read over HTTP.
import { createPublicKey, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { keySetPath, readSignedHeaders, signedPrefix } from '../../core/deliveries/webhook-signature.ts';
import { rotateDeliveryKey } from '../../db/keys/delivery-keys.ts';
import { endingIn } from '../../fixtures/endings.ts';
import { instruction } from '../../fixtures/instruction.ts';
import type { JournalEntry } from '../../sandbox/journal-file.ts';
import { ask, proxyRequest, resolutionEvidence } from '../harness/asker.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { jsonRoutes } from '../harness/json-routes.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { eventually } from '../harness/wait.ts';

const gateway = await testGateway();
const { db, sandbox } = gateway;
const evidence = evidenceOf(gateway);
const operate =
  await jsonRoutes<readonly { keyId: string; state: string; signsUntil: string | null }[]>(gateway);

interface KeySet {
  readonly keys: readonly { readonly kid: string; readonly x: string }[];
}

async function keySet(): Promise<KeySet['keys']> {
  const response = await fetch(`${gateway.url}${keySetPath}`);
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'public, max-age=300']);
  return ((await response.json()) as KeySet).keys;
}

/** Ids of the keys that have signed it. */
async function signersOf({
  headers = {},
  bytes = new Uint8Array(),
}: JournalEntry): Promise<readonly string[]> {
  const signed = readSignedHeaders(headers, Date.now() / 1_000);
  if (typeof signed === 'string') throw new Error(signed);
  const content = Buffer.concat([Buffer.from(signedPrefix(signed.id, signed.timestamp)), bytes]);
  const keys = await keySet();
  return signed.signatures.map((signature) => {
    const key = keys.find(({ x }) =>
      verify(
        null,
        content,
        createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }),
        Buffer.from(signature, 'base64'),
      ),
    );
    return key?.kid ?? 'nobody';
  });
}

const received = (entry: JournalEntry) => entry.direction === 'received' && entry.headers !== undefined;

async function payed(): Promise<readonly JournalEntry[]> {
  const message = instruction(await bestQuote(gateway), { ending: endingIn.creditedAtOnce });
  await submit(gateway, message);
  await evidence.arrival(message.uetr, 'fxp', 'fxtr017');
  await evidence.arrival(message.uetr, 'source', 'pacs002');
  await evidence.closed(message.uetr);
  return evidence.entries(message.uetr).filter(received);
}

test('all messages of a payment and of a resolution: by the one key, each under its MsgId', async () => {
  const [key] = await keySet();
  const messages = await payed();
  expect(messages.map(({ kind, party }) => `${kind} to ${party.split('/')[0] ?? ''}`).sort()).toEqual([
    'fxtr017 to fxp',
    'pacs002 to destination',
    'pacs002 to source',
    'pacs008 to destination',
  ]);
  const asked = await ask(gateway, proxyRequest('+66810000001'));
  await resolutionEvidence(gateway).callback(asked);
  const enquiries = sandbox.journal
    .entries()
    .filter((entry) => received(entry) && entry.kind.startsWith('acmt'));
  expect(enquiries.map(({ kind }) => kind).sort()).toEqual(['acmt023', 'acmt023', 'acmt024']);
  for (const one of [...messages, ...enquiries]) {
    expect(await signersOf(one)).toEqual([key?.kid]);
    expect(Buffer.from(one.bytes ?? []).toString()).toContain(
      `<MsgId>${one.headers?.['webhook-id'] ?? ''}</MsgId>`,
    );
  }
});

test('what is sent again has the same id and bytes, and the time and the signature of its attempt', async () => {
  sandbox.source.refuse({ status: 503, times: 2, pathPrefix: '/callbacks/SGDFAST' });
  const message = instruction(await bestQuote(gateway), { ending: endingIn.creditedAtOnce });
  await submit(gateway, message);
  await evidence.arrival(message.uetr, 'source', 'pacs002');
  const [taken] = evidence.received(message.uetr, 'source', 'pacs002');
  const attempts = sandbox.journal
    .entries()
    .filter(({ headers }) => headers?.['webhook-id'] === taken?.headers?.['webhook-id']);
  expect(attempts).toHaveLength(3);
  expect(new Set(attempts.map(({ sha256 }) => sha256)).size).toBe(1);
  const times = attempts.map(({ headers }) => Number(headers?.['webhook-timestamp']));
  expect(times[2]).toBeGreaterThan(times[0] ?? Infinity);
  for (const one of attempts) expect(await signersOf(one)).toEqual([(await keySet())[0]?.kid]);
});

test('a stranger who posts to a party is refused; so is who alters what we sent, or keeps it for later', async () => {
  const [one] = (await payed()).filter(({ kind, party }) => kind === 'pacs002' && party.startsWith('source'));
  const { headers = {}, bytes = new Uint8Array() } = one ?? {};
  const post = async (changed: Readonly<Record<string, string>>, body = bytes) =>
    (
      await fetch(sandbox.callbackUrl('SGDFAST'), {
        method: 'POST',
        headers: { 'content-type': 'application/xml', ...changed },
        body: Buffer.from(body),
      })
    ).status;
  expect(await post(headers)).toBe(200); // the repeat of what we sent is ours
  expect(await post({})).toBe(401);
  expect(await post({ ...headers, 'webhook-id': 'another' })).toBe(401);
  const later = String(Number(headers['webhook-timestamp']) + 1);
  expect(await post({ ...headers, 'webhook-timestamp': later })).toBe(401);
  expect(await post(headers, Buffer.from(Buffer.from(bytes).toString().replace('ACCC', 'RJCT')))).toBe(401);
});

test('an operator gives another key: for a week both sign, so that who knows one of them is not surprised', async () => {
  const [before] = await keySet();
  const { status, body } = await operate('POST', '/admin/delivery-keys', { because: 'a quarter has passed' });
  expect([status, body.map(({ state }) => state)]).toEqual([200, ['signs', 'followed']]);
  const days = (Date.parse(body[1]?.signsUntil ?? '') - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(6.9);
  expect((await keySet()).map(({ kid }) => kid)).toEqual(body.map(({ keyId }) => keyId));
  await eventually(async () => {
    const [first] = await payed();
    expect(await signersOf(first as JournalEntry)).toEqual([body[0]?.keyId, before?.kid]);
  });
});

test('a key that somebody else may have ends at once, and with it that which it follows', async () => {
  const { body } = await operate('POST', '/admin/delivery-keys', {
    because: 'a laptop was lost',
    withdraw: true,
  });
  expect(body.map(({ state }) => state)).toEqual(['signs', 'withdrawn', 'withdrawn']);
  const [only, ...others] = await keySet();
  expect([only?.kid, others]).toEqual([body[0]?.keyId, []]);
  await eventually(async () => {
    const [first] = await payed();
    expect(await signersOf(first as JournalEntry)).toEqual([only?.kid]);
  });
  const trail = await db
    .selectFrom('audit_events')
    .select('detail')
    .where('kind', '=', 'delivery-key.made')
    .orderBy('audit_event_id')
    .execute();
  expect(trail.map(({ detail }) => detail)).toMatchObject([
    { by: 'isthmus', withdraw: false },
    { by: 'operator', withdraw: false },
    { by: 'operator', withdraw: true, keyId: only?.kid },
  ]);
});

test('a key is followed by another when it is old enough, by one process of several', async () => {
  const rotation = { by: 'isthmus', because: 'on schedule', withdraw: false };
  const within = (ifOlderThanDays: number) =>
    Promise.all(Array.from({ length: 5 }, () => rotateDeliveryKey(db, { ...rotation, ifOlderThanDays })));
  expect(new Set(await within(90))).toEqual(new Set([undefined]));
  await db
    .updateTable('delivery_keys')
    .set({ signs_from: new Date(Date.now() - 91 * 86_400_000) })
    .execute();
  expect((await within(90)).filter((keyId) => keyId !== undefined)).toHaveLength(1);
});

test('only operators see and change them; the private part is nowhere', async () => {
  for (const client of ['SGDFAST', 'LOTUSGS0', null]) {
    const status = client === null ? 401 : 403;
    expect((await operate('GET', '/admin/delivery-keys', undefined, client)).status).toBe(status);
    expect((await operate('POST', '/admin/delivery-keys', { because: 'why not' }, client)).status).toBe(
      status,
    );
  }
  const secrets = await db.selectFrom('delivery_key_secrets').select('private_key').execute();
  const shown = [
    (await operate('GET', '/admin/delivery-keys')).bytes.toString(),
    await (await fetch(`${gateway.url}${keySetPath}`)).text(),
  ].join();
  expect(secrets.length).toBeGreaterThan(0);
  for (const { private_key: secret } of secrets) expect(shown).not.toContain(secret);
});
