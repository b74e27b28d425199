// Objects of the scheme that end, return or are stopped before their time (ADM-1, ADM-2).
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { applyDueChanges } from '../../../db/scheme/changes.ts';
import type { Problem } from '../../../fixtures/bodies.ts';
import { testDatabase } from '../../harness/database.ts';
import { rewritten } from '../../harness/rewritten.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';

const database = await testDatabase();
let api: RunningApi;
beforeAll(async () => {
  api = await startApi(database.url);
});
afterAll(() => api.close());

interface Proposed {
  readonly changeId: string | null;
  readonly state: string;
  readonly findings: readonly { severity: string; kind: string; id: string; says: string }[];
}
type Document = Readonly<Record<string, unknown>>;
const because = 'ticket 4711';
const soon = { timeout: 10_000, interval: 20 }; // REF-6
const propose = <Body = Proposed>(objects: readonly object[], more: object = {}) =>
  api.post<Body>('/admin/changes', { because, objects, ...more }, 'operator');
const decide = (changeId: string | null, how: string, by = 'operator2', more: object = {}) =>
  api.post<{ state: string } & Problem>(
    `/admin/changes/${String(changeId)}/${how}`,
    { because, ...more },
    by,
  );
const documentOf = async (kind: string, id: string): Promise<Document> =>
  (
    await api.get<{ document: Document | null }>(
      `/admin/scheme/${kind}/${encodeURIComponent(id)}`,
      'operator',
    )
  ).body.document ?? {};
/** As two people make it. */
async function make(objects: readonly object[]): Promise<Proposed> {
  const { body } = await propose(objects);
  if (body.state === 'pending') {
    expect((await decide(body.changeId, 'approval', 'operator2', { despiteProbes: true })).body.state).toBe(
      'applied',
    );
  }
  return body;
}

it.each([
  ['refusal', 'operator2', 'refused'],
  ['withdrawal', 'operator', 'withdrawn'],
])('what is approved and has not its time yet can still be stopped: %s', async (how, by, state) => {
  const document = {
    ...(await documentOf('fee-formulas', 'SG:SGD')),
    creditorAgentFee: { nominalFeeAmount: '9', percentageFee: '0' },
  };
  const effectiveAt = new Date(Date.now() + 3_600_000).toISOString();
  const { body } = await propose([{ kind: 'fee-formulas', document }], { effectiveAt });
  expect((await decide(body.changeId, 'approval')).body.state).toBe('scheduled');
  expect((await decide(body.changeId, how, by)).body.state).toBe(state);
  await rewritten(
    api.db,
    sql`update scheme_changes set effective_at = now() where change_id = ${body.changeId}`,
  );
  expect(await applyDueChanges(api.db)).toEqual({ applied: 0, outdated: [] });
  expect(await documentOf('fee-formulas', 'SG:SGD')).toMatchObject({
    creditorAgentFee: { nominalFeeAmount: '0.50' },
  });
});

it('prices that an FX provider has are its own: nobody else changes or ends them', async () => {
  const document = await documentOf('fx-prices', 'SG-MERI');
  for (const object of [
    { kind: 'fx-prices', document: { ...document, pspImprovements: [] } },
    { kind: 'fx-prices', ends: 'SG-MERI' },
  ]) {
    const { status, body } = await propose<Problem>([object]);
    expect([status, body.code]).toEqual([422, 'scheme-error']);
    expect(JSON.stringify(body.errors)).toContain('has prices of its own');
  }
});

it('a country is entered, and ended again, by two (ADM-2)', async () => {
  const document = { countryCode: 'NO', countryId: 578, name: 'Norway' };
  for (const object of [
    { kind: 'countries', document },
    { kind: 'countries', ends: 'NO' },
  ]) {
    const { body } = await propose([object]);
    expect(body.state).toBe('pending');
    await decide(body.changeId, 'approval');
  }
  await expect.poll(async () => (await api.get('/countries/NO')).status, soon).toBe(404);
});

it('a payment system ends with its members’ ways to it; its client stays, to report on payments under way', async () => {
  const members = Object.values(
    (await api.get<Record<string, Document[]>>('/admin/scheme', 'operator')).body['institutions'] ?? [],
  );
  const leaving = members.filter((one) => JSON.stringify(one['memberships']).includes('"CNYFPS"'));
  const objects = [
    ...leaving.map((one) => ({
      kind: 'institutions',
      document: {
        ...one,
        memberships: (one['memberships'] as { clearingSystemId: string }[]).filter(
          ({ clearingSystemId }) => clearingSystemId !== 'CNYFPS',
        ),
      },
    })),
    ...members
      .filter((one) => (one['roles'] as string[]).includes('fxp'))
      .map((one) => ({
        kind: 'institutions',
        document: {
          ...one,
          corridors: (one['corridors'] as Record<string, string>[]).filter(
            (corridor) => !Object.values(corridor).includes('CNY'),
          ),
        },
      })),
    { kind: 'address-types', ends: 'CNYFPS-ACCT' },
    ...['MERI', 'ZENI', 'ORBI', 'POLA'].map((fxp) => ({
      kind: 'settlement-accounts',
      ends: `HK-HARB:${fxp}-HK-CNY`,
    })),
    { kind: 'clearing-systems', ends: 'CNYFPS' },
  ];
  const { findings } = await make(objects);
  expect(findings).toContainEqual(
    expect.objectContaining({ severity: 'warning', kind: 'clients', id: 'CNYFPS' }) as object,
  );
  await expect.poll(async () => (await api.get('/countries/HK', 'LOTUSGS0')).text, soon).not.toContain('CNY');
  const quotes = '/quotes/SG/SGD/HK/CNY/SGD/100?finInstIdType=BICFI&finInstId=LOTUSGS0';
  await expect.poll(async () => (await api.get(quotes)).status, soon).toBe(404);
  expect((await api.get('/countries', 'CNYFPS')).status).toBe(200); // its operator is still let in
});

it('an institution that is entered anew has the identifiers that it has now, and none of before', async () => {
  const document = await documentOf('institutions', 'SG-FERN');
  await make([{ kind: 'institutions', ends: 'SG-FERN' }]);
  await expect.poll(async () => (await api.get('/fin-insts/any/BICFI/FERNSGS0')).status, soon).toBe(404);
  await make([{ kind: 'institutions', document: { ...document, bics: ['FERNSGS1'] } }]);
  await expect.poll(async () => (await api.get('/fin-insts/any/BICFI/FERNSGS1')).status).toBe(200);
  await expect.poll(async () => (await api.get('/fin-insts/any/BICFI/FERNSGS0')).status, soon).toBe(404);
});

it('a list of changes names the objects, and holds no documents: an import has hundreds', async () => {
  const { text } = await api.get('/admin/changes?limit=500', 'operator');
  expect(text).toContain('"id":"SG-LOTU"');
  expect(text).not.toContain('Lotus Bank');
});
