// Input that nobody could store or look up as it was sent is a 400 that says so, and no error of ours (SEC-4, REF-3,
// OBS-1): a character that Postgres has not, arrays in one another by the thousand, cursors that we never gave.
import { createHash } from 'node:crypto';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { testGateway } from '../../harness/gateway.ts';

interface Line {
  readonly level: number;
  readonly route?: string;
}
const lines: Line[] = [];
const gateway = await testGateway({
  worker: false,
  logger: pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as Line) }),
});
afterEach(() =>
  expect(lines.filter(({ level, route }) => level >= 50 && route !== '/oauth/token')).toEqual([]),
);

interface Answer {
  readonly code?: string;
  readonly errors?: readonly {
    readonly pointer?: string;
    readonly parameter?: string;
    readonly detail: string;
  }[];
}

async function ask(path: string, body?: string, client = 'operator'): Promise<readonly [number, Answer]> {
  const response = await fetch(`${gateway.url}${path}`, {
    headers: {
      authorization: `Bearer ${await gateway.token(client)}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { method: 'POST', body }),
  });
  return [response.status, (await response.json()) as Answer];
}

test.each([3_000, 30_000])(
  'a body of %i arrays in one another is refused as too deep, whatever it holds (SEC-4)',
  async (depth) => {
    const deep = `${'['.repeat(depth)}"\\ud800"${']'.repeat(depth)}`;
    const [status, { errors = [] }] = await ask('/api/v1/rates', `{"a":"\\u0041","b":${deep}}`, 'MERISGS0');
    expect(status).toBe(400);
    expect(errors).toEqual([{ pointer: '', detail: 'is nested deeper than 32 levels' }]);
  },
);

test.each([
  ['/redeliveries', '{"preview":true,"party":"a\\u0000b"}', '/party'],
  ['/redeliveries', '{"preview":true,"kinds":["\\u0000"]}', '/kinds/0'],
  ['/parties/THBPPAY/pause', '{"because":"\\u0000"}', '/because'],
])('POST %s %s: U+0000 is pointed to (SEC-4)', async (path, body, pointer) => {
  const [status, { errors }] = await ask(path, body);
  expect(status).toBe(400);
  expect(errors).toEqual([{ pointer, detail: expect.stringContaining('U+0000') as string }]);
});

test.each([
  '/payments?party=%00',
  '/alerts?takenBy=a%00',
  '/payments?endToEndId=%00',
  '/payments/%00',
  '/countries/a%00',
])('GET %s: U+0000 is a 400 (SEC-4)', async (path) => {
  const [status, { code, errors }] = await ask(path);
  expect([status, code]).toEqual([400, 'invalid-request']);
  expect(errors).toMatchObject([{ detail: expect.stringContaining('U+0000') as string }]);
});

test('a number that is larger than any that can be held is not called none (SEC-4)', async () => {
  const [status, { errors }] = await ask('/redeliveries', '{"preview":true,"limit":1e400}');
  expect(status).toBe(400);
  expect(errors).toMatchObject([
    { pointer: '/limit', detail: /^must be a number, not one as large as this/ },
  ]);
});

/** The check value is no secret: whoever reads the code can make one. */
const forged = (list: string, place: string) =>
  `${Buffer.from(place).toString('base64url')}.${createHash('sha256').update(`${list}\0${place}`).digest('base64url').slice(0, 8)}`;
const uuid = '3f1b1a52-0c66-4a3c-9b0c-6b6f4bb9f9a1';

test.each([
  ['/payments', `yesterday/${uuid}`],
  ['/payments', '2026-01-01 00:00:00+00/nobody'],
  ['/payments', `99999999999/${uuid}`],
  ['/payments', `2026-02-31 00:00:00+00/${uuid}`],
  ['/payments', `2026-01-01 25:00:00+00/${uuid}`],
  ['/payments', `\0/${uuid}`],
  ['/payments', `2026-01-01 00:00:00+00/${uuid}/${uuid}`],
  ['/alerts', 'x'],
  ['/alerts', '99999999999999999999'],
  ['/alerts', '\0'],
  ['/fin-insts/any', '\0'],
])(
  'a cursor of %s with the right check value for %j, which is no place in it, is refused (REF-3)',
  async (path, place) => {
    const list = path === '/fin-insts/any' ? 'fin-insts any' : path;
    const [status, { code }] = await ask(`${path}?cursor=${forged(list, place)}`);
    expect([status, code]).toEqual([400, 'invalid-cursor']);
  },
);
