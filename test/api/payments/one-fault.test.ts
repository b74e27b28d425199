// One fault leads to one violation: the test spoils each element of a valid pacs.008 alone (MSG-14). Checks that the
// fault prevents are named, with the reason.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { validateRoutes } from '../../../api/payments/dry-run.ts';
import { createLibxml2Engine } from '../../../xml/libxml2.ts';
import { testDatabase } from '../../harness/database.ts';
import { lotus, readFixture } from '../../xml/fixtures.ts';
import { edit } from '../../harness/patches.ts';
import { fresh, told, type DryRun } from './dry-run.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';

const database = await testDatabase();
let api: RunningApi;
let token: string;
beforeAll(async () => {
  api = await startApi(database.url, { modules: [validateRoutes(createLibxml2Engine())] });
  token = await api.token('SGDFAST');
});
afterAll(() => api.close());

async function dryRun(body: string): Promise<DryRun> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/xml' };
  const answer = await api.request<DryRun>('/iso20022/validate', { method: 'POST', headers, body });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

const own = readFixture('pacs008', 'sg-th-own-fx.xml').toString();
const full = readFixture('pacs008', 'sg-th-full.xml').toString();
/** Without the currencies that `AgrdRate` may leave out. */
const bare = edit(edit(lotus, /<UnitCcy>SGD<\/UnitCcy>\s*/, ''), /<QtdCcy>THB<\/QtdCcy>\s*/, '');

/** Where a value stands, as a pattern that keeps what is before it; each base has it once. */
const places = {
  'IntrBkSttlmAmt/@Ccy': /(<IntrBkSttlmAmt Ccy=")SGD/,
  'InstdAmt/@Ccy': /(<InstdAmt Ccy=")SGD/,
  'ChrgsInf[1]/Amt/@Ccy': /(<ChrgsInf>\s*<Amt Ccy=")SGD/,
  'ChrgsInf[2]/Amt/@Ccy': /(<ChrgsInf>\s*<Amt Ccy=")THB/,
  UnitCcy: /(<UnitCcy>)SGD/,
  QtdCcy: /(<QtdCcy>)THB/,
  IntrBkSttlmAmt: /(<IntrBkSttlmAmt Ccy="SGD">)[\d.]+/,
  InstdAmt: /(<InstdAmt Ccy="SGD">)[\d.]+/,
  'ChrgsInf[1]/Amt': /(<ChrgsInf>\s*<Amt Ccy="SGD">)[\d.]+/,
  'ChrgsInf[2]/Amt': /(<ChrgsInf>\s*<Amt Ccy="THB">)[\d.]+/,
  PreAgrdXchgRate: /(<PreAgrdXchgRate>)[\d.]+/,
  QtId: /(<QtId>)[^<]*/,
  ClrSys: /(<ClrSys>\s*<Prtry>)SGDFAST/,
  DbtrAgt: /(<DbtrAgt>\s*<FinInstnId>\s*<BICFI>)\w+/,
  CdtrAgt: /(<CdtrAgt>\s*<FinInstnId>\s*<BICFI>)\w+/,
  'ChrgsInf[1]/Agt': /(<Amt Ccy="SGD">[\d.]+<\/Amt>\s*<Agt>\s*<FinInstnId>\s*<BICFI>)\w+/,
  'ChrgsInf[2]/Agt': /(<Amt Ccy="THB">[\d.]+<\/Amt>\s*<Agt>\s*<FinInstnId>\s*<BICFI>)\w+/,
  OwnAccount: /(<IntrmyAgt2Acct>\s*<Id>\s*<Othr>\s*<Id>)[^<]+/,
  CtgyPurp: /(<CtgyPurp>\s*<Cd>)\w+/,
} as const;
type Place = keyof typeof places;

const tx = 'CdtTrfTxInf';
const wrongCurrency = (path: string) => `CURR MSG-4 ${tx}/${path}`;
/**
 * In which currency an amount stands instead: of another country, with fewer decimals, of no service, of the other
 * side.
 */
const currencies = ['MYR', 'JPY', 'XXY'] as const;
const currencyPlaces = [
  ['IntrBkSttlmAmt/@Ccy', 'IntrBkSttlmAmt'],
  ['InstdAmt/@Ccy', 'InstdAmt'],
  ['ChrgsInf[1]/Amt/@Ccy', 'ChrgsInf[1]/Amt'],
  ['ChrgsInf[2]/Amt/@Ccy', 'ChrgsInf[2]/Amt'],
  ['UnitCcy', 'AgrdRate/UnitCcy'],
  ['QtdCcy', 'AgrdRate/QtdCcy'],
] as const;

interface Spoiled {
  readonly base?: string;
  readonly place: Place;
  readonly value: string;
  readonly tells: string;
}

const spoiled: readonly Spoiled[] = [
  ...currencyPlaces.flatMap(([place, path]) =>
    currencies.map((value) => ({ place, value, tells: wrongCurrency(path) })),
  ),
  { place: 'IntrBkSttlmAmt/@Ccy', value: 'THB', tells: wrongCurrency('IntrBkSttlmAmt') },
  { place: 'UnitCcy', value: 'THB', tells: wrongCurrency('AgrdRate/UnitCcy') },
  { place: 'QtdCcy', value: 'SGD', tells: wrongCurrency('AgrdRate/QtdCcy') },
  { place: 'ChrgsInf[1]/Amt/@Ccy', value: 'THB', tells: wrongCurrency('ChrgsInf[1]/Amt') },
  { place: 'ChrgsInf[2]/Amt/@Ccy', value: 'SGD', tells: wrongCurrency('ChrgsInf[2]/Amt') },
  { base: bare, place: 'IntrBkSttlmAmt/@Ccy', value: 'MYR', tells: wrongCurrency('IntrBkSttlmAmt') },
  { base: bare, place: 'InstdAmt/@Ccy', value: 'XXY', tells: wrongCurrency('InstdAmt') },
  { base: bare, place: 'ChrgsInf[1]/Amt/@Ccy', value: 'JPY', tells: wrongCurrency('ChrgsInf[1]/Amt') },
  { base: bare, place: 'ChrgsInf[2]/Amt/@Ccy', value: 'XXY', tells: wrongCurrency('ChrgsInf[2]/Amt') },
  { base: own, place: 'QtdCcy', value: 'XXY', tells: wrongCurrency('AgrdRate/QtdCcy') },
  { base: own, place: 'IntrBkSttlmAmt/@Ccy', value: 'JPY', tells: wrongCurrency('IntrBkSttlmAmt') },
  ...(['IntrBkSttlmAmt', 'InstdAmt', 'ChrgsInf[1]/Amt', 'ChrgsInf[2]/Amt'] as const).flatMap((place) => [
    { place, value: '1.001', tells: `CH20 MON-2 ${tx}/${place}` },
    { place, value: '1.0000001', tells: `CH20 MSG-4 ${tx}/${place}` },
    { place, value: '1,5', tells: `FF01 MSG-4 ${tx}/${place}` },
    ...(place === 'ChrgsInf[1]/Amt' ? [] : [{ place, value: '0', tells: `FF01 MSG-4 ${tx}/${place}` }]),
  ]),
  { base: own, place: 'IntrBkSttlmAmt', value: '0', tells: `FF01 MSG-4 ${tx}/IntrBkSttlmAmt` },
  { base: own, place: 'IntrBkSttlmAmt', value: '1.001', tells: `CH20 MON-2 ${tx}/IntrBkSttlmAmt` },
  { base: own, place: 'ChrgsInf[2]/Amt', value: '0', tells: `FF01 MSG-4 ${tx}/ChrgsInf[2]/Amt` },
  { base: own, place: 'ChrgsInf[2]/Amt', value: '99.51', tells: `AM09 PAY-5 ${tx}/ChrgsInf[2]/Amt` },
  { place: 'PreAgrdXchgRate', value: '0', tells: `FF01 MSG-4 ${tx}/AgrdRate/PreAgrdXchgRate` },
  { place: 'PreAgrdXchgRate', value: '25.0000000000', tells: `FF01 MON-1 ${tx}/AgrdRate/PreAgrdXchgRate` },
  { place: 'QtId', value: 'no quote', tells: `FF01 MSG-4 ${tx}/AgrdRate/QtId` },
  { place: 'ClrSys', value: 'MYRRPP', tells: 'AGNT MSG-5 GrpHdr/SttlmInf/ClrSys/Prtry' },
  // nobody; a PSP of another country; an agent that is no PSP; one that is not onboarded
  { place: 'DbtrAgt', value: 'NOBASGS0', tells: `AGNT PAY-6 ${tx}/DbtrAgt` },
  { place: 'DbtrAgt', value: 'HARBSGS0', tells: `AGNT PAY-6 ${tx}/DbtrAgt` },
  { place: 'CdtrAgt', value: 'NOBATHS0', tells: `RC07 PAY-6 ${tx}/CdtrAgt` },
  { place: 'CdtrAgt', value: 'FERNTHS0', tells: `AGNT PAY-6 ${tx}/CdtrAgt` },
  // which of two good PSPs is meant nobody can know: they differ, and that is told once
  { place: 'DbtrAgt', value: 'BANYSGS0', tells: `FF01 MSG-6 ${tx}/ChrgsInf[1]/Agt` },
  { place: 'CtgyPurp', value: 'ZZZZ', tells: `FF01 MSG-4 ${tx}/PmtTpInf/CtgyPurp/Cd` },
];

const nameOf = (base?: string) =>
  base === own ? ' without a quote' : base === bare ? ' of a bare rate' : '';

describe('one fault in, one fault told (MSG-14)', () => {
  test.each(spoiled.map((one) => [`${one.place} = ${one.value}${nameOf(one.base)}`, one] as const))(
    '%s',
    async (_, { base = lotus, place, value, tells }) => {
      const xml = edit(fresh(base), places[place], `$1${value}`);
      expect(told(await dryRun(xml))).toEqual([tells]);
    },
  );

  test('an amount of the regulators in a currency of no service', async () => {
    const xml = edit(fresh(full), '"THB">25000.00', '"XXY">25000.00');
    expect(told(await dryRun(xml))).toEqual([`CURR MSG-4 ${tx}/RgltryRptg[1]/Dtls[1]/Amt`]);
  });
});

describe('several faults in, each of them told at once (MSG-14)', () => {
  const spoil = (base: string, faults: Readonly<Partial<Record<Place, string>>>) =>
    Object.entries(faults).reduce(
      (xml, [place, value]) => edit(xml, places[place as Place], `$1${value}`),
      fresh(base),
    );
  const account = `RC11 PAY-5 ${tx}/IntrmyAgt2Acct`;
  const fee = `AM09 PAY-5 ${tx}/ChrgsInf[2]/Amt`;
  const maximum = `AM02 PAY-6 ${tx}/IntrBkSttlmAmt`;
  const ofAnother = { OwnAccount: 'MERI-TH-THB' } as const;

  test('without a quote: the account, the fee and the maximum (PAY-5, PAY-6)', async () => {
    const run = await dryRun(
      spoil(own, { ...ofAnother, IntrBkSttlmAmt: '90000', 'ChrgsInf[2]/Amt': '1', CtgyPurp: 'ZZZZ' }),
    );
    expect(told(run)).toEqual([`FF01 MSG-4 ${tx}/PmtTpInf/CtgyPurp/Cd`, account, fee, maximum]);
    expect(run.notJudged.filter(({ ruleId }) => /PAY-[456]|FEE/.test(ruleId))).toEqual([]);
  });

  test('without a quote: a source amount that does not lead to InstdAmt, and a wrong fee (FEE-7)', async () => {
    const credits = edit(fresh(own), '<AgrdRate>', '<InstdAmt Ccy="THB">24880</InstdAmt><AgrdRate>');
    expect(told(await dryRun(credits))).toEqual([`AM09 FEE-7 ${tx}/IntrBkSttlmAmt`, fee]);
  });

  test('without a quote: an amount from which the fee leaves nothing is told beside a wrong fee (FEE-5)', async () => {
    expect(told(await dryRun(spoil(own, { IntrBkSttlmAmt: '1' })))).toEqual([
      fee,
      `AM06 FEE-5 ${tx}/IntrBkSttlmAmt`,
    ]);
  });

  test.each<[string, Partial<Record<Place, string>>, readonly string[], readonly string[]]>([
    [
      'an amount that the schema refuses',
      { ...ofAnother, IntrBkSttlmAmt: '1,000' },
      [`FF01 MSG-4 ${tx}/IntrBkSttlmAmt`, account],
      [
        'FEE-7 source amount',
        'PAY-5 creditor agent fee',
        'FEE-5 what is left after the fee',
        'PAY-6 destination maximum',
      ],
    ],
    [
      'a fee of zero',
      { ...ofAnother, IntrBkSttlmAmt: '90000', 'ChrgsInf[2]/Amt': '0' },
      [`FF01 MSG-4 ${tx}/ChrgsInf[2]/Amt`, account, maximum],
      ['PAY-5 creditor agent fee'],
    ],
    [
      'a creditor agent that nobody knows',
      { CdtrAgt: 'NOBATHS0', ...ofAnother, 'ChrgsInf[2]/Amt': '1' },
      [`RC07 PAY-6 ${tx}/CdtrAgt`],
      [
        'PAY-5 own account',
        'FEE-7 source amount',
        'PAY-5 creditor agent fee',
        'FEE-5 what is left after the fee',
        'PAY-6 destination maximum',
      ],
    ],
  ])(
    'without a quote, %s: what it keeps from being judged is named, all else is told',
    async (_, faults, tells, names) => {
      const run = await dryRun(spoil(own, faults));
      expect(told(run)).toEqual(tells);
      expect(
        run.notJudged
          .filter(({ ruleId }) => /PAY-[56]|FEE/.test(ruleId))
          .map(({ name, ruleId }) => `${ruleId} ${name}`),
      ).toEqual(names);
    },
  );

  test('with a quote, which is not read: intermediary agents that nobody knows are those of no quote (PAY-4)', async () => {
    const xml = edit(
      spoil(lotus, { CtgyPurp: 'ZZZZ' }),
      /(<IntrmyAgt1>\s*<FinInstnId>\s*<BICFI>)\w+([^]*<IntrmyAgt2>\s*<FinInstnId>\s*<BICFI>)\w+/,
      '$1NOBASGS0$2NOBATHS0',
    );
    expect(told(await dryRun(xml))).toEqual([
      `FF01 MSG-4 ${tx}/PmtTpInf/CtgyPurp/Cd`,
      `RC11 PAY-4 ${tx}/IntrmyAgt1`,
      `RC11 PAY-4 ${tx}/IntrmyAgt2`,
    ]);
  });
});

describe('what could not be judged because of another fault is named, with that reason (MSG-14)', () => {
  const reasons = async (place: Place, value: string) => {
    const { notJudged } = await dryRun(edit(fresh(lotus), places[place], `$1${value}`));
    return notJudged.map(({ name, reason }) => `${name}: ${reason}`);
  };

  test('charges beside an agent that is none', async () => {
    expect(await reasons('DbtrAgt', 'NOBASGS0')).toContain(
      `agent of the source PSP fee: It is checked against ${tx}/DbtrAgt, which is itself refused.`,
    );
    expect(await reasons('CdtrAgt', 'NOBATHS0')).toEqual(
      expect.arrayContaining([
        `agent of the creditor agent fee: It is checked against ${tx}/CdtrAgt, which is itself refused.`,
        `currencies of the destination: It is checked against ${tx}/CdtrAgt, which is itself refused.`,
        `what the destination country requires: It is checked against ${tx}/CdtrAgt, which is itself refused.`,
      ]),
    );
  });
});

describe('an element that is missing is told with what belongs there (MSG-13)', () => {
  const explained = async (body: string) =>
    (await dryRun(body)).violations.map(({ explanation }) => explanation);

  test('neither a quote nor an own account (PAY-5)', async () => {
    const none = edit(fresh(own), /<IntrmyAgt2>[^]*<\/IntrmyAgt2Acct>/, '');
    expect(await explained(none)).toEqual([
      `PAY-5 ${tx}/IntrmyAgt2Acct: neither a quote nor an own account (RC11, wrong place or count). Found: nothing. Expected: AgrdRate/QtId of a quote, or IntrmyAgt2 with an account of your own.`,
    ]);
    const halves = [/<IntrmyAgt2>[^]*<\/IntrmyAgt2>/, /<IntrmyAgt2Acct>[^]*<\/IntrmyAgt2Acct>/];
    for (const half of halves) {
      expect((await explained(edit(fresh(own), half, '')))[0]).toMatch(/Found: only IntrmyAgt2(Acct)?\./);
    }
  });

  test('both charges, or the second: which two they are; no currency of an absent element is wrong (MSG-6)', async () => {
    const charges = /<ChrgsInf>[^]*<\/ChrgsInf>/;
    const which =
      "Two: first the source PSP's fee in source currency, which may be 0, then the creditor agent's in destination currency";
    const without = await dryRun(edit(fresh(lotus), charges, ''));
    expect(without.violations.map(({ explanation }) => explanation)).toEqual([
      expect.stringMatching(`ChrgsInf\\[1\\]: .* Found: nothing\\. Expected: ${which}`),
    ]);
    expect(without.notJudged.filter(({ reason }) => /currency is wrong/.test(reason))).toEqual([]);
    const [first = ''] = /<ChrgsInf>[^]*?<\/ChrgsInf>/.exec(lotus) ?? [];
    const one = await dryRun(edit(fresh(lotus), charges, first));
    expect(one.violations.map(({ explanation }) => explanation)).toEqual([
      expect.stringMatching(`ChrgsInf\\[2\\]: .* Found: 1 of them\\. Expected: ${which}`),
    ]);
    expect(one.notJudged.filter(({ reason }) => /currency is wrong/.test(reason))).toEqual([]);
  });
});
