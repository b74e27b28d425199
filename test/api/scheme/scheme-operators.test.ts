// No operator can act as two people (ADM-2): each makes its own secret alone (ADM-4), and each change needs a second
// operator.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Problem } from '../../../fixtures/bodies.ts';
import { makeSecret } from '../../../db/scheme/secrets.ts';
import { testDatabase } from '../../harness/database.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';

const database = await testDatabase();
let api: RunningApi;
beforeAll(async () => {
  api = await startApi(database.url);
});
afterAll(() => api.close());

interface Proposed {
  readonly changeId: string;
  readonly state: string;
}
type Document = Readonly<Record<string, unknown>>;

const because = 'ticket 4711';
const propose = <Body = Proposed>(objects: readonly object[], by = 'operator') =>
  api.post<Body>('/admin/changes', { because, objects }, by);
const decide = <Body = Proposed>(changeId: string, how: string, by: string) =>
  api.post<Body>(`/admin/changes/${changeId}/${how}`, { because }, by);
const documentOf = async (kind: string, id: string) =>
  (await api.get<{ document: Document | null }>(`/admin/scheme/${kind}/${id}`, 'operator')).body.document;
const newSecret = <Body = { secret: string; change: Proposed }>(client: string, by: string) =>
  api.post<Body>(`/admin/clients/${client}/secrets`, { because, overlapHours: 0 }, by);
const login = async (client: string, secret: string) => {
  const form = { grant_type: 'client_credentials', client_id: client, client_secret: secret };
  return (await api.request('/oauth/token', { method: 'POST', body: new URLSearchParams(form) })).status;
};

describe('what one operator would divert payments by takes another (ADM-2)', () => {
  it.each([
    ['clearing-systems', 'HKDFPS', { countryCodes: ['HK', 'TH'] }],
    ['clearing-systems', 'SGDFAST', { maxAmount: '100000' }],
    ['institutions', 'SG-LOTU', { supportsAcmt023: false }],
    ['institutions', 'SG-LOTU', { onboarded: false }],
  ])('%s %s %j', async (kind, id, members) => {
    const before = await documentOf(kind, id);
    const { body, text } = await propose([{ kind, document: { ...before, ...members } }]);
    expect(body.state, text).toBe('pending');
    expect(await documentOf(kind, id)).toEqual(before);
    await decide(body.changeId, 'refusal', 'operator2');
  });

  it('where an address type leads, and what its input takes', async () => {
    const kinds = ['address-types', 'address-inputs'] as const;
    const [types, inputs] = await Promise.all(
      kinds.map(async (kind) => (await api.get<Document[]>(`/admin/scheme/${kind}`, 'operator')).body),
    );
    const type = types?.find((one) => one['proxyDirectoryId'] !== null);
    const input = inputs?.find((one) => (one['attributes'] as Document)['name'] === 'accountOrProxyId');
    const attributes = { ...(input?.['attributes'] as Document), pattern: '^1$' };
    for (const object of [
      { kind: 'address-types', document: { ...type, inputIds: ['account-number'] } },
      { kind: 'address-inputs', document: { ...input, attributes } },
    ]) {
      const { body, text } = await propose([object]);
      expect(body.state, text).toBe('pending');
      await decide(body.changeId, 'refusal', 'operator2');
    }
  });
});

describe('an operator is nobody but that operator (ADM-2, ADM-4)', () => {
  it('whoever would make the secret of another is refused, and told who makes it', async () => {
    const { status, body, text } = await newSecret<Problem>('operator2', 'operator');
    expect([status, body.code]).toEqual([422, 'scheme-error']);
    expect(body.detail).toContain('/clients/operator2');
    expect(body.detail).toContain('POST /admin/clients/operator2/secrets');
    expect(text).not.toContain('"secret"');
    expect(await login('operator2', 'demo-operator2')).toBe(200);
  });

  it('nor does a document bring one: of a new operator, of one that there is, of a client that becomes one', async () => {
    const { hash } = await makeSecret();
    const secrets = [{ secretId: 'mine', hash }];
    const operator2 = await documentOf('clients', 'operator2');
    for (const document of [
      { clientId: 'operator3', role: 'operator', secrets },
      { ...operator2, secrets },
      { ...operator2, secrets: [] },
      { clientId: 'LOTUSGS0', role: 'operator', demo: true },
    ]) {
      const { status, body, text } = await propose<Problem>([{ kind: 'clients', document }]);
      expect([status, body.code], text).toEqual([422, 'scheme-error']);
    }
  });

  it('nor does an import: operators are those of the installation', async () => {
    const { hash } = await makeSecret();
    const secrets = [{ secretId: 'mine', hash, endsAt: null }];
    const clients = ['operator2', 'operator3'].map((clientId) => ({ clientId, role: 'operator', secrets }));
    const asked = { because, scheme: { clients } };
    const left = await api.post<Proposed>('/admin/imports', asked, 'operator');
    expect(left.body.state).toBe('unchanged');
    const becomes = { because, scheme: { clients: [{ clientId: 'LOTUSGS0', role: 'operator', secrets }] } };
    expect((await api.post('/admin/imports', becomes, 'operator')).status).toBe(422);
  });

  it('two enter another operator without secrets', async () => {
    const document = { clientId: 'carol', role: 'operator' };
    const { body } = await propose([{ kind: 'clients', document }]);
    expect(body.state).toBe('pending');
    const refused = await decide<Problem>(body.changeId, 'approval', 'operator');
    expect(refused.body.code).toBe('own-change');
    expect((await decide(body.changeId, 'approval', 'operator2')).body.state).toBe('applied');
    for (const by of ['operator', 'operator2'])
      expect((await newSecret<Problem>('carol', by)).body.code).toBe('scheme-error');
  });

  it('each makes its own secret alone, which counts at once, and with it nothing else', async () => {
    const own = await newSecret('operator2', 'operator2');
    expect(own.body.change.state).toBe('applied');
    expect([await login('operator2', own.body.secret), await login('operator2', 'demo-operator2')]).toEqual([
      200, 401,
    ]);
    const { hash } = await makeSecret();
    const document = { clientId: 'operator', role: 'operator', secrets: [{ secretId: 'own', hash }] };
    const more = await propose<Problem>([{ kind: 'clients', document }]); // and it is no client of the demo any more
    expect(more.status).toBe(422);
  });
});
