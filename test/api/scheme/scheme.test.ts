// Operators change the scheme (ADM-1 to ADM-4): what one may do alone, what takes two, and the history of each
// object.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDatabase } from '../../harness/database.ts';
import type { Problem } from '../../../fixtures/bodies.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';

const database = await testDatabase();
let api: RunningApi;
let other: RunningApi;
beforeAll(async () => {
  api = await startApi(database.url);
  other = await startApi(database.url);
});
afterAll(async () => {
  await api.close();
  await other.close();
});

interface Difference {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}
interface Proposed {
  readonly changeId: string | null;
  readonly state: string;
  readonly objects: readonly {
    kind: string;
    id: string;
    ends: boolean;
    differences: readonly Difference[];
  }[];
  readonly findings: readonly { severity: string; path: string; says: string }[];
}
interface Change extends Proposed {
  readonly proposedBy: string;
  readonly because: string;
  readonly steps: readonly { step: string; by: string; because: string | null }[];
}
interface Shown<Document> {
  readonly document: Document | null;
  readonly history: readonly Change[];
}

const because = 'ticket 4711';
const propose = <Body = Proposed>(objects: readonly object[], more: object = {}, by = 'operator') =>
  api.post<Body>('/admin/changes', { because, objects, ...more }, by);
const decide = <Body = Change>(changeId: string | null, how: string, by: string) =>
  api.post<Body>(`/admin/changes/${String(changeId)}/${how}`, { because: 'looked at it' }, by);
const shown = async <Document = Readonly<Record<string, unknown>>>(kind: string, id: string) =>
  (await api.get<Shown<Document>>(`/admin/scheme/${kind}/${id}`, 'operator')).body;
const documentOf = async (kind: string, id: string) => (await shown(kind, id)).document ?? {};

describe('who may', () => {
  it.each(['LOTUSGS0', 'SGDFAST', 'MERISGS0'])('not %s', async (client) => {
    expect((await api.get('/admin/scheme', client)).status).toBe(403);
    expect((await api.post('/admin/changes', { because, objects: [] }, client)).status).toBe(403);
  });
});

describe('what takes one (ADM-1)', () => {
  it('a name counts within a second in every process; author, reason and the value before are kept', async () => {
    const before = await documentOf('institutions', 'SG-LOTU');
    const { body } = await propose([
      { kind: 'institutions', document: { ...before, name: 'Lotus Bank Ltd' } },
    ]);
    expect(body).toMatchObject({
      state: 'applied',
      objects: [
        {
          id: 'SG-LOTU',
          differences: [{ path: '/name', before: 'Lotus Bank Singapore', after: 'Lotus Bank Ltd' }],
        },
      ],
    });
    const nameAt = async (one: RunningApi) =>
      (await one.get<{ name: string }>('/fin-insts/any/BICFI/LOTUSGS0')).body.name;
    await expect.poll(() => nameAt(other), { timeout: 10_000, interval: 20 }).toBe('Lotus Bank Ltd');
    const { history } = await shown('institutions', 'SG-LOTU');
    expect(history[0]).toMatchObject({ proposedBy: 'operator', because, steps: [{ step: 'applied' }] });
  });

  it('the same again changes nothing', async () => {
    const document = await documentOf('institutions', 'SG-LOTU');
    const { body } = await propose([{ kind: 'institutions', document }]);
    expect(body).toEqual({ changeId: null, state: 'unchanged', objects: [], findings: [] });
  });

  it('a preview says what would change, and changes nothing', async () => {
    const document = { ...(await documentOf('countries', 'SG')), name: 'Singapura' };
    const { body } = await propose([{ kind: 'countries', document }], { preview: true });
    expect(body).toMatchObject({ changeId: null, state: 'preview', objects: [{ id: 'SG' }] });
    expect(await documentOf('countries', 'SG')).toMatchObject({ name: 'Singapore' });
  });

  it('from a time on: it is made then, and not before', async () => {
    const document = { ...(await documentOf('countries', 'MY')), name: 'Malaysia (new)' };
    const effectiveAt = new Date(Date.now() + 1_500).toISOString();
    const { body } = await propose([{ kind: 'countries', document }], { effectiveAt });
    expect(body.state).toBe('scheduled');
    expect(await documentOf('countries', 'MY')).toMatchObject({ name: 'Malaysia' });
    const { startDueChanges } = await import('../../../api/scheme/due-changes.ts');
    const { pino } = await import('pino');
    const stop = startDueChanges(api.db, pino({ level: 'silent' }));
    try {
      await expect
        .poll(async () => (await documentOf('countries', 'MY'))['name'], { timeout: 4_000 })
        .toBe('Malaysia (new)');
      expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(effectiveAt));
    } finally {
      await stop();
    }
  });
});

describe('what takes two (ADM-2)', () => {
  const formula = async () => documentOf('fee-formulas', 'TH:THB');
  const withScheme = async (nominalFeeAmount: string) => {
    const before = await formula();
    return { ...before, schemeFee: { ...(before['schemeFee'] as object), nominalFeeAmount } };
  };

  it('a fee formula waits for a second operator, who is not the first, and then counts', async () => {
    const { body } = await propose([{ kind: 'fee-formulas', document: await withScheme('11.00') }]);
    expect(body.state).toBe('pending');
    expect(await formula()).toMatchObject({ schemeFee: { nominalFeeAmount: '10.00' } });
    const own = await decide<Problem>(body.changeId, 'approval', 'operator');
    expect([own.status, own.body.code]).toEqual([409, 'own-change']);
    const approved = await decide(body.changeId, 'approval', 'operator2');
    expect(approved.body).toMatchObject({
      state: 'applied',
      proposedBy: 'operator',
      steps: [
        { step: 'approved', by: 'operator2', because: 'looked at it' },
        { step: 'applied', by: 'operator2' },
      ],
    });
    expect(await formula()).toMatchObject({ schemeFee: { nominalFeeAmount: '11.00' } });
    const again = await decide<Problem>(body.changeId, 'approval', 'operator2');
    expect([again.status, again.body.code]).toEqual([409, 'change-not-pending']);
  });

  it('what somebody else refuses, or takes back, never counts', async () => {
    const refused = await propose([{ kind: 'fee-formulas', document: await withScheme('99.00') }]);
    expect((await decide(refused.body.changeId, 'refusal', 'operator2')).body.state).toBe('refused');
    const taken = await propose([{ kind: 'fee-formulas', document: await withScheme('99.00') }]);
    const notTheirs = await decide<Problem>(taken.body.changeId, 'withdrawal', 'operator2');
    expect(notTheirs.body.code).toBe('not-own-change');
    expect((await decide(taken.body.changeId, 'withdrawal', 'operator')).body.state).toBe('withdrawn');
    const after = await decide<Problem>(taken.body.changeId, 'approval', 'operator2');
    expect(after.body.code).toBe('change-not-pending');
    expect(await formula()).toMatchObject({ schemeFee: { nominalFeeAmount: '11.00' } });
  });

  it('of two proposals for one object the second is out of date when the first is approved', async () => {
    const first = await propose([{ kind: 'fee-formulas', document: await withScheme('12.00') }]);
    const second = await propose([{ kind: 'fee-formulas', document: await withScheme('13.00') }]);
    const outcomes = await Promise.all([
      decide<Problem>(first.body.changeId, 'approval', 'operator2'),
      decide<Problem>(second.body.changeId, 'approval', 'operator2'),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(outcomes.find(({ status }) => status === 409)?.body.code).toBe('change-outdated');
    const [won] = outcomes.flatMap(({ status }, place) => (status === 200 ? ['12.00', '13.00'][place] : []));
    expect(await formula()).toMatchObject({ schemeFee: { nominalFeeAmount: won } });
  });

  it.each([
    ['operators', 'IPSO-SG', { endpointUrl: 'https://new.example/sg' }],
    ['operators', 'IPSO-SG', { callbackOrigins: ['https://new.example'] }],
    ['institutions', 'SG-MERI', { notificationUrl: 'https://new.example/fxtr' }],
    ['institutions', 'SG-LOTU', { bics: ['LOTUSGS1'] }],
    ['clearing-systems', 'SGDFAST', { bookEndpointUrl: 'https://new.example/books' }],
    ['settlement-accounts', 'TH-HARB:LOTU-TH-THB', { accountId: 'LOTU-TH-THB', ownerId: 'SG-BANY' }],
    ['clients', 'LOTUSGS0', { demo: false }],
  ])('%s %s %j', async (kind, id, members) => {
    const { status, body } = await propose([
      { kind, document: { ...(await documentOf(kind, id)), ...members } },
    ]);
    expect([status, body.state]).toEqual([200, 'pending']);
    await decide(body.changeId, 'refusal', 'operator2');
  });
});

describe('what would not hang together is refused, with the place and what would be right', () => {
  it.each([
    [
      'a BIC of two',
      'institutions',
      'SG-BANY',
      { bics: ['LOTUSGS0'] },
      '/institutions/SG-LOTU/bics/0',
      'belongs to SG-BANY, too',
    ],
    [
      'an LEI whose check digits are wrong',
      'institutions',
      'SG-LOTU',
      { lei: '999900LOTUSGS0000000' },
      '/lei',
      'mod 97-10',
    ],
    [
      'plain http',
      'operators',
      'IPSO-SG',
      { endpointUrl: 'http://bank.example' },
      '/endpointUrl',
      'is not https',
    ],
    [
      'an operator that there is not',
      'clearing-systems',
      'SGDFAST',
      { operatorId: 'IPSO-XX' },
      '/operatorId',
      'IPSO-XX, which does not exist',
    ],
    [
      'overlapping memberships',
      'institutions',
      'DE-LOTU',
      {
        memberships: [
          { clearingSystemId: 'EURTIPS', memberId: 'LOTUDE01' },
          { clearingSystemId: 'EURTWO', memberId: 'A' },
        ],
      },
      '/memberships/1',
      'both serve DE in EUR',
    ],
    [
      'an account in a currency that nobody uses there',
      'settlement-accounts',
      'TH-HARB:LOTU-TH-THB',
      { currencyCode: 'SGD' },
      '/currencyCode',
      'no payment system serves TH in it',
    ],
    [
      'a fee above the largest payment',
      'fee-formulas',
      'SG:SGD',
      { creditorAgentFee: { nominalFeeAmount: '300000', percentageFee: '0' } },
      '/creditorAgentFee',
      'nothing could ever be credited',
    ],
    [
      'a client of a role that its institution has not',
      'clients',
      'LOTUSGS0',
      { role: 'fxp' },
      '/institutionId',
      'has not the role fxp',
    ],
  ])('%s', async (_what, kind, id, members, place, says) => {
    const document = { ...(await documentOf(kind, id)), ...members };
    const more =
      id === 'DE-LOTU'
        ? [
            {
              kind: 'clearing-systems',
              document: { ...(await documentOf('clearing-systems', 'EURTIPS')), clearingSystemId: 'EURTWO' },
            },
          ]
        : [];
    const { status, body } = await propose<Problem>([...more, { kind, document }]);
    expect([status, body.code]).toEqual([422, 'scheme-error']);
    const errors = JSON.stringify(body.errors);
    expect(errors).toContain(place);
    expect(errors).toContain(says);
  });

  it.each([
    ['by which everybody can sign', { kty: 'RSA', n: `${'_'.repeat(341)}w`, e: 'AQ' }, 'exponent 65537'],
    ['none', 'MCowBQYDK2VwAyEA', 'must be a JWK: an object'],
  ])('a public key that is no key of somebody: %s', async (_what, jwk, says) => {
    const publicKeys = [{ keyId: 'one', jwk, validFrom: '2026-01-01T00:00:00Z' }];
    const operator = await documentOf('operators', 'IPSO-SG');
    const { status, body } = await propose<Problem>([
      { kind: 'operators', document: { ...operator, publicKeys } },
    ]);
    expect([status, body.code]).toEqual([400, 'invalid-request']);
    const [error] = body.errors ?? [];
    expect(error).toMatchObject({ pointer: '/objects/0/document/publicKeys/0/jwk' });
    expect(error?.detail).toContain(says);
  });

  it('an institution that others refer to does not end before them', async () => {
    const { status, body } = await propose<Problem>([{ kind: 'institutions', ends: 'TH-HARB' }]);
    expect([status, body.code]).toEqual([422, 'scheme-error']);
    expect(JSON.stringify(body.errors)).toContain('TH-HARB, which does not exist, or ends by then');
  });

  it('warnings do not stop it: a corridor without account, a formula that eats small amounts', async () => {
    const meridian = await documentOf('institutions', 'SG-MERI');
    const access = (meridian['settlementAccess'] as { countryCode: string }[]).filter(
      (one) => one.countryCode !== 'TH',
    );
    const preview = { preview: true };
    const corridor = await propose(
      [{ kind: 'institutions', document: { ...meridian, settlementAccess: access } }],
      preview,
    );
    expect(JSON.stringify(corridor.body.findings)).toContain('SG-MERI has nominated no SAP in TH');
    const dear = {
      ...(await documentOf('fee-formulas', 'SG:SGD')),
      creditorAgentFee: { nominalFeeAmount: '5.00', percentageFee: '1' },
    };
    const fee = await propose([{ kind: 'fee-formulas', document: dear }], preview);
    expect(JSON.stringify(fee.body.findings)).toContain('leaves nothing of a payment below 5.06 SGD');
  });
});

describe('a client (ADM-4)', () => {
  const token = async (clientId: string, secret: string) =>
    (
      await api.request<{ access_token: string }>('/oauth/token', {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: clientId,
          client_secret: secret,
        }),
      })
    ).status;

  it('gets a secret that is shown once and counts when it is approved; the former one counts until its overlap is over', async () => {
    const made = await api.post<{ secret: string; change: Proposed }>(
      '/admin/clients/BANYSGS0/secrets',
      { because, overlapHours: 0 },
      'operator',
    );
    const { secret, change } = made.body;
    expect([secret.length, change.state]).toEqual([43, 'pending']);
    expect(change.objects[0]?.differences).toMatchObject([{ path: '/secrets/secretId=1', after: null }, {}]); // gone, and not ended now by our clock
    expect(JSON.stringify(change)).not.toContain('sha256:');
    expect([await token('BANYSGS0', secret), await token('BANYSGS0', 'demo-BANYSGS0')]).toEqual([401, 200]);
    await decide(change.changeId, 'approval', 'operator2');
    expect([await token('BANYSGS0', secret), await token('BANYSGS0', 'demo-BANYSGS0')]).toEqual([200, 401]);
    const everything = JSON.stringify([
      (await api.get('/admin/scheme', 'operator')).body,
      (await api.get('/admin/changes', 'operator')).body,
      await shown('clients', 'BANYSGS0'),
    ]);
    expect(everything).not.toContain(secret);
    expect(everything).not.toMatch(/sha256:/);
  });

  it('ends at once, by one operator: its tokens count no more within a second, in every process', async () => {
    const get = (one: RunningApi, path: string) => one.get(path, 'BANYMYS0').then(({ status }) => status);
    expect([await get(api, '/countries'), await get(other, '/countries')]).toEqual([200, 200]);
    const { body } = await propose([{ kind: 'clients', ends: 'BANYMYS0' }]);
    expect(body.state).toBe('applied');
    await expect
      .poll(async () => [await get(api, '/countries'), await get(other, '/countries')], { timeout: 10_000 })
      .toEqual([401, 401]);
    expect(await token('BANYMYS0', 'demo-BANYMYS0')).toBe(401);
    const { document, history } = await shown('clients', 'BANYMYS0');
    expect([document, history[0]]).toMatchObject([null, { state: 'applied', objects: [{ ends: true }] }]);
  });
});

describe('readiness (ADM-1)', () => {
  it('says of a party that is ready what there is, and of one that is not what to do', async () => {
    const ready = await api.get<{ isReady: boolean }>('/admin/readiness/SG-MERI', 'operator');
    expect(ready.body.isReady).toBe(true);
    const document = {
      institutionId: 'SG-NEWB',
      name: 'New Bank',
      countryCode: 'SG',
      onboarded: false,
      roles: ['psp'],
    };
    expect((await propose([{ kind: 'institutions', document }])).body.state).toBe('pending'); // has no BIC yet, but is new
    const system = await api.get<{ isReady: boolean; items: { item: string; isMet: boolean }[] }>(
      '/admin/readiness/SGDFAST',
      'operator',
    );
    expect(system.body.items.every(({ isMet }) => isMet)).toBe(true);
    expect((await api.get('/admin/readiness/NOBODY', 'operator')).status).toBe(404);
  });
});
