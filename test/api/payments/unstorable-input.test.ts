// Input with U+0000, which Postgres cannot store, is a 400 and no error of ours (SEC-4, OBS-1).
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
