// Pipelined requests whose client leaves: each request has one log line, one count and one span (OBS-1, OBS-2,
// OBS-3).
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AnsweredRequest } from '../../../api/http/access-log.ts';
import { paymentListSchema } from '../../../api/payments/payment-schemas.ts';
import { testDatabase } from '../../harness/database.ts';
import { startApi, type RunningApi } from './running-api.ts';
import { open } from './raw-http.ts';

interface Line {
  readonly msg: string;
  readonly requestId?: string;
  readonly status?: number | null;
  readonly cut?: boolean;
}
const lines: Line[] = [];
const counted: AnsweredRequest[] = [];
const ended: { readonly requestId: string; readonly status: number | null }[] = [];
const processed: string[] = [];
const released: (() => void)[] = [];
const database = await testDatabase();
let api: RunningApi;
beforeAll(async () => {
  api = await startApi(database.url, {
    logger: pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as Line) }),
    onAnswered: (request) => void counted.push(request),
    trace: () => ({
      traceId: 'a'.repeat(32),
      run: (answer) => answer(),
      end: ({ requestId }, status) => void ended.push({ requestId, status }),
    }),
    modules: [
      (router) => {
        const one = { method: 'get', summary: 'x', tag: 'Service', hidden: true, answers: {} } as const;
        router.addPublic({ ...one, path: '/slow', operationId: 'slow' }, async () => {
          await new Promise<void>((resolve) => released.push(resolve));
          return new Response('slow', { headers: { 'content-length': '4' } });
        });
        router.addPublic({ ...one, path: '/done', operationId: 'done' }, () => {
          processed.push('done');
          return new Response('done', { headers: { 'content-length': '4' } });
        });
        const book = { ...one, path: '/book', operationId: 'book', roles: 'any', turns: 'book' } as const;
        router.add({ ...book, answer: { description: 'x', schema: paymentListSchema } }, async () => {
          processed.push('book');
          await new Promise<void>((resolve) => released.push(resolve));
          const body = JSON.stringify({ payments: [], next: null });
          const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
          return new Response(body, { headers });
        });
      },
    ],
  });
});
afterAll(() => api.close());
beforeEach(() => {
  for (const list of [lines, counted, ended, processed]) list.splice(0);
});
const release = () => released.splice(0).forEach((resolve) => resolve());

/** A name as the 32 digits of an id, and back. */
const idOf = (name: string) => Buffer.from(name).toString('hex').padStart(32, '0');
const nameOf = (id: string) => Buffer.from(id, 'hex').toString().replaceAll('\0', '');

const get = (path: string, name: string, headers: Readonly<Record<string, string>> = {}) => {
  const fields = Object.entries({ Host: 'x', 'X-Request-Id': idOf(name), ...headers });
  return `GET ${path} HTTP/1.1\r\n${fields.map(([field, value]) => `${field}: ${value}\r\n`).join('')}\r\n`;
};
const told = (list: readonly { readonly requestId?: string; readonly status?: number | null }[]) =>
  list.map(({ requestId, status }) => `${nameOf(requestId ?? '')} ${status ?? 'none'}`).sort();

test('of twenty requests on one connection whose client leaves, each is one line, one count and one span (OBS-1, OBS-2, OBS-3)', async () => {
  const ids = Array.from({ length: 20 }, (_, n) => `behind-${n}`);
  const socket = await open(api.url);
  socket.write(get('/slow', 'first') + ids.map((id) => get('/done', id)).join('') + get('/slow', 'last'));
  await expect.poll(() => [processed.length, released.length]).toEqual([20, 2]);
  socket.destroy();
  const all = ['first none', 'last none', ...ids.map((id) => `${id} 200`)].sort();
  await expect.poll(() => told(lines)).toEqual(all);
  release(); // whatever the app does then writes no second one
  await expect.poll(() => told(ended)).toEqual(all);
  expect(told(lines)).toEqual(all);
  expect(lines.every(({ cut }) => cut === true)).toBe(true);
  expect(counted.map(({ route, status }) => `${route} ${status ?? 'none'}`).sort()).toEqual(
    ['/slow none', '/slow none', ...ids.map(() => '/done 200')].sort(),
  );
});
