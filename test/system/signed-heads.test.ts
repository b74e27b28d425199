// Signatures are checked before the body is read, so a caller with a stolen token and no key cannot use up the
// operator's share. The test signs by hand, without a library.
import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { once as event } from 'node:events';
import { connect, type Socket } from 'node:net';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { endingIn } from '../../fixtures/endings.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { bestQuote } from '../harness/payer.ts';
import { reportOn } from '../harness/reports.ts';
import { eventually } from '../harness/wait.ts';

const gateway = await testGateway({ settings: { MESSAGES_PER_MINUTE: '600' } });
const { db } = gateway;
const evidence = evidenceOf(gateway);
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const operatorOf = (system: string) =>
  sql`(select operator_id from clearing_systems where clearing_system_id = ${system})`;

async function enterKey(system: string, keyId: string, beginsIn = '-1 day'): Promise<void> {
  const jwk = JSON.stringify(publicKey.export({ format: 'jwk' }));
  await sql`
    insert into public_keys (key_id, operator_id, public_jwk, valid_from)
    values (${keyId}, ${operatorOf(system)}, ${jwk}::jsonb, now() + ${beginsIn}::interval)`.execute(db);
}

async function signs(system: string, keyId: string): Promise<void> {
  await enterKey(system, keyId);
  await sql`update operators set signs_messages = true where operator_id = ${operatorOf(system)}`.execute(db);
  const isRefused = async () => (await post({ path: '/iso20022/pacs002', body: '<x/>', system })).status;
  await eventually(async () => expect(await isRefused()).toBe(401));
}

interface Message {
  readonly path: string;
  readonly body: string;
  readonly system: string;
  readonly type?: string;
}

interface Signing {
  readonly keyId?: string;
  readonly components?: string;
  /** Signature parameters, after the list of components. */
  readonly parameters?: string;
  readonly digest?: string;
  readonly label?: string;
}

const wanted = '"@method" "@path" "@query" "content-digest"';
const nowSeconds = () => Math.floor(Date.now() / 1_000);
const once = () => `;nonce="${randomUUID()}"`;

/** Its Signature-Input and Signature. */
function signature({ path, body }: Message, signing: Signing = {}) {
  const { keyId = 'fast', components = wanted, label = 'sig' } = signing;
  const { parameters = `;created=${nowSeconds()};keyid="${keyId}"${once()}` } = signing;
  const { digest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:` } = signing;
  const [before = '', query = ''] = path.split('?');
  const values: Readonly<Record<string, string>> = {
    '"@method"': 'POST',
    '"@path"': before,
    '"@query"': `?${query}`,
    '"content-digest"': digest,
  };
  const lines = components.split(' ').map((name) => `${name}: ${values[name] ?? ''}`);
  const base = [...lines, `"@signature-params": (${components})${parameters}`].join('\n');
  return {
    digest,
    input: `${label}=(${components})${parameters}`,
    signature: `${label}=:${sign(null, Buffer.from(base), privateKey).toString('base64')}:`,
  };
}

async function post(message: Message, ...signatures: readonly ReturnType<typeof signature>[]) {
  const headers = {
    authorization: `Bearer ${await gateway.token(message.system)}`,
    'content-type': message.type ?? 'application/xml',
    ...(signatures.length > 0 && {
      'content-digest': signatures[0]?.digest,
      'signature-input': signatures.map(({ input }) => input).join(', '),
      signature: signatures.map((one) => one.signature).join(', '),
    }),
  };
  const { hostname, port } = new URL(gateway.url);
  return new Promise<{ status: number; said: string }>((resolve, reject) => {
    const sent = request({ hostname, port, method: 'POST', path: message.path, headers }, (answer) => {
      text(answer).then((said) => resolve({ status: answer.statusCode ?? 0, said }), reject);
    });
    sent.on('error', reject);
    sent.end(message.body);
  });
}

/** Sends the head and the first part of the body. */
async function begin(
  { path, system }: Message,
  made: ReturnType<typeof signature>,
  { length, sent }: { readonly length: number; readonly sent: string },
): Promise<Socket> {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${await gateway.token(system)}`,
    'Content-Type: application/xml',
    `Content-Length: ${length}`,
    `Content-Digest: ${made.digest}`,
    `Signature-Input: ${made.input}`,
    `Signature: ${made.signature}`,
  ];
  socket.write([...head, '', sent].join('\r\n'));
  return socket;
}

async function answerOf(socket: Socket): Promise<string> {
  const [answer] = (await event(socket, 'data')) as [Buffer];
  socket.destroy();
  return answer.toString();
}

async function payment(query = ''): Promise<Message> {
  const callback = encodeURIComponent(gateway.sandbox.callbackUrl('SGDFAST'));
  return {
    path: `/iso20022/pacs008?pacs002Endpoint=${callback}${query}`,
    body: buildPacs008(instruction(await bestQuote(gateway))),
    system: 'SGDFAST',
  };
}

beforeAll(() => signs('SGDFAST', 'fast'));

describe('of one who has the token and cannot sign', () => {
  it('a hundred bodies that arrive slowly take no room from what the operator signs', async () => {
    const token = await gateway.token('SGDFAST');
    const { hostname, port } = new URL(gateway.url);
    const head = `POST /iso20022/pacs008?pacs002Endpoint=x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/xml\r\nContent-Length: 1000\r\n\r\n<`;
    const sockets: Socket[] = [];
    afterAll(() => sockets.forEach((socket) => socket.destroy()));
    for (let nth = 0; nth < 120; nth += 1) {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined).resume();
      socket.write(head);
      sockets.push(socket);
      if (nth % 50 === 49) await delay(1_100); // the limit is 60 a second
    }
    const own = await payment();
    const { status, said } = await post(own, signature(own));
    expect(status, said).toBe(200);
  });

  it('what is refused is counted apart, and uses up nothing of what the operator may send', async () => {
    const own = await payment();
    const refused = Array.from({ length: 80 }, () => post({ ...own, body: '<x/>' }));
    const { status, said } = await post(own, signature(own));
    expect(status, said).toBe(200);
    const statuses = (await Promise.all(refused)).map((one) => one.status);
    expect(statuses.filter((one) => ![401, 429].includes(one))).toEqual([]);
    await delay(1_100); // the limit of this second is used up; the tests below need the next
  });
});

describe('of one who has seen a message go by', () => {
  it('its head takes no room again: its signature was used, which is seen before a body comes', async () => {
    const own = await payment();
    const made = signature(own);
    expect((await post(own, made)).status).toBe(200);
    const socket = await begin(own, made, { length: 5, sent: 'other' });
    expect(await answerOf(socket)).toContain('was used before'); // the signature is checked before the body
  });

  it('a key that is withdrawn while the body arrives counts no more (SEC-8)', async () => {
    await enterKey('SGDFAST', 'leaked');
    const own = await payment();
    const made = signature(own, { keyId: 'leaked' });
    const length = Buffer.byteLength(own.body);
    const socket = await begin(own, made, { length, sent: own.body.slice(0, 10) });
    await delay(500); // the head has been checked
    await sql`delete from public_keys where key_id = 'leaked'`.execute(db);
    socket.write(own.body.slice(10));
    expect(await answerOf(socket)).toContain('No key of this operator that counts now');
  });
});

describe('a signature is used up as soon as it is looked at, whatever becomes of its message (SEC-1)', () => {
  it.each([
    ['it is no XML', 415, { type: 'text/plain' }],
    ['it is too large', 413, { body: 'x'.repeat(257 * 1_024) }],
    ['it is no message', 400, { body: '<x/>' }],
  ])('whoever is refused because %s is told to sign anew, and nobody else can send it', async (...of) => {
    const [, status, changes] = of;
    const own = { ...(await payment()), ...changes };
    const made = signature(own);
    const first = await post(own, made);
    expect([first.status, first.said]).toEqual([status, expect.stringContaining('sign anew')]);
    const { path, system } = own;
    expect((await post({ path, system, body: 'other' }, made)).said).toContain('was used before');
  });
});

it('a payment system that has ended still signs what became of the payments that it was sent (ADM-1, SEC-1)', async () => {
  const message = instruction(await bestQuote(gateway, { destination: 'TH' }), { ending: endingIn.silent });
  const own = { ...(await payment()), body: buildPacs008(message) };
  expect((await post(own, signature(own))).status).toBe(200);
  await evidence.arrival(message.uetr, 'destination', 'pacs008');
  await signs('THBPPAY', 'thai');
  await sql`update clearing_systems set ended_at = now() where clearing_system_id = 'THBPPAY'`.execute(db);
  await delay(1_500); // until every process has the change
  const { rows } = await sql<{ messageIdentification: string }>`
    select message_identification as "messageIdentification" from messages
    where subject_id = ${message.uetr} and message_type = 'pacs008' and party = 'THBPPAY'`.execute(db);
  const body = reportOn({
    uetr: message.uetr,
    messageIdentification: rows[0]?.messageIdentification ?? '',
  });
  const report = { path: '/iso20022/pacs002', body, system: 'THBPPAY' };
  const { status, said } = await post(report, signature(report, { keyId: 'thai' }));
  expect(status, said).toBe(200);
  await evidence.arrival(message.uetr, 'source', 'pacs002');
});
