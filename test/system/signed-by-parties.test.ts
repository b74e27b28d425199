// Messages of an operator that requires signatures count only with a signature, and each signature counts once (RFC
// 9421). Our own signatures: signed-to-parties.test.ts.
import {
  createHash,
  constants,
  generateKeyPairSync,
  randomUUID,
  sign as signBy,
  type KeyObject,
  type SigningOptions,
} from 'node:crypto';
import { httpbis } from 'http-message-signatures';
import { sql } from 'kysely';
import { pino } from 'pino';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { buildPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { testGateway } from '../harness/gateway.ts';
import { bestQuote } from '../harness/payer.ts';
import { problemTexts } from '../harness/problem-texts.ts';
import { eventually } from '../harness/wait.ts';

const log: string[] = [];
const logger = pino({ level: 'warn' }, { write: (line: string) => void log.push(line) });
const gateway = await testGateway({ logger });
const { db } = gateway;

interface Key {
  readonly operator: string;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
  readonly alg: string;
  readonly hash: string | null;
  readonly options: SigningOptions;
}

const pss: SigningOptions = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 };
const ed25519 = (operator: string): Key => ({
  operator,
  ...generateKeyPairSync('ed25519'),
  alg: 'ed25519',
  hash: null,
  options: {},
});
const ec = (namedCurve: string, alg: string, hash: string): Key => ({
  operator: 'SGDFAST',
  ...generateKeyPairSync('ec', { namedCurve }),
  alg,
  hash,
  options: { dsaEncoding: 'ieee-p1363' },
});
const rsa = (modulusLength: number): Key => ({
  operator: 'SGDFAST',
  ...generateKeyPairSync('rsa', { modulusLength }),
  alg: 'rsa-pss-sha512',
  hash: 'sha512',
  options: pss,
});
const keys = {
  'fast-ed': ed25519('SGDFAST'),
  'fast-ec': ec('prime256v1', 'ecdsa-p256-sha256', 'sha256'),
  'fast-ec-384': ec('secp384r1', 'ecdsa-p384-sha384', 'sha384'),
  'fast-rsa': rsa(2_048),
  'fast-weak': rsa(1_536), // entered by SQL, because the admin routes refuse it
  'thb-ed': ed25519('THBPPAY'),
} satisfies Record<string, Key>;
type KeyName = keyof typeof keys;
const signedBy = ({ hash, privateKey, options }: Key, base: Buffer, changes: SigningOptions = {}) =>
  signBy(hash, base, { key: privateKey, ...options, ...changes });

beforeAll(async () => {
  for (const [keyId, { operator, publicKey }] of Object.entries(keys)) {
    const jwk = JSON.stringify(publicKey.export({ format: 'jwk' }));
    await sql`
      insert into public_keys (key_id, operator_id, public_jwk, valid_from)
      select ${keyId}, operator_id, ${jwk}::jsonb, now() - interval '1 day' from clearing_systems
      where clearing_system_id = ${operator}`.execute(db);
  }
  await sql`update operators set signs_messages = true where operator_id = (
    select operator_id from clearing_systems where clearing_system_id = 'SGDFAST')`.execute(db);
  await eventually(async () => expect((await post(unsigned(await payment()))).status).toBe(401));
});

interface Message {
  readonly path: string;
  readonly body: string;
  readonly client: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function payment(): Promise<Pick<Message, 'path' | 'body' | 'client'>> {
  const callback = encodeURIComponent(gateway.sandbox.callbackUrl('SGDFAST'));
  return {
    path: `/iso20022/pacs008?pacs002Endpoint=${callback}`,
    body: buildPacs008(instruction(await bestQuote(gateway))),
    client: 'SGDFAST',
  };
}

const unsigned = (message: Pick<Message, 'path' | 'body' | 'client'>): Message => ({
  ...message,
  headers: {},
});

interface Changes {
  readonly key?: KeyName;
  readonly fields?: readonly string[];
  readonly created?: Date | null;
  readonly expires?: Date;
  readonly nonce?: string | undefined;
  readonly params?: readonly string[];
  readonly alg?: string;
  readonly by?: (base: Buffer) => Buffer;
  readonly signedPath?: string;
  readonly digestOf?: string;
  readonly method?: string;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('base64');
const all = ['@method', '@path', '@query', 'content-digest'];

async function signed(
  message: Pick<Message, 'path' | 'body' | 'client'>,
  changes: Changes = {},
): Promise<Message> {
  const {
    key = 'fast-ed',
    fields = all,
    created = new Date(),
    params = ['created', 'keyid', 'nonce'],
  } = changes;
  const { by = (base: Buffer) => signedBy(keys[key], base) } = changes;
  const sign = (base: Buffer) => Promise.resolve(by(base));
  const nonce = 'nonce' in changes ? changes.nonce : randomUUID();
  const { headers } = await httpbis.signMessage(
    {
      key: { id: key, alg: changes.alg ?? keys[key].alg, sign },
      fields: [...fields],
      params: [...params],
      paramValues: {
        created,
        ...(nonce !== undefined && { nonce }),
        ...(changes.expires !== undefined && { expires: changes.expires }),
      },
    },
    {
      method: changes.method ?? 'POST',
      url: `${gateway.url}${changes.signedPath ?? message.path}`,
      headers: { 'content-digest': `sha-256=:${sha256(changes.digestOf ?? message.body)}:` },
    },
  );
  return { ...message, headers: headers };
}

async function post({
  path,
  body,
  client,
  headers,
}: Message): Promise<{ status: number; text: string; headers: Headers }> {
  const response = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await gateway.token(client)}`,
      'content-type': 'application/xml',
      ...headers,
    },
    body,
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

const isStored = async (body: string) => {
  const digest = createHash('sha256').update(body).digest();
  const { rows } = await sql`select from messages where sha256 = ${digest}`.execute(db);
  return rows.length > 0;
};

const seconds = (from: number) => new Date(Date.now() + from * 1_000);

describe('a message that is signed', () => {
  it.each(['fast-ed', 'fast-ec', 'fast-ec-384', 'fast-rsa'] as const)(
    'by its operator (%s): is taken',
    async (key) => {
      const { status, text } = await post(await signed(await payment(), { key }));
      expect(status, text).toBe(200);
      expect(text).toContain('<TxSts>ACTC</TxSts>');
    },
  );

  it('the same message again, signed anew, is an enquiry as ever (DUP-1)', async () => {
    const message = await payment();
    for (let nth = 1; nth <= 2; nth += 1) expect((await post(await signed(message))).status).toBe(200);
  });
});

/** The counter of refused signatures of SGDFAST. */
async function refusedSoFar(): Promise<number> {
  const scrape = await (await fetch(`${gateway.telemetryUrl('api')}/metrics`)).text();
  return Number(/^isthmus_signatures_refused_total\{party="SGDFAST"\} (\d+)$/m.exec(scrape)?.[1] ?? 0);
}

describe('a message that is refused, and of which nothing is stored', () => {
  type Make = (message: Awaited<ReturnType<typeof payment>>) => Message | Promise<Message>;
  it.each([
    ['it is not signed', unsigned],
    ['another body', async (one) => ({ ...(await signed(one)), body: one.body.replace('SGD', 'SGD ') })],
    [
      'another body, with its digest',
      async (one) => {
        const other = one.body.replace('</Document>', ' </Document>');
        const made = await signed(one);
        const name =
          Object.keys(made.headers).find((header) => header.toLowerCase() === 'content-digest') ?? '';
        return { ...made, body: other, headers: { ...made.headers, [name]: `sha-256=:${sha256(other)}:` } };
      },
    ],
    ['another query: it would be told elsewhere', (one) => signed(one, { signedPath: `${one.path}x` })],
    ['six minutes ago', (one) => signed(one, { created: seconds(-360) })],
    ['without a nonce', (one) => signed(one, { nonce: undefined, params: ['created', 'keyid'] })],
    ['over less: no body', (one) => signed(one, { fields: ['@method', '@path', '@query'] })],
    ['by a key of another operator', (one) => signed(one, { key: 'thb-ed' })],
    ['by a key that is too short', (one) => signed(one, { key: 'fast-weak' })],
    ['empty', (one) => signed(one, { by: () => Buffer.alloc(0) })],
    ['zeros (CVE-2022-21449)', (one) => signed(one, { key: 'fast-ec', by: () => Buffer.alloc(64) })],
  ] satisfies [string, Make][])('%s', async (_what, make) => {
    const message = await make(await payment());
    const { status, text, headers } = await post(message);
    expect(status, text).toBe(401);
    const detail = make === unsigned && { detail: problemTexts['signature-refused'].told };
    expect(JSON.parse(text)).toMatchObject({ code: 'signature-refused', ruleId: 'SEC-1', ...detail });
    expect(headers.get('accept-signature')).toContain('"content-digest"');
    expect(await isStored(message.body)).toBe(false);
  });

  it('the same signature again', async () => {
    const message = await signed(await payment());
    expect((await post(message)).status).toBe(200);
    const again = await post(message);
    expect(again.status).toBe(401);
    expect(again.text).toContain('was used before');
  });

  it('a nonce of before, signed anew', async () => {
    const nonce = randomUUID();
    expect((await post(await signed(await payment(), { nonce }))).status).toBe(200);
    expect((await post(await signed(await payment(), { nonce }))).status).toBe(401);
  });

  it.each([
    [
      'no key of it',
      { params: ['created', 'nonce', 'keyid'], key: 'thb-ed' },
      'No key of this operator that counts now',
    ],
    ['another time', { created: seconds(-400) }, 'seconds behind our clock, and at most 300 are allowed'],
    ['something else', { signedPath: '/iso20022/pacs008?x' }, 'does not fit what came'],
    ['something else by ECDSA', { key: 'fast-ec', signedPath: '/x' }, 'r and s side by side, not DER'],
  ] satisfies [string, Changes, string][])('says what is wrong: %s', async (_what, changes, says) => {
    const before = await refusedSoFar();
    const { text } = await post(await signed(await payment(), changes));
    expect((JSON.parse(text) as { detail: string }).detail).toContain(says);
    const said = log.at(-1) ?? ''; // the log tells operators, too
    expect(said).toContain('a message was refused for its signature');
    expect(said).toContain(says);
    await eventually(async () => expect(await refusedSoFar()).toBeGreaterThan(before)); // a new series shows 0 for its first 20 s
  });
  it('a key that has ended', async () => {
    await sql`update public_keys set valid_until = now() where key_id = 'fast-ec'`.execute(db);
    expect((await post(await signed(await payment(), { key: 'fast-ec' }))).status).toBe(401);
  });

  it.each(['/iso20022/acmt023?acmt024Endpoint=x', '/iso20022/pacs002'])('at %s as well', async (path) => {
    expect((await post(unsigned({ path, body: '<x/>', client: 'SGDFAST' }))).status).toBe(401);
  });
});

test('whose operator wants no signatures is taken without one; a dry run stores nothing and needs none', async () => {
  const { status } = await post(unsigned({ path: '/iso20022/pacs002', body: '<x/>', client: 'THBPPAY' }));
  expect(status).toBe(400); // refused for its body, not for its signature
  const { body } = await payment();
  expect((await post(unsigned({ path: '/iso20022/validate', body, client: 'SGDFAST' }))).status).toBe(200);
});
