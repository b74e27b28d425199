// The published table of rejections: as JSON, and as docs/reference/rejections.md, which `UPDATE_TABLES=1` writes.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rejections, type RejectionKey, type RejectionRow } from '../../core/rejection.ts';
import { testDatabase } from '../harness/database.ts';
import { renderRejections } from './rejection-table.ts';
import { startApi, type RunningApi } from './running-api.ts';

const database = await testDatabase();
let api: RunningApi;
beforeAll(async () => {
  api = await startApi(database.url);
});
afterAll(() => api.close());

const path = fileURLToPath(new URL('../../docs/reference/rejections.md', import.meta.url));
const rows = Object.entries(rejections) as [RejectionKey, RejectionRow][];

describe('GET /iso20022/rejections', () => {
  test.each(['SGDFAST', 'LOTUSGS0', 'MERISGS0', 'operator'])(
    '%s gets every row of the table',
    async (client) => {
      const { status, body } = await api.get('/iso20022/rejections', client);
      expect(status).toBe(200);
      const served = (body as { rejections: Record<string, unknown>[] }).rejections;
      expect(served).toEqual(
        rows.map(([id, { isoCode, ruleId, checks, text, xpath = null }]) => ({
          id,
          isoCode,
          ruleId,
          checks,
          xpath,
          text,
        })),
      );
      expect(served.length).toBeGreaterThan(40);
    },
  );

  test('is not sent again to whoever has it: 304', async () => {
    const { headers } = await api.get('/iso20022/rejections', 'SGDFAST');
    const again = await api.get('/iso20022/rejections', 'SGDFAST', {
      'if-none-match': headers.get('etag') ?? '',
    });
    expect([again.status, again.text]).toEqual([304, '']);
  });

  test('without a token: 401; by another method: 405; a row of its own: 404', async () => {
    expect((await api.get('/iso20022/rejections', null)).status).toBe(401);
    expect((await api.post('/iso20022/rejections', {}, 'SGDFAST')).status).toBe(405);
    expect((await api.get('/iso20022/rejections/quote-expired', 'SGDFAST')).status).toBe(404);
  });
});

test('docs/reference/rejections.md is the table', () => {
  if (process.env['UPDATE_TABLES'] !== undefined) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, renderRejections());
  }
  expect(readFileSync(path, 'utf8')).toBe(renderRejections());
});
