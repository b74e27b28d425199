// Malformed HTTP is refused with a clear problem (SEC-4) and never logged as our error (OBS-1).
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problems } from '../../../api/http/problems/problems.ts';
import { validateRoutes } from '../../../api/payments/dry-run.ts';
import { createLibxml2Engine } from '../../../xml/libxml2.ts';
import { testDatabase } from '../../harness/database.ts';
import { problemTexts } from '../../harness/problem-texts.ts';
import { answersOn, exchange, open, problemOf } from '../http/raw-http.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';

const database = await testDatabase();
interface LogLine {
  readonly level: number;
  readonly msg: string;
}
const lines: LogLine[] = [];
let api: RunningApi;
const held: (() => void)[] = [];
beforeAll(async () => {
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      lines.push(JSON.parse(chunk.toString()) as LogLine);
      done();
    },
  });
  api = await startApi(database.url, {
    logger: pino({ level: 'debug' }, stream),
    modules: [
      validateRoutes(createLibxml2Engine()),
      (router) =>
        router.addPublic(
          {
            method: 'post',
            path: '/held',
            operationId: 'held',
            summary: '',
            tag: '',
            hidden: true,
            answers: {},
          },
          async () => {
            await new Promise<void>((resolve) => held.push(resolve));
            return new Response('done');
          },
        ),
    ],
  });
});
afterAll(() => api.close());

const host = 'Host: isthmus.test\r\n';
const get = (headers: string, target = '/countries') => `GET ${target} HTTP/1.1\r\n${headers}\r\n`;
const post = (headers: string, body = '') => `POST /oauth/token HTTP/1.1\r\n${host}${headers}\r\n${body}`;

describe('a request that is no plain HTTP/1.1', () => {
  it.each<[string, string, number, RegExp | string]>([
    ['two Host headers', get(`${host}${host}`), 400, /Host.* more than once/],
    ['no Host header', get(''), 400, /Host header/],
    ['a Host with a path', get('Host: a/b\r\n'), 400, /Host header/],
    [
      'an expectation that is unknown',
      get(`${host}Expect: x\r\n`),
      417,
      problemTexts['expectation-failed'].told,
    ],
    ['CONNECT', `CONNECT isthmus.test:443 HTTP/1.1\r\n${host}\r\n`, 405, /not a proxy/],
    ['an upgrade to websocket', get(`${host}Connection: Upgrade\r\nUpgrade: websocket\r\n`), 400, /Upgrade/],
    ['TRACE', `TRACE /countries HTTP/1.1\r\n${host}Connection: close\r\n\r\n`, 405, /method/],
    ['the absolute target of another host', get(host, 'http://other.test/countries'), 400, /another host/],
    ['an absolute target with dot segments', get(host, 'http://isthmus.test/a/../b'), 400, /dot segments/],
    ['a target without a path', get(host, '*'), 400, /path/],
    ['a target with a fragment', get(host, '/countries#a'), 400, /fragment/],
    ['a target with dot segments', get(host, '/a/../countries'), 400, /dot segments/],
    ['a backslash in the path', get(host, '/a\\countries'), 400, /path/],
    ['a space in the target', get(host, '/a b'), 400, /Expected HTTP/],
    ['HTTP/1.0', `GET /countries HTTP/1.0\r\n${host}\r\n`, 400, /HTTP\/1\.1/],
    ['HTTP/2.0', `GET /countries HTTP/2.0\r\n${host}\r\n`, 400, /HTTP\/1\.1/],
    ['a method that is none', `NONSENSE /countries HTTP/1.1\r\n${host}\r\n`, 400, /method/],
    ['lines that end with LF', `GET /countries HTTP/1.1\n${host}\n`, 400, /CRLF/],
    ['a folded header', get(`${host}A: b\r\n c\r\n`), 400, /header/],
    ['a space before the first header', get(` ${host}`), 400, /space/],
    ['a header without a colon', get(`${host}abc\r\n`), 400, /header/],
    ['two Authorization headers', get(`${host}Authorization: Bearer a\r\nauthorization: Bearer b\r\n`), 400, /Authorization.* more than once/], // prettier-ignore
    ['two lengths', post('Content-Length: 1\r\nContent-Length: 1\r\n', 'a'), 400, /Length/],
    ['a negative length', post('Content-Length: -1\r\n', 'a'), 400, /Length/],
    ['length and chunks', post('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'), 400, /Length/], // prettier-ignore
    ['chunks twice', post('Transfer-Encoding: chunked, chunked\r\n', '0\r\n\r\n'), 400, /Transfer-Encoding/],
    ['a chunk size that is none', post('Transfer-Encoding: chunked\r\n', 'zz\r\n'), 400, /chunk/],
    ['headers beyond 16 KiB', get(`${host}A: ${'b'.repeat(17_000)}\r\n`), 431, /16 KiB/],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc', 400, /HTTP/],
  ])('%s is refused with a problem that says so', async (_, text, status, detail) => {
    const refusal = problemOf(await exchange(api.url, text));
    const told: unknown = typeof detail === 'string' ? detail : expect.stringMatching(detail);
    expect([refusal.status, refusal.detail]).toEqual([status, told]);
    expect(Object.keys(problems)).toContain(refusal.code);
  });

  it('what clients commonly send is taken: 100-continue, an offer to upgrade, repeated list headers', async () => {
    for (const headers of [
      'Expect: 100-continue\r\n',
      'Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n',
      'Connection: Upgrade, close\r\nUpgrade: TLS/1.2\r\n', // Apache HttpClient 5.4
      'Upgrade: TLS/1.3, TLS/1.2\r\nUpgrade: h2c\r\n',
      'Prefer: a\r\nPrefer: b\r\nAccept: x/y\r\nAccept: */*\r\nIf-None-Match: "a"\r\nIf-None-Match: "b"\r\n',
      'Host2: a\r\n',
    ]) {
      const answers = await exchange(api.url, get(`${host}Connection: close\r\n${headers}`, '/health/live'));
      expect([headers, answers.at(-1)?.status]).toEqual([headers, 200]);
    }
  });

  it('an absolute target of our own is taken as its path (RFC 9112, 3.2.2)', async () => {
    const { host: bound, port } = new URL(api.url);
    for (const [target, name, status] of [
      ['http://isthmus.test/health/live', 'isthmus.test', 200],
      ['HTTPS://Isthmus.test/health/live?a=b', 'isthmus.test', 200],
      [`http://${bound}/health/live`, bound, 200],
      [`http://localhost:${port}/health/live`, `localhost:${port}`, 200],
      ['http://isthmus.test', 'isthmus.test', 404],
      ['http://isthmus.test?a=b', 'isthmus.test', 404],
    ] as const) {
      const answers = await exchange(api.url, get(`Host: ${name}\r\nConnection: close\r\n`, target));
      expect([target, answers.map((one) => one.status)]).toEqual([target, [status]]);
    }
  });

  it('garbage after a request never becomes the answer to that request', async () => {
    const socket = await open(api.url);
    const answers = answersOn(socket);
    socket.write(`POST /held HTTP/1.1\r\n${host}Content-Length: 0\r\n\r\n`);
    await expect.poll(() => held.length).toBe(1);
    socket.write('garbage\r\n\r\n');
    expect((await api.get('/countries')).status).toBe(200); // by now it was read
    held.pop()?.();
    const [first, ...others] = await answers;
    expect([first?.status, first?.body]).toEqual([200, 'done']);
    expect(others.map(({ status }) => status)).toEqual([400]); // its own, behind it
  });
});

describe('each request has one answer, and nothing comes after the one that closes', () => {
  const live = (headers = '') => get(host + headers, '/health/live');
  const close = 'Connection: close\r\n';
  const chunks = 'Transfer-Encoding: chunked\r\n';
  it.each<[string, readonly string[], readonly number[]]>([
    ['a transfer coding that is none', [post('Transfer-Encoding: xchunked\r\n', 'abc')], [400]],
    ['a request after the one that closes', [live(close) + live()], [200]],
    ['garbage after the one that closes', [`${live(close)}garbage\r\n\r\n`], [200]],
    ['a request after a refused one', [get(host, '/a/../b') + live()], [400]],
    ['a broken chunk after the answer', [`POST /rates/ HTTP/1.1\r\n${host}${chunks}\r\n`, 'zz\r\n'], [401]],
    ['two requests, the second of which closes, and a third', [live() + live(close) + live()], [200, 200]],
    ['a request and garbage that comes later', [live(), 'garbage\r\n\r\n'], [200, 400]],
  ])('%s', async (_, parts, statuses) => {
    const socket = await open(api.url);
    const answers = answersOn(socket);
    let [read, written] = [0, ''];
    socket.on('data', ({ length }) => (read += length));
    for (const part of parts) {
      if (written !== '') await expect.poll(() => read).toBeGreaterThan(0); // its answer, before the next part
      written += part;
      socket.write(part, 'latin1');
    }
    expect((await answers).map(({ status }) => status)).toEqual(statuses);
  });

  it('what comes after a refusal that closes is not done either', async () => {
    const answers = await exchange(
      api.url,
      `${get(host, '/a/../b')}POST /held HTTP/1.1\r\n${host}Content-Length: 0\r\n\r\n`,
    );
    expect(answers.map(({ status }) => status)).toEqual([400]);
    expect((await api.get('/countries')).status).toBe(200);
    expect(held).toEqual([]);
  });
});

describe('a client that goes away while it sends', () => {
  const routes = {
    '/rates/': ['MERISGS0', 'application/json'],
    '/iso20022/validate': ['SGDFAST', 'application/xml'],
    '/oauth/token': [undefined, 'application/x-www-form-urlencoded'],
  } as const;
  const cases = Object.keys(routes).flatMap((path) =>
    (['Content-Length: 1000', 'Transfer-Encoding: chunked'] as const).flatMap((length) =>
      (['reset', 'end'] as const).map((way) => [path as keyof typeof routes, length, way] as const),
    ),
  );

  it.each(cases)('%s, %s, %s: is no error of ours, and leaves nothing behind', async (path, length, way) => {
    const [client, type] = routes[path];
    const token = client === undefined ? '' : `Authorization: Bearer ${await api.token(client)}\r\n`;
    const before = await stored();
    lines.length = 0;
    const socket = await open(api.url);
    const answers = answersOn(socket);
    const body = length.startsWith('Content') ? '{"rate":' : '8\r\n{"rate":\r\n';
    socket.write(`POST ${path} HTTP/1.1\r\n${host}${token}Content-Type: ${type}\r\n${length}\r\n\r\n${body}`);
    await api.get('/countries', client ?? null); // it waits in the same line: the request is being read by now, or waits for its turn
    if (way === 'reset') socket.resetAndDestroy();
    else socket.end();
    const told = await answers;
    if (way === 'end') expect(problemOf(told)).toMatchObject({ status: 400, code: 'invalid-request' });
    else expect(told).toEqual([]);
    await expect.poll(() => lines.filter(({ msg }) => msg === 'request').length).toBe(2); // and that of the other
    expect(lines.filter(({ level }) => level > 30)).toEqual([]);
    expect(await stored()).toEqual(before);
  });

  async function stored() {
    const count = async (table: 'messages' | 'rates' | 'idempotency_keys' | 'audit_events') => {
      const { n } = await api.db
        .selectFrom(table)
        .select(({ fn }) => fn.countAll<string>().as('n'))
        .executeTakeFirstOrThrow();
      return [table, n];
    };
    return Promise.all((['messages', 'rates', 'idempotency_keys', 'audit_events'] as const).map(count));
  }
});
