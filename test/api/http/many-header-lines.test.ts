// Headers of thousands of lines cost as much as a hundred requests to read, and came before any turn: some connections
// of them kept every payment waiting, and hundreds ended the process for lack of memory (SEC-7, I-16).
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../../harness/database.ts';
import { startApi, type RunningApi } from './running-api.ts';
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
