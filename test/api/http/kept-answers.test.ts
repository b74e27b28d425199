// Repeated answers from memory, which do not pass through the app: they are the app's own answers, and the same
// checks, counts and log lines apply (SEC-1, SEC-7, OBS-1, REF-6).
import { pino } from 'pino';
import { afterEach, describe, expect, it, test } from 'vitest';
import type { AnsweredRequest } from '../../../api/http/access-log.ts';
import type { Caller } from '../../../api/http/caller.ts';
import { createQuotas } from '../../../api/http/limits/quotas.ts';
import { problem } from '../../../api/http/problems/problem.ts';
import { referenceAnswer, referenceRoute } from '../../../api/http/reference-answer.ts';
import { json } from '../../../api/http/response.ts';
import { createRouter, type Router } from '../../../api/http/route.ts';
import { startServer } from '../../../api/http/server.ts';
import { paymentListSchema } from '../../../api/payments/payment-schemas.ts';
import { unlimited } from '../../../core/settings/config.ts';

const answer = { description: 'x', schema: paymentListSchema };
const callers: Readonly<Record<string, Caller>> = {
  'Bearer psp': { role: 'psp', clientId: 'LOTUSGS0' },
  'Bearer fxp': { role: 'fxp', clientId: 'MERISGS0' },
};
const page = 'https://pages.test';
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

interface Options {
  readonly corsOrigins?: readonly string[];
  readonly requestsPerMinute?: number;
}

function routing({ corsOrigins = [], requestsPerMinute = 0 }: Options): Router {
  return createRouter(
    {
      authenticate: ({ req }) => callers[req.header('authorization') ?? ''] ?? problem('unauthenticated'),
      knownSender: () => undefined,
      knownCaller: (authorization) => callers[authorization],
    },
    {
      corsOrigins,
      quotas: createQuotas(() => 0),
      limits: { ...unlimited.senderLimits, requestsPerMinute },
    },
  );
}

/** Serves one route of reference data, and notes which answers did not pass through the app. */
async function serving(options: Options = {}) {
  const router = routing(options);
  let data = { name: 'Köln' };
  const common = referenceRoute(() => data);
  router.add(
    { ...common, path: '/things/{thing}', operationId: 'getThing', summary: 'x', roles: ['psp'], answer },
    ({ context }) => referenceAnswer(context, data, data),
  );
  const repeated: boolean[] = [];
  const lines: Readonly<Record<string, unknown>>[] = [];
  const counted: AnsweredRequest[] = [];
  const server = await startServer(
    {
      fetch: router.app.fetch,
      repeatKept: (request, response) => {
        const isRepeated = router.repeatKept(request, response);
        repeated.push(isRepeated);
        return isRepeated;
      },
    },
    {
      host: '127.0.0.1',
      port: 0,
      logger: pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[0]) }),
      onAnswered: (request) => void counted.push(request),
    },
  );
  closers.push(() => server.close());
  const get = async (headers: Readonly<Record<string, string>> = {}, init: RequestInit = {}) => {
    const got = await fetch(`http://127.0.0.1:${server.port}/things/one`, {
      ...init,
      headers: { authorization: 'Bearer psp', ...headers },
    });
    return { status: got.status, headers: Object.fromEntries(got.headers), text: await got.text() };
  };
  const change = (name: string) => (data = { name });
  return { get, change, repeated, lines, counted };
}

const withoutIds = ({
  headers,
  ...answer
}: Awaited<ReturnType<Awaited<ReturnType<typeof serving>>['get']>>) => ({
  ...answer,
  headers: { ...headers, 'x-request-id': '', date: '' },
});

it.each([[[]], [[page]]])(
  'a repeat is the answer that the app has given, byte for byte (pages of %j may read)',
  async (corsOrigins) => {
    const { get, repeated } = await serving({ corsOrigins });
    const answers = [await get(), await get(), await get()].map(withoutIds);
    expect(repeated).toEqual([false, false, true]);
    expect(answers[2]).toEqual(answers[0]);
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toMatchObject({ status: 200, text: '{"name":"Köln"}' });
    expect(answers[2]?.headers).toMatchObject({
      'content-length': '16',
      'x-content-type-options': 'nosniff',
    });
  },
);

test('a repeat has a request id, a log line and a count like any other answer (OBS-1, OBS-2)', async () => {
  const { get, repeated, lines, counted } = await serving();
  const id = '0b5c8d2e-4a61-4d3f-9b7a-1c2d3e4f5a6b';
  await get();
  await get();
  const { headers } = await get({ 'x-request-id': id });
  expect(repeated.at(-1)).toBe(true);
  expect(headers['x-request-id']).toBe(id);
  await expect.poll(() => lines.length).toBe(3);
  const common = { route: '/things/{thing}', method: 'GET', status: 200 };
  expect(lines[2]).toMatchObject({ ...common, requestId: id, client: 'LOTUSGS0', msg: 'request' });
  expect(counted[2]).toMatchObject(common);
});

test('a change of the data shows in the next answer (REF-6)', async () => {
  const { get, change, repeated } = await serving();
  for (let nth = 1; nth <= 3; nth += 1) await get();
  change('Bonn');
  expect((await get()).text).toBe('{"name":"Bonn"}');
  await get();
  expect((await get()).text).toBe('{"name":"Bonn"}');
  expect(repeated).toEqual([false, false, true, false, false, true]);
});

describe('the app answers what needs more than the bytes', () => {
  it.each<[string, Readonly<Record<string, string>>, RequestInit, number]>([
    ['HEAD', {}, { method: 'HEAD' }, 200],
    ['a method that is not there', {}, { method: 'POST' }, 404],
    ['a client that has the answer', { 'if-none-match': '*' }, {}, 304],
    ['a page', { origin: page }, {}, 200],
    ['a caller without a token', { authorization: '' }, {}, 401],
    ['a token that was not verified', { authorization: 'Bearer other' }, {}, 401],
    ['a caller without the role', { authorization: 'Bearer fxp' }, {}, 403],
  ])('%s', async (_, headers, init, status) => {
    const { get, repeated } = await serving({ corsOrigins: [page] });
    for (let nth = 1; nth <= 3; nth += 1) await get();
    const told = await get(headers, init);
    expect([told.status, repeated]).toEqual([status, [false, false, true, false]]);
    expect(told.headers['access-control-allow-origin']).toBe(headers['origin']);
    if (status !== 200 || init.method === 'HEAD') expect(told.text).not.toContain('Köln');
  });
});

test('each repeat counts once, and the limit refuses the next (SEC-7)', async () => {
  const { get, repeated } = await serving({ requestsPerMinute: 5 });
  for (let left = 4; left >= 0; left -= 1)
    expect((await get()).headers['ratelimit']).toBe(`"per-minute";r=${left};t=60`);
  const refused = await get();
  expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '60' } });
  expect(repeated).toEqual([false, false, true, true, true, false]);
});

test('a handler that never waits answers at once, and its requests count (SEC-7)', async () => {
  const router = routing({ requestsPerMinute: 5 });
  const common = { method: 'get', summary: 'x', tag: 'Service', roles: 'any' } as const;
  router.add({ ...common, path: '/sum', operationId: 'getSum', turns: 'none', answer }, () =>
    json({ name: 'sum' }),
  );
  const ask = () =>
    router.app.fetch(new Request('http://api.test/sum', { headers: { authorization: 'Bearer psp' } }));
  for (let nth = 1; nth <= 5; nth += 1) {
    const told = ask();
    expect(told).not.toBeInstanceOf(Promise);
    expect((await told).status).toBe(200);
  }
  expect((await ask()).status).toBe(429);
});
