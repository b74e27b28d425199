// Requests of FX providers: new rates, so that quotes differ; rare improvements, which are always reset to the usual
// value; and rates that the rules refuse (FX-2 to FX-10).
import { insist } from '../paying.ts';
import type { Random } from '../random.ts';
import { corridors, drawRate, endOf, fxps, isRated, type Corridor } from '../scheme.ts';
import { isPassing, type Request } from '../sender.ts';
import type { Story } from '../tools.ts';

/** Name and JSON text of a member of a body. The load writes JSON itself, so that it can write faulty bodies. */
type Member = readonly [name: string, value: string];

const written = (members: readonly Member[]) =>
  `{${members.map(([name, value]) => `"${name}":${value}`).join(',')}}`;
const quoted = (text: string) => JSON.stringify(text);

function membersOf({ source, destination }: Corridor, rate: string): readonly Member[] {
  return [
    ['sourceCountry', quoted(source.country)],
    ['sourceCurrency', quoted(source.currency)],
    ['destinationCountry', quoted(destination.country)],
    ['destinationCurrency', quoted(destination.currency)],
    ['rate', quoted(rate)],
  ];
}

const post = (path: string, client: string, body: string) =>
  ({ client, method: 'POST', path, body, contentType: 'application/json' }) as const;

const answered = (rule: string) => ({ verdict: 'answered', rule }) as const;

const drawPath = (random: Random) => random.pick(['/api/v1/rates', '/rates/']);

function drawOffer(random: Random) {
  const fxp = random.pick(fxps);
  const corridor = random.pick(corridors.filter((one) => isRated(fxp, one)));
  return { fxp, corridor, body: written(membersOf(corridor, drawRate(random, corridor))) };
}

/**
 * With a key, the request may be repeated and counts once (FX-10). Without a key, a provider that gets no answer does
 * not repeat it.
 */
const newRate: Story = {
  name: 'rate',
  weight: 4,
  play: async (tools) => {
    const { random } = tools;
    const { fxp, body } = drawOffer(random);
    const [api, path, key, hasKey] = [
      random.integer(0, 7),
      drawPath(random),
      random.uuid(),
      random.chance(60),
    ];
    const expected = answered('FX-4');
    const request: Request = { api, ...post(path, fxp, body), purpose: 'rate', expected };
    if (!hasKey) {
      await tools.send(request);
      return;
    }
    const keyed = { ...request, headers: { 'idempotency-key': key } };
    await insist(tools, keyed, { purpose: 'rate-again', expected });
    await tools.send({ ...keyed, api: api + 1, purpose: 'rate-again' });
    const own = { api, client: fxp, method: 'GET', path: '/api/v1/rates' } as const;
    await tools.send({ ...own, purpose: 'rates-listed', expected: answered('FX-9') });
  },
};

/** Another body with an answered key is refused and changes nothing (FX-10). */
const reusedKey: Story = {
  name: 'rate/reused-key',
  weight: 0.3,
  play: async (tools) => {
    const { random } = tools;
    const { fxp, corridor, body } = drawOffer(random);
    const other = written(membersOf(corridor, '7.0000001'));
    const [api, key] = [random.integer(0, 7), random.uuid()];
    const headers = { 'idempotency-key': key };
    const request: Request = { api, ...post('/api/v1/rates', fxp, body), headers, purpose: 'rate' };
    const answer = await insist(tools, request, { purpose: 'rate-again' });
    if (answer.status !== 200) return;
    const expected = { verdict: 'refused', status: 422 } as const;
    await tools.send({ ...request, body: other, api: api + 1, purpose: 'rate/reused-key', expected });
  },
};

interface Refused {
  readonly name: string;
  readonly status: number;
  readonly client?: string;
  readonly corridor?: Corridor;
  readonly members?: (members: readonly Member[]) => readonly Member[];
}

const rated =
  (value: string) =>
  (members: readonly Member[]): readonly Member[] =>
    members.map(([name, old]) => [name, name === 'rate' ? value : old]);

const refusals: readonly Refused[] = [
  { name: 'member-twice', status: 400, members: (members) => [...members, ['rate', '"1"']] },
  { name: 'member-unknown', status: 400, members: (members) => [...members, ['canary', '"1"']] },
  { name: 'exponent', status: 400, members: rated('"1e3"') },
  { name: 'zero', status: 400, members: rated('"0.0"') },
  { name: 'number', status: 400, members: rated('1.5') },
  { name: 'twelve-digits', status: 400, members: rated('"1.00000000000"') },
  { name: 'by-a-psp', status: 403, client: 'LOTUSGS0' },
  { name: 'by-an-operator-of-a-system', status: 403, client: 'SGDFAST' },
  { name: 'same-currency', status: 422, corridor: { source: endOf('DE'), destination: endOf('FR') } },
  {
    name: 'not-set-up',
    status: 422,
    client: 'ZENIHKS0',
    corridor: { source: endOf('IN'), destination: endOf('ID') },
  },
  {
    name: 'sap-not-validated',
    status: 422,
    client: 'POLAJPS0',
    corridor: { source: endOf('SG'), destination: endOf('PH') },
  },
];

const refusedRate = ({ name, status, client = 'MERISGS0', corridor, members }: Refused): Story => ({
  name: `rate/${name}`,
  weight: 0.1,
  play: async (tools) => {
    const { random } = tools;
    const drawn = random.pick(corridors.filter((one) => isRated('MERISGS0', one)));
    const [api, path, rate] = [random.integer(0, 7), drawPath(random), drawRate(random, drawn)];
    const all = membersOf(corridor ?? drawn, rate);
    const body = written(members?.(all) ?? all);
    const expected = { verdict: 'refused', status } as const;
    await tools.send({ api, ...post(path, client, body), purpose: `rate/${name}`, expected });
  },
});

/** Changes an improvement for a while, then restores its usual value, even if the load ends first. */
const improvement = (
  name: string,
  path: string,
  usual: string,
  bodyWith: (points: string) => string,
): Story => ({
  name: `improvement/${name}`,
  weight: 0.2,
  play: async (tools) => {
    const { random } = tools;
    const [api, points, forMs] = [
      random.integer(0, 7),
      String(random.integer(1, 40)),
      random.integer(0, 20_000),
    ];
    const say = (value: string, turn: number): Request => ({
      api: api + turn,
      ...post(path, 'MERISGS0', bodyWith(value)),
      purpose: 'improvement',
      expected: answered('FX-6'),
    });
    await tools.send(say(points, 0));
    await tools.rest(forMs);
    let restored = await insist(tools, say(usual, 1), { purpose: 'improvement-again' });
    for (let turn = 2; isPassing(restored.status) && turn < 5; turn += 1) {
      restored = await insist(tools, say(usual, turn), { purpose: 'improvement-again' });
    }
  },
});

export const rateStories: readonly Story[] = [
  newRate,
  reusedKey,
  ...refusals.map(refusedRate),
  improvement('tier', '/api/v1/tier_improvements', '10', (points) =>
    written([
      ['unitCurrency', quoted('SGD')],
      ['threshold', quoted('1000')],
      ['improvementBasisPoints', quoted(points)],
    ]),
  ),
  improvement('psp', '/improvements/psps/', '5', (points) =>
    written([
      ['pspIdType', quoted('BICFI')],
      ['pspId', quoted('BANYSGS0')],
      ['improvementBasisPoints', quoted(points)],
    ]),
  ),
];
