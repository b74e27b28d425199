// What a second operator sees of a change before approving it (ADM-2), and of a client's secrets (ADM-4).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Problem } from '../../../fixtures/bodies.ts';
import { testDatabase } from '../../harness/database.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';

const database = await testDatabase();
let api: RunningApi;
beforeAll(async () => {
  api = await startApi(database.url);
});
afterAll(() => api.close());

interface Secret {
  readonly secretId: string;
  readonly endsAt: string | null;
}
interface Shown {
  readonly document: Readonly<Record<string, unknown>>;
  readonly secrets?: readonly Secret[];
}
interface Proposed {
  readonly changeId: string;
  readonly objects: readonly { readonly differences: readonly object[] }[];
}

const because = 'ticket 4711';
const shown = async (kind: string, id: string) =>
  (await api.get<Shown>(`/admin/scheme/${kind}/${id}`, 'operator')).body;
const documentOf = async (kind: string, id: string) => (await shown(kind, id)).document;
const propose = <Body = Proposed>(objects: readonly object[], more: object = {}) =>
  api.post<Body>('/admin/changes', { because, objects, ...more }, 'operator');

describe('the difference that a second operator looks at (ADM-2)', () => {
  const differencesOf = async (kind: string, id: string, members: object) => {
    const document = { ...(await documentOf(kind, id)), ...members };
    const { status, body, text } = await propose([{ kind, document }], { preview: true });
    expect(status, text).toBe(200);
    return body.objects[0]?.differences;
  };

  it('compares the items of a list with themselves, wherever they stand', async () => {
    const meridian = await documentOf('institutions', 'SG-MERI');
    const [first, second, ...others] = meridian['settlementAccess'] as { countryCode: string }[];
    const settlementAccess = [...others, { ...second, validated: false }];
    expect(await differencesOf('institutions', 'SG-MERI', { settlementAccess })).toEqual([
      { path: `/settlementAccess/countryCode=${first?.countryCode}`, before: first, after: null },
      {
        path: `/settlementAccess/countryCode=${second?.countryCode}/validated`,
        before: true,
        after: false,
      },
    ]);
  });

  it('shows that a secret is another under the id of one that there was, and not its hash (ADM-4)', async () => {
    const hash = `sha256:00:${'0'.repeat(64)}`;
    const secrets = [{ secretId: '1', hash, endsAt: null }];
    expect(await differencesOf('clients', 'LOTUSGS0', { secrets })).toEqual([
      { path: '/secrets/secretId=1/hash', before: '(not shown)', after: '(another, not shown)' },
    ]);
  });
});

describe('the secrets of a client (ADM-4)', () => {
  const client = 'LOTUSGS0';
  const login = async (secret: string) =>
    (
      await api.request('/oauth/token', {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: client,
          client_secret: secret,
        }),
      })
    ).status;
  const approve = async (changeId: string) =>
    expect((await api.post(`/admin/changes/${changeId}/approval`, { because }, 'operator2')).status).toBe(
      200,
    );
  const secretsOf = async () => (await shown('clients', client)).secrets ?? [];

  it('are shown by their ids and ends, and end one by one: those that stay are named, without their hashes', async () => {
    expect(await secretsOf()).toEqual([{ secretId: '1', endsAt: null }]);
    const path = `/admin/clients/${client}/secrets`;
    const made = await api.post<{ secret: string; secretId: string; change: Proposed }>(
      path,
      { because },
      'operator',
    );
    const { secret, secretId, change } = made.body;
    await approve(change.changeId);
    const [first, second] = await secretsOf();
    expect([first?.secretId, typeof first?.endsAt, second]).toEqual([
      '1',
      'string',
      { secretId, endsAt: null },
    ]);
    expect([await login('demo-LOTUSGS0'), await login(secret)]).toEqual([200, 200]);

    const document = { ...(await documentOf('clients', client)), secrets: [{ secretId: '1' }] };
    const { body } = await propose([{ kind: 'clients', document }]);
    expect(body.objects[0]?.differences).toEqual([
      {
        path: `/secrets/secretId=${secretId}`,
        before: { secretId, hash: '(not shown)', endsAt: null },
        after: null,
      },
    ]);
    await approve(body.changeId);
    expect(await secretsOf()).toEqual([first]);
    expect([await login('demo-LOTUSGS0'), await login(secret)]).toEqual([200, 401]);
  });

  it('that there is not, named without a hash, is refused', async () => {
    const document = { ...(await documentOf('clients', client)), secrets: [{ secretId: 'other' }] };
    const { status, body } = await propose<Problem>([{ kind: 'clients', document }]);
    expect([status, body.errors?.[0]]).toMatchObject([
      400,
      { pointer: '/objects/0/document/secrets/0/hash' },
    ]);
  });
});
