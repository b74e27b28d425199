// A message to a queue (NOT-1): the broker's answer counts like that of an HTTP server. A slow, silent, foreign or
// hostile broker costs no more than such a server (CBK-3, CBK-4, SEC-5, TIM-3).
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Delivery } from 'rhea';
import { afterAll, describe, expect, test } from 'vitest';
import { createOutbound } from '../../../activities/wire/outbound.ts';
import { queueLogins } from '../../../core/settings/receivers.ts';
import { freePort } from '../../../cli/parts/ports.ts';
import { broker } from './broker.ts';
import { entered, listening } from './receivers.ts';

const limits = { allowLoopback: true, logins: new Map(), headersTimeoutMs: 20_000, totalTimeoutMs: 40_000 };
const impatient = { ...limits, headersTimeoutMs: 300, totalTimeoutMs: 800 };
const http = createOutbound(limits);
const briefly = createOutbound(impatient);
afterAll(() => Promise.all([http.close(), briefly.close()]));

const message = Buffer.from('<Document>ü</Document>');
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const headers = {
  'content-type': 'application/xml; charset=utf-8',
  'webhook-id': 'ISTHMUS-1',
  traceparent, // OBS-3
};
const post = (url: string, through = http, body = message) => entered(through, url).post(url, body, headers);

/** The address of a server that speaks no AMQP, or only its beginning. */
async function peer(conduct: (socket: net.Socket) => void): Promise<string> {
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    conduct(socket);
  });
  return (await listening(server)).replace(/^http:(.*):(\d+)\/.*$/, 'amqp:$1:$2/trades');
}

describe('what a broker makes of a message', () => {
  test('accepted counts as taken: durable, in the same bytes, under the id that every repeat bears (CBK-1)', async () => {
    const { url, taken } = await broker();
    const large = Buffer.alloc(200_000, 'x'); // more than one frame
    expect(await post(`${url}trades`)).toMatchObject({ outcome: 'ANSWERED', status: 200 });
    expect(await post(`${url}trades`, http, large)).toMatchObject({ outcome: 'ANSWERED', status: 200 });
    const [first, second] = taken;
    expect(first).toMatchObject({
      durable: true,
      message_id: 'ISTHMUS-1',
      content_type: 'application/xml; charset=utf-8',
      application_properties: { 'webhook-id': 'ISTHMUS-1', traceparent },
    });
    const contentOf = (one: typeof first) => (one?.body as { content: Buffer }).content;
    expect([contentOf(first), contentOf(second)]).toEqual([message, large]);
  });

  const ways: readonly (readonly [string, (delivery: Delivery) => void, number, string])[] = [
    [
      'rejected',
      (one) => one.reject({ condition: 'app:full', description: 'unknown account' }),
      422,
      'unknown account',
    ],
    ['released', (one) => one.release(), 503, ''],
    ['modified', (one) => one.modified({ delivery_failed: true }), 503, ''],
  ];
  test.each(ways)('%s is on record as the HTTP status that means the same', async (_, take, status, said) => {
    const { url } = await broker({ take });
    const result = { outcome: 'ANSWERED', status, body: Buffer.from(said), truncated: false };
    expect(await post(`${url}trades`)).toMatchObject(result);
  });
});

describe('what does not reach a queue', () => {
  test('a broker that refuses connections', async () => {
    const url = `amqp://127.0.0.1:${await freePort()}/trades`;
    expect(await post(url)).toEqual({ outcome: 'NOT_SENT', errorClass: 'refused' });
  });

  test('a broker that knows no such queue', async () => {
    const { url, taken } = await broker({ queue: 'trades' });
    expect(await post(`${url}other`)).toEqual({ outcome: 'NOT_SENT', errorClass: 'no-such-queue' });
    expect(taken).toEqual([]);
  });

  test('a broker that wants a login: ours, and no other (AMQP_LOGINS)', async () => {
    const login = { username: 'isthmus', password: 'correct' };
    const { url, host } = await broker({ login });
    const as = (password: string) => {
      const logins = queueLogins.parse(JSON.stringify({ [host]: { ...login, password } }));
      return createOutbound({ ...limits, logins });
    };
    const refused = { outcome: 'NOT_SENT', errorClass: 'not-authorized' };
    expect(await post(`${url}trades`, as('correct'))).toMatchObject({ status: 200 });
    expect(await post(`${url}trades`, as('wrong'))).toEqual(refused);
    expect(await post(`${url}trades`)).toEqual(refused); // without one: anonymously
  });

  test('a broker that takes no messages now, or says nothing at all: within the time of any send', async () => {
    const { url } = await broker({ isMute: true });
    const silent = await peer(() => undefined);
    const late = { outcome: 'NOT_SENT', errorClass: 'timeout' };
    for (const to of [`${url}trades`, silent]) expect(await post(to, briefly)).toEqual(late);
  });

  test('no byte leaves after its limit (TIM-1)', async () => {
    const { url, taken } = await broker();
    const limit = { sendBefore: performance.now() - 1 };
    const admission = entered(http, `${url}trades`);
    expect(await admission.post(`${url}trades`, message, headers, limit)).toMatchObject({
      errorClass: 'too-late',
    });
    expect(taken).toEqual([]);
  });
});

describe('what may have reached a queue is MAYBE_SENT (TIM-3)', () => {
  test('where the broker takes it and says nothing', async () => {
    const { url } = await broker({ take: () => undefined });
    const waiting = createOutbound({ ...limits, headersTimeoutMs: 300 });
    expect(await post(`${url}trades`, waiting)).toEqual({ outcome: 'MAYBE_SENT', errorClass: 'timeout' });
  });

  test('where the connection ends before it says what it makes of it', async () => {
    const { url } = await broker({ take: ({ link }) => link.connection.close() });
    expect(await post(`${url}trades`)).toEqual({ outcome: 'MAYBE_SENT', errorClass: 'reset' });
  });
});

test('TLS: a broker is spoken to whose certificate is trusted, and is for its name (SEC-2)', async () => {
  const folder = fileURLToPath(new URL('../../system/certificates/', import.meta.url));
  const pem = (name: string) => readFileSync(`${folder}${name}.pem`, 'utf8');
  const { url, taken } = await broker({ tls: { cert: pem('server'), key: pem('server-key') } });
  const program = fileURLToPath(new URL('one-post.ts', import.meta.url));
  const told = async (env: Readonly<Record<string, string>>) => {
    const args = [program, `${url}trades`];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...env } });
    return stdout;
  };
  const trusting = { NODE_EXTRA_CA_CERTS: `${folder}ca.pem` };
  expect(await Promise.all([told(trusting), told({})])).toEqual(['ANSWERED 200', 'NOT_SENT tls']);
  expect(taken).toHaveLength(1);
});

test('a broker that talks without end is cut off: one that claims a frame of 4 GB is not waited for, nor heard (SEC-5)', async () => {
  let sent = 0;
  let isClosed = false;
  const url = await peer((socket) => {
    socket.once('close', () => (isClosed = true));
    socket.write(Buffer.from('AMQP\x03\x01\x00\x00\xff\xff\xff\xff', 'latin1'));
    const more = () => {
      while (!socket.destroyed && sent < 50_000_000) {
        sent += 10_000;
        if (!socket.write(Buffer.alloc(10_000))) return;
      }
    };
    socket.on('drain', more);
    more();
  });
  const startedAt = performance.now();
  expect(await post(url)).toEqual({ outcome: 'NOT_SENT', errorClass: 'answer-too-large' });
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  await expect.poll(() => isClosed).toBe(true);
  expect(sent).toBeLessThan(10_000_000);
});

test.each(['{"broker.example:5671": {"username": "a"}}', 'a:b'])(
  'logins that are not what they should be are refused: %s',
  (text) => {
    expect(queueLogins.safeParse(text).success).toBe(false);
  },
);
