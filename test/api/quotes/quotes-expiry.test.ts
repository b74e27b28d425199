// Until when a quote may be used is told beside it, for the specification's fields have no place for it (QUO-6).
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { QuoteSet } from '../../../fixtures/bodies.ts';
import { testDatabase } from '../../harness/database.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';

const database = await testDatabase();
let api: RunningApi;
beforeAll(async () => {
  api = await startApi(database.url);
});
afterAll(() => api.close());

const validMs = 600_000;

it('endpoint 12: 600 s from issuedDateTime', async () => {
  const answer = await api.get<QuoteSet>(
    '/quotes/SG/SGD/TH/THB/SGD/1000?finInstIdType=BICFI&finInstId=LOTUSGS0',
  );
  const issued = answer.body.quotes[0]!.issuedDateTime;
  const expires = answer.headers.get('isthmus-quotes-expire') ?? '';
  expect(expires).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(Date.parse(expires) - Date.parse(issued)).toBe(validMs);
});

it('endpoint 12b, which has no time of issue at all: 600 s from the stored one', async () => {
  const answer = await api.get('/api/v1/quotes/SG/SGD/TH/THB/?amt=1000&amtCcy=SGD&pspId=LOTUSGS0');
  const stored = await api.db
    .selectFrom('quote_requests')
    .select('issued_at')
    .orderBy('issued_at', 'desc')
    .executeTakeFirstOrThrow();
  const expires = Date.parse(answer.headers.get('isthmus-quotes-expire') ?? '');
  expect(expires - Math.floor(stored.issued_at.getTime())).toBe(validMs);
});

it('a page of another origin may read it (CORS)', async () => {
  const path = '/quotes/SG/SGD/TH/THB/SGD/1000?finInstIdType=BICFI&finInstId=LOTUSGS0';
  const answer = await api.get(path, 'LOTUSGS0', { origin: 'https://pages.test' });
  expect(answer.headers.get('access-control-expose-headers')?.toLowerCase()).toContain(
    'isthmus-quotes-expire',
  );
});
