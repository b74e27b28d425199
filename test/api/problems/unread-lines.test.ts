// A request that Node's parser refuses still has a log line, an id and a count, and the line contains nothing that
// was sent (OBS-1, OBS-2, SEC-3).
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AnsweredRequest } from '../../../api/http/access-log.ts';
import { testDatabase } from '../../harness/database.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';
import { exchange } from '../http/raw-http.ts';

interface Line {
  readonly msg: string;
  readonly requestId?: string;
  readonly status?: number;
}
const lines: Line[] = [];
const answered: AnsweredRequest[] = [];
const database = await testDatabase();
let api: RunningApi;
beforeAll(async () => {
  api = await startApi(database.url, {
    logger: pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as Line) }),
    onAnswered: (request) => void answered.push(request),
    serverLimits: { headersMs: 300 },
  });
});
afterAll(() => api.close());
beforeEach(() => {
  lines.splice(0);
  answered.splice(0);
});

const get = 'GET /health/live HTTP/1.1\r\nHost: x\r\n';
const connect = 'CONNECT somchai.example:1 HTTP/1.1\r\nHost: x\r\n';

test.each([
  [431, 'none', 'headers of more than 16 KiB', `${get}X-A: ${'somchai'.repeat(3_000)}\r\n\r\n`],
  [400, 'none', 'a header with a control character', `${get}X-A: somchai\u0001b\r\n\r\n`],
  [400, 'none', 'a method that is none', 'SOMCHAI / HTTP/1.1\r\nHost: x\r\n\r\n'],
  [400, 'none', 'TLS', '\u0016\u0003\u0001\u0000\u0005hello'],
  [408, 'none', 'headers that do not end', `${get}X-A: somchai`],
  [405, 'CONNECT', 'a tunnel', `${connect}\r\n`],
])(
  '%i, method %s: %s is one line and one count, by the id in its answer (OBS-1, OBS-2, SEC-3)',
  async (status, method, _, text) => {
    const [answer, ...more] = await exchange(api.url, text);
    expect([answer?.status, more]).toEqual([status, []]);
    const requestId = answer?.headers['x-request-id'];
    expect(requestId).toMatch(/^[\w-]{10,64}$/);
    await expect.poll(() => lines).toMatchObject([{ msg: 'request', level: 30, requestId, method, status }]);
    expect(JSON.stringify(lines)).not.toMatch(/somchai/i);
    expect(answered).toMatchObject([{ route: 'none', method, status }]);
  },
);
