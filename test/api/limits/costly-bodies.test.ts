// JSON bodies within their 64 KiB that are made to be expensive: whoever sends one is told so at once, because the one
// thread that reads it also serves everybody else (I-16, SEC-7).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testDatabase } from '../../harness/database.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';

const database = await testDatabase();
let api: RunningApi;
beforeAll(async () => {
  api = await startApi(database.url);
});
afterAll(() => api.close());

const maxBytes = 65_536;
const mostMs = 1_000; // I-16; plain bodies take a few
const deep = (depth: number, inner: string) => `${'['.repeat(depth)}${inner}${']'.repeat(depth)}`;
const members = (count: number, member: (n: number) => string) =>
  `{${Array.from({ length: count }, (_, n) => member(n)).join(',')}}`;

it.each([
  [
    'a member that stands often, and deep',
    deep(
      12_000,
      members(6_000, () => '"":0'),
    ),
    'nested',
  ],
  ['half a character, deep', deep(8_000, String.raw`"\ud800"`), 'nested'],
  ['nothing but depth', deep(32_000, ''), 'nested'],
  ['depth in a member that is given again', `{"a":${deep(20_000, '')},"a":0}`, 'nested'],
  ['unknown members', members(5_000, (n) => `"m${n}":0`), 'unknown member'],
  ['a member that stands often', members(9_000, () => '"":0'), 'occurs more than once'],
])('a body with %s is refused within the time of plain ones (I-16, SEC-4)', async (_, body, told) => {
  expect(body.length).toBeLessThanOrEqual(maxBytes);
  // everything is warm, and a busy machine has read the reference data in time
  await expect.poll(async () => (await api.post('/api/v1/rates', '{}')).status).toBe(400);
  const begunAt = performance.now();
  const answer = await api.post('/api/v1/rates', body);
  expect(performance.now() - begunAt).toBeLessThan(mostMs);
  const details = (answer.body.errors ?? []).map(({ detail }) => detail).join('\n');
  expect([answer.status, details]).toEqual([400, expect.stringContaining(told)]);
});
