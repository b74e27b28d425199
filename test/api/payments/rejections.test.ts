// The published table of rejections: as JSON, and as docs/reference/rejections.md, which `UPDATE_TABLES=1` writes; and
// the rules that it names.
import { eventKinds } from '../../../core/operations/event-kinds.ts';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { problems } from '../../../api/http/problems/problems.ts';
import {
  rejections,
  type RejectionKey,
  type RejectionRow,
} from '../../../core/rejections/rejection-table.ts';
import { testDatabase } from '../../harness/database.ts';
import { renderRejections } from './rejections-page.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';

const database = await testDatabase();
let api: RunningApi;
beforeAll(async () => {
  api = await startApi(database.url);
});
afterAll(() => api.close());

const path = fileURLToPath(new URL('../../../docs/reference/rejections.md', import.meta.url));
const rulesPath = fileURLToPath(new URL('../../../docs/reference/rules.md', import.meta.url));
const rows = Object.entries(rejections) as [RejectionKey, RejectionRow][];

describe('GET /iso20022/rejections', () => {
  test.each(['SGDFAST', 'LOTUSGS0', 'MERISGS0', 'operator'])(
    '%s gets every row of the table',
    async (client) => {
      const { status, body } = await api.get<{ rejections: Record<string, unknown>[] }>(
        '/iso20022/rejections',
        client,
      );
      expect(status).toBe(200);
      const served = body.rejections;
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

describe('GET /rules/{ruleId}', () => {
  const cited = [
    ...rows.map(([, { ruleId }]) => ruleId),
    ...Object.values(problems).map((row) => ('ruleId' in row ? row.ruleId : undefined)),
  ];
  const rules = [...new Set(cited)].filter((one) => one !== undefined);

  test('tells everybody the rule that a refusal names, why it is there and which test shows it', async () => {
    expect(rules.length).toBeGreaterThan(20);
    for (const ruleId of rules) {
      const { status, headers, text } = await api.get(`/rules/${ruleId}`, null);
      expect([ruleId, status, headers.get('content-type')]).toEqual([
        ruleId,
        200,
        'text/markdown; charset=utf-8',
      ]);
      expect(text.startsWith(`# ${ruleId}\n\n`)).toBe(true);
      expect(text).toMatch(/^- Why: /m);
      expect(text).not.toContain(']('); // a link of the document would lead nowhere here
    }
  });

  test.each(['pay-7', 'Pay-7'])('%s is PAY-7', async (written) => {
    const { status, text } = await api.get(`/rules/${written}`, null);
    expect([status, text.split('\n')[0]]).toEqual([200, '# PAY-7']);
  });

  test.each(['PAY', 'PAX-7', 'Rules', 'MON: money and rates', '%2e%2e'])(
    '%s is no rule: 404, and where they all are',
    async (ruleId) => {
      const { status, body } = await api.get(`/rules/${encodeURIComponent(ruleId)}`, null);
      const detail = expect.stringMatching(/no such rule.*GET \/rules/) as unknown;
      expect([status, body]).toMatchObject([404, { code: 'unknown-rule', detail }]);
    },
  );
});

describe('GET /alert-kinds/{kind}', () => {
  const kinds = Object.entries(eventKinds).flatMap(([kind, severity]) => (severity === 'info' ? [] : [kind]));

  test.each(kinds)('%s: what it means and what to do, for everybody (OBS-6)', async (kind) => {
    const { status, text } = await api.get(`/alert-kinds/${kind}`, null);
    expect(status).toBe(200);
    expect(text).toMatch(/^# .*\n\n\*\*Means\.\*\* [^]*\*\*Do\.\*\* [^]*\*\*Close\.\*\* /);
    expect(text).not.toMatch(/\]\(|^## /m);
  });

  test('nothing of other kinds', async () => {
    expect((await api.get('/alert-kinds/IsthmusProcessDown', null)).status).toBe(404);
  });
});

describe('GET /rules', () => {
  test.each(['/rules', '/rules/'])('%s tells everybody the ids of all rules, by family', async (path) => {
    const { status, headers, text } = await api.get(path, null);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8']);
    expect(text).toMatch(/^# Rules\n\n.*`GET \/rules\/\{ruleId\}`/);
    const families = text.match(/^## .*$/gm) ?? [];
    expect(families[0]).toBe('## MON: money and rates');
    expect(text).toContain('## MON: money and rates\n\nMON-1, MON-2, MON-3, MON-4\n');
    const told = text.match(/\b[A-Z]+-\d+\b/g) ?? [];
    const written = [...readFileSync(rulesPath, 'utf8').matchAll(/^### ([A-Z]+-\d+)$/gm)].map(([, id]) => id);
    expect(told).toEqual(written);
  });
});

test('docs/reference/rejections.md is the table, with what the judge tells of an example of each row (MSG-13)', async () => {
  const written = await renderRejections();
  if (process.env['UPDATE_TABLES'] !== undefined) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, written);
  }
  expect(readFileSync(path, 'utf8')).toBe(written);
});
