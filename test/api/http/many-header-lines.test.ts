// Headers of thousands of lines cost as much as a hundred requests to read, and came before any turn: some connections
// of them kept every payment waiting, and hundreds ended the process for lack of memory (SEC-7, I-16).
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRequestQueue } from '../../../api/http/request-queue.ts';
import { testDatabase } from '../../harness/database.ts';
import { startApi, type RunningApi } from '../running-api.ts';
import { exchange, problemOf } from './raw-http.ts';

const database = await testDatabase();
let api: RunningApi;
beforeAll(async () => {
  api = await startApi(database.url);
});
afterAll(() => api.close());

/** Beside `Host`. */
const request = (lines: number) =>
  `GET /health/live HTTP/1.1\r\nHost: x\r\n${Array.from({ length: lines - 1 }, (_, n) => `x${n}:\r\n`).join('')}\r\n`;

test('more than a hundred header lines are refused with what is wrong, and the connection is closed', async () => {
  const refusal = problemOf(await exchange(api.url, request(101)));
  expect(refusal).toMatchObject({ status: 431, code: 'headers-too-large' });
  expect(refusal.detail).toContain('100 lines');
  for (const lines of [102, 2_500])
    expect(problemOf(await exchange(api.url, request(lines)))).toMatchObject({ status: 431 });
});

test('a hundred are read, however many requests have them', async () => {
  const last = request(99).replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
  const answers = await exchange(api.url, request(100).repeat(5) + last);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
});

test('of one asker some thousand requests wait, and what comes then is turned away at once', async () => {
  const queue = createRequestQueue({ maxWaiting: 3 });
  const begun: string[] = [];
  const busy = () => {
    const until = performance.now() + 5;
    while (performance.now() < until);
  };
  const add = (asker: string, name: string) =>
    queue.add(
      () => asker,
      {},
      () => void begun.push(name),
    );
  queue.add(() => 'first', {}, busy); // the pass has no room any more
  expect(['a', 'b', 'c'].map((name) => typeof add('one', name))).toEqual([
    'function',
    'function',
    'function',
  ]);
  expect(add('one', 'd')).toBe('full');
  const takeBack = add('other', 'e');
  expect(typeof takeBack).toBe('function');
  await expect.poll(() => begun.toSorted()).toEqual(['a', 'b', 'c', 'e']);
  expect(add('one', 'f')).toBeUndefined();
});
