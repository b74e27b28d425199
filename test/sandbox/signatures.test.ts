// The parties take what the gateway has signed, and nothing else (CBK-2): a stranger who knows their addresses tells them
// nothing.
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { expect, test } from 'vitest';
import { checkSignaturesBy } from '../../sandbox/signatures.ts';
import { signedPrefix, webhookHeaders } from '../../core/deliveries/webhook-signature.ts';
import { listening } from '../harness/listening.ts';
import { eventually } from '../harness/wait.ts';

interface Pair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}
const pair = (): Pair => generateKeyPairSync('ed25519');
const [first, second, stranger] = [pair(), pair(), pair()];

let published: readonly Pair[] = [first];
let isAway = false;
let asked = 0;
const keysUrl = await listening((_, response) => {
  asked += 1;
  response.writeHead(isAway ? 503 : 200, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({ keys: published.map(({ publicKey }) => publicKey.export({ format: 'jwk' })) }),
  );
});

const body = Buffer.from('<Document>\u00e9</Document>');
const nowText = () => String(Math.floor(Date.now() / 1_000));
function signed(by: readonly Pair[], { id = 'MSG-1', timestamp = nowText(), of = body } = {}) {
  const content = Buffer.concat([Buffer.from(signedPrefix(id, timestamp)), of]);
  const signatures = by.map(({ privateKey }) => sign(null, content, privateKey).toString('base64'));
  return webhookHeaders(id, timestamp, signatures);
}

test('what a published key has signed is taken, by any of several', async () => {
  const { fault } = checkSignaturesBy(keysUrl);
  expect(await fault(signed([first]), body)).toBeUndefined();
  expect(await fault(signed([stranger, first]), body)).toBeUndefined();
});

const refused = { httpStatus: 401 };
test.each<[what: string, headers: () => Record<string, string>, of?: Buffer]>([
  ['by somebody else', () => signed([stranger])],
  ['of other bytes', () => signed([first]), Buffer.from('<Document>e</Document>')],
  ['of more bytes', () => signed([first]), Buffer.concat([body, Buffer.from(' ')])],
  ['under another id', () => ({ ...signed([first]), 'webhook-id': 'MSG-2' })],
  ['at another time', () => ({ ...signed([first]), 'webhook-timestamp': String(Number(nowText()) - 60) })],
  ['a quarter of an hour ago', () => signed([first], { timestamp: String(Number(nowText()) - 900) })],
  ['by nobody', () => ({ 'webhook-id': 'MSG-1', 'webhook-timestamp': nowText() })],
  ['by no base64', () => ({ ...signed([first]), 'webhook-signature': 'v1a,\u00e9\u0000' })],
  ['by nothing', () => ({ ...signed([first]), 'webhook-signature': 'v1a,' })],
  [
    'with what belongs to the id in the time',
    () => ({ ...signed([first], { id: 'MSG-1.1', timestamp: nowText() }), 'webhook-id': 'MSG-1' }),
  ],
])('what is signed %s is refused', async (_, headers, of = body) => {
  expect(await checkSignaturesBy(keysUrl).fault(headers(), of)).toMatchObject(refused);
});

test('a key that follows is found, without asking for each message that nobody has signed', async () => {
  const { fault } = checkSignaturesBy(keysUrl);
  expect(await fault(signed([first]), body)).toBeUndefined();
  published = [second, first];
  asked = 0;
  for (let one = 0; one < 20; one += 1) expect(await fault(signed([stranger]), body)).toMatchObject(refused);
  expect(asked).toBeLessThanOrEqual(1);
  await eventually(async () => expect(await fault(signed([second]), body)).toBeUndefined());
});

test('while the gateway is away, what is known counts; where nothing is known, nothing is refused for good', async () => {
  published = [first];
  const { fault } = checkSignaturesBy(keysUrl);
  expect(await fault(signed([first]), body)).toBeUndefined();
  isAway = true;
  expect(await fault(signed([first]), body)).toBeUndefined();
  expect(await checkSignaturesBy(keysUrl).fault(signed([first]), body)).toMatchObject({
    httpStatus: 503,
    detail: expect.stringMatching(/could not be read: HTTP 503/) as string,
  });
  isAway = false;
});
