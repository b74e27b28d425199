// Requests to resolve a proxy or to confirm an account (acmt.023): found, refused for each reason of the sandbox, never
// answered, repeated, or in another's name (RES-1 to RES-5). An answer from a directory or a creditor agent may always
// become false AB08, if it comes too late. A decision of the gateway before it asks anyone may not.
import { buildAcmt023, type OriginalAcmt023 } from '../../../fixtures/acmt023.ts';
import { ibanOf } from '../../../fixtures/iban.ts';
import type { Expected } from '../../oracle/evidence.ts';
import { swap } from '../edits.ts';
import { drawAccount, drawName } from '../people.ts';
import { insist } from '../paying.ts';
import type { Random } from '../random.ts';
import { ends, pspsOf, type End } from '../scheme.ts';
import type { Answer, Request } from '../sender.ts';
import type { Story, Tools } from '../tools.ts';

/** The content of a request, apart from sender and receiver. */
type Question = Pick<OriginalAcmt023, 'account'> & Partial<OriginalAcmt023>;

interface Row {
  readonly name: string;
  readonly weight?: number;
  readonly expected: Expected;
  readonly asks: (random: Random, canaries: readonly string[]) => Question;
  readonly edit?: (xml: string, submitter: End) => string;
}

const found: Expected = { verdict: 'accepted', orCodes: ['AB08'] };
const refusedBy = (code: string): Expected => ({ verdict: 'accepted', orCodes: [code, 'AB08'] });
const refused = (code: string): Expected => ({ verdict: 'rejected', code });

const withDirectory = ['SG', 'MY', 'TH', 'IN', 'ID'];
const countries = [...new Set(ends.map(({ country }) => country))];

/** An account at Lotus, which answers itself. */
const account =
  (ending?: string) =>
  (random: Random, canaries: readonly string[]): Question => {
    const country = random.pick(countries);
    const number = drawAccount(random, canaries, ending ?? `00${random.digits(2)}`);
    const creditorAgent = { bicfi: `LOTU${country}S0` };
    return { destinationCountry: country, creditorAgent, account: { otherId: number } };
  };

/** A proxy, for the directory of its country. @param holder digit that selects the agent; 0: Lotus */
const proxy =
  (ending?: string, holder = '0') =>
  (random: Random, canaries: readonly string[]): Question => {
    // holder 2 has no BIC in MY
    const country = random.pick(withDirectory.filter((one) => holder !== '2' || one !== 'MY'));
    const digits = `${random.digits(3)}${holder}${ending ?? `00${random.digits(2)}`}`;
    const isMobile = random.chance(60) || !['IN', 'ID'].includes(country);
    const id = isMobile ? `+65${digits}` : `${random.pick(canaries)}.${digits}@example.org`;
    return { destinationCountry: country, account: { proxy: { type: isMobile ? 'MBNO' : 'EMAL', id } } };
  };

const ofAgent =
  (prefix: string, country = 'TH') =>
  (random: Random, canaries: readonly string[]): Question => ({
    ...account()(random, canaries),
    destinationCountry: country,
    creditorAgent: { bicfi: `${prefix}S0` },
  });

/** Reasons of the simulated parties, by the last four digits (docs/reference/sandbox.md). */
const reasons = [
  ['0401', 'AC01'],
  ['0402', 'AC04'],
  ['0403', 'AC06'],
  ['0404', 'BE23'],
  ['0405', 'FRAD'],
  ['0406', 'MD07'],
  ['0410', 'RR01'],
  ['0411', 'RR02'],
  ['0412', 'RC06'],
  ['0413', 'RC07'],
  ['0414', 'AGNT'],
  ['0415', 'AB08'],
  ['0416', 'DUPL'],
  ['0417', 'MS03'],
] as const;

const rows: readonly Row[] = [
  { name: 'account', weight: 3, expected: found, asks: account() },
  { name: 'proxy', weight: 3, expected: found, asks: proxy() },
  { name: 'proxy-at-banyan', expected: found, asks: proxy(undefined, '1') },
  {
    name: 'proxy-in-ph',
    expected: found,
    asks: (random) => ({
      destinationCountry: 'PH',
      creditorAgent: { bicfi: 'BANYPHS0' },
      account: { proxy: { type: 'MBNO', id: `+63${random.digits(4)}0001` } },
    }),
  },
  {
    name: 'iban',
    expected: found,
    asks: (random) => ({
      destinationCountry: 'DE',
      creditorAgent: { bicfi: random.pick(['LOTUDES0', 'LOTUDES0BER']) },
      account: { iban: ibanOf('DE', random.digits(14), '0001') },
    }),
  },
  { name: 'slow', expected: found, asks: account('0407') },
  { name: 'slow-directory', expected: found, asks: proxy('0407') },
  { name: 'silent', weight: 0.7, expected: refused('AB08'), asks: account('0408') },
  { name: 'silent-directory', weight: 0.3, expected: refused('AB08'), asks: proxy('0408') },
  ...reasons.flatMap(([digits, code]): Row[] => [
    { name: `account-${code}`, weight: 0.1, expected: refusedBy(code), asks: account(digits) },
    { name: `proxy-${code}`, weight: 0.1, expected: refusedBy(code), asks: proxy(digits) },
  ]),
  { name: 'holder-not-onboarded', weight: 0.6, expected: refusedBy('AGNT'), asks: proxy(undefined, '2') },
  { name: 'holder-unknown', weight: 0.4, expected: refusedBy('RC07'), asks: proxy(undefined, '3') },
  { name: 'not-supported', weight: 0.3, expected: refused('AB08'), asks: ofAgent('BANYTH') },
  { name: 'not-onboarded', weight: 0.2, expected: refused('AGNT'), asks: ofAgent('FERNTH') },
  { name: 'unknown-agent', weight: 0.2, expected: refused('RC07'), asks: ofAgent('NONETH') },
  { name: 'agent-elsewhere', weight: 0.2, expected: refused('RC07'), asks: ofAgent('LOTUMY') },
  { name: 'no-such-country', weight: 0.2, expected: refused('AGNT'), asks: ofAgent('LOTUTH', 'XX') },
  {
    name: 'no-directory',
    weight: 0.2,
    expected: refused('BE23'),
    asks: (random, canaries) => ({ ...proxy()(random, canaries), destinationCountry: 'FR' }),
  },
  {
    name: 'no-country',
    weight: 0.2,
    expected: refused('CH21'),
    asks: account(),
    edit: swap(/<PstlAdr>.*?<\/PstlAdr>/, ''),
  },
  {
    name: 'impossible-date',
    weight: 0.2,
    expected: refused('FF01'),
    asks: account(),
    edit: swap(/<CreDtTm>[^<]*/, '<CreDtTm>2026-02-30T00:00:00Z'),
  },
  {
    name: 'in-anothers-name',
    weight: 1,
    expected: refused('AGNT'),
    asks: account(),
    edit: (xml, { country }) =>
      swap(/<Assgnr>.*?<\/Assgnr>/, assignerOf(country === 'TH' ? 'SG' : 'TH'))(xml),
  },
  {
    name: 'first-agent-of-another',
    weight: 0.5,
    expected: refused('AGNT'),
    asks: proxy(),
    edit: swap(
      /<FrstAgt>.*?<\/FrstAgt>/,
      '<FrstAgt><FinInstnId><BICFI>MERISGS0</BICFI></FinInstnId></FrstAgt>',
    ),
  },
];

function assignerOf(country: string): string {
  return `<Assgnr><Agt><FinInstnId><BICFI>LOTU${country}S0</BICFI></FinInstnId></Agt></Assgnr>`;
}

interface Request023 {
  readonly request: Request;
  /** The same request with other values. */
  readonly rewrite: (changes: Partial<OriginalAcmt023>) => string;
}

function draw(tools: Tools, row: Row): Request023 & { end: End } {
  const { random, canaries } = tools;
  const end = random.pick(ends);
  const messageId = `ASK${random.hex(28)}`;
  const [api, verificationId, psp] = [
    random.integer(0, 7),
    `V-${random.hex(6)}`,
    random.pick(pspsOf(end.country)),
  ];
  const values = {
    messageIdentification: messageId,
    verificationId,
    destinationCountry: 'TH',
    assigner: { bicfi: psp },
    partyName: drawName(random, canaries),
    ...row.asks(random, canaries),
  };
  const rewrite = (changes: Partial<OriginalAcmt023>) => {
    const creationDateTime = new Date(tools.now()).toISOString();
    const xml = buildAcmt023({ ...values, creationDateTime, ...changes });
    return row.edit?.(xml, end) ?? xml;
  };
  return { end, rewrite, request: requestOf(tools, { end, api, messageId, body: rewrite({}), row }) };
}

function requestOf(
  tools: Tools,
  about: { readonly end: End; api: number; messageId: string; body: string; row: Row },
): Request {
  const { end, api, messageId, body, row } = about;
  const address = tools.callbackUrl(end.system, 'acmt024', 'usual');
  return {
    api,
    client: end.system,
    method: 'POST',
    path: `/iso20022/acmt023?acmt024Endpoint=${encodeURIComponent(address)}`,
    purpose: 'resolution',
    body,
    messageId,
    expected: row.expected,
  };
}

const ask = (tools: Tools, request: Request): Promise<Answer> =>
  insist(tools, request, {
    purpose: 'resolution-again',
    ...(request.expected === undefined ? {} : { expected: request.expected }),
  });

const storyOf = (row: Row): Story => ({
  name: `resolution/${row.name}`,
  weight: 0.4 * (row.weight ?? 1),
  play: async (tools) => {
    const { request, end } = draw(tools, row);
    await tools.ready(end.system);
    await ask(tools, request);
  },
});

const ordinary: Row = { name: 'ordinary', expected: found, asks: proxy() };

/** Repeats the same bytes, concurrently and after the answer: one resolution, one answer (DUP-1). */
const repeats: Story = {
  name: 'resolution/repeats',
  weight: 0.8,
  play: async (tools) => {
    const { random } = tools;
    const [count, afterMs] = [random.integer(2, 6), random.integer(0, 30_000)];
    const { request, end } = draw(tools, ordinary);
    await tools.ready(end.system);
    const repeat = { ...request, purpose: 'resolution-repeat' };
    const others = Array.from({ length: count }, (_, index) => ({ ...repeat, api: request.api + index + 1 }));
    await Promise.all([ask(tools, request), ...others.map((one) => tools.send(one))]);
    if (await tools.rest(afterMs)) await tools.send(repeat);
  },
};

/** The same MsgId for another question after the first is answered: refused in the HTTP answer only (DUP-2). */
const otherContent: Story = {
  name: 'resolution/other-content',
  weight: 0.4,
  play: async (tools) => {
    const other = { proxy: { type: 'MBNO', id: `+65${tools.random.digits(8)}` } };
    const { request, end, rewrite } = draw(tools, ordinary);
    await tools.ready(end.system);
    const answer = await ask(tools, request);
    if (answer.status !== 200 || !(await tools.rest(0))) return;
    const body = rewrite({ account: other });
    const expected = { verdict: 'rejected', code: 'DUPL' } as const;
    const purpose = 'resolution-other-content';
    await tools.send({ ...request, api: request.api + 1, body, purpose, expected });
  },
};

/** Requests that must be refused by HTTP, before they become messages (MSG-2, SEC-1, SEC-2). */
const hostile = [
  { name: 'namespace', status: 400, edit: swap('acmt.023.001.04', 'acmt.023.001.03') },
  { name: 'no-key', status: 400, edit: swap(/<MsgId>.*?<\/MsgId>/, '') },
  {
    name: 'stranger',
    status: 422,
    path: '/iso20022/acmt023?acmt024Endpoint=https%3A%2F%2Fcanary.example%2Fa',
  },
  { name: 'token-of-a-psp', status: 403, client: 'LOTUSGS0' },
].map(({ name, status, edit, ...changes }): Story => ({
  name: `resolution/hostile-${name}`,
  weight: 0.1,
  play: async (tools) => {
    const row = { ...ordinary, ...(edit === undefined ? {} : { edit }) };
    const { request, end } = draw(tools, row);
    await tools.ready(end.system);
    const expected = { verdict: 'refused', status } as const;
    await tools.send({ ...request, expected, purpose: `hostile/resolution-${name}`, ...changes });
  },
}));

export const resolutionStories: readonly Story[] = [...rows.map(storyOf), repeats, otherContent, ...hostile];
