// Payments through the corridors where something is different: no decimals, two currencies, IBAN, an exchange of one's
// own, a SAP as PSP, a PSP without BIC. And over all of them: what every party saw adds up.
import { describe, expect, test } from 'vitest';
import type { OriginalPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { readFxtr017, type Fxtr017 } from '../../core/iso20022/fxtr017.ts';
import { readForwardedPacs008, type Pacs008 } from '../../core/iso20022/pacs008.ts';
import type { AgentIdentification } from '../../core/iso20022/parties.ts';
import { sum } from './sums.ts';
import { distinct, evidenceOf, expectSoundMessages } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import type { QuoteOnOffer } from '../../fixtures/bodies.ts';
import { endingIn } from '../../fixtures/endings.ts';
import { instruction, ownExchange } from '../../fixtures/instruction.ts';
import { bestQuote, parsePacs002, submit, type Trip } from '../harness/payer.ts';
import { validTree } from '../xml/fixtures.ts';

const gateway = await testGateway({
  prepare: async (db) => {
    // the one PSP without BIC of the demo is not onboarded there
    await db
      .updateTable('institutions')
      .set({ onboarded: true })
      .where('institution_id', '=', 'MY-FERN')
      .execute();
  },
});
const evidence = evidenceOf(gateway);

/** Zenith has no tiers: its rate is what is posted, and best when it is far above the others'. */
async function postRate(trip: Required<Omit<Trip, 'amount' | 'psp'>>, rate: string): Promise<void> {
  const response = await fetch(`${gateway.url}/api/v1/rates`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await gateway.token('ZENIHKS0')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      sourceCountry: trip.source,
      sourceCurrency: trip.sourceCurrency,
      destinationCountry: trip.destination,
      destinationCurrency: trip.destinationCurrency,
      rate,
    }),
  });
  expect(response.status, await response.text()).toBe(200);
}

interface Corridor {
  readonly title: string;
  readonly trip: Required<Omit<Trip, 'psp'>> & Pick<Trip, 'psp'>;
  readonly rate: string;
  readonly sourceSystem: string;
  readonly destinationSystem: string;
  readonly creditorAgent: AgentIdentification;
  readonly changes?: Partial<OriginalPacs008>;
  /** Source amount, destination amount, creditor agent fee, credited, scheme fee. */
  readonly figures: readonly [string, string, string, string, number];
  readonly saps: readonly [string, string];
  readonly accounts: readonly [string, string];
}

const corridors: readonly Corridor[] = [
  {
    title: 'JP to ID: no decimals on either side; 10,000 JPY at 200 are 2,000,000 IDR, fee 6,500 + 0.1 %',
    trip: {
      source: 'JP',
      sourceCurrency: 'JPY',
      destination: 'ID',
      destinationCurrency: 'IDR',
      amount: '10000',
    },
    rate: '200',
    sourceSystem: 'JPYZGIN',
    destinationSystem: 'IDRBFAST',
    creditorAgent: { bicfi: 'LOTUIDS0' },
    figures: ['10000', '2000000', '8500', '1991500', 60],
    saps: ['HARBJPS0', 'HARBIDS0'],
    accounts: ['ZENI-JP-JPY', 'ZENI-ID-IDR'],
  },
  {
    title: 'SG to HK in CNY: the second currency of the country; 100 SGD at 6 are 600 CNY, fee 4 + 0.1 %',
    trip: {
      source: 'SG',
      sourceCurrency: 'SGD',
      destination: 'HK',
      destinationCurrency: 'CNY',
      amount: '100',
    },
    rate: '6',
    sourceSystem: 'SGDFAST',
    destinationSystem: 'CNYFPS',
    creditorAgent: { bicfi: 'LOTUHKS0' },
    figures: ['100', '600', '4.6', '595.4', 0.6],
    saps: ['HARBSGS0', 'HARBHKS0'],
    accounts: ['ZENI-SG-SGD', 'ZENI-HK-CNY'],
  },
  {
    title:
      'SG to DE: an IBAN, a BIC11, and no purpose at all; 1,000 SGD at 0.9 are 900 EUR, fee 0.50 + 0.05 %',
    trip: {
      source: 'SG',
      sourceCurrency: 'SGD',
      destination: 'DE',
      destinationCurrency: 'EUR',
      amount: '1000',
    },
    rate: '0.9',
    sourceSystem: 'SGDFAST',
    destinationSystem: 'EURTIPS',
    creditorAgent: { bicfi: 'LOTUDES0BER' },
    changes: { creditorAccount: { iban: 'DE89370400440532013000' } },
    figures: ['1000', '900', '0.95', '899.05', 1.5],
    saps: ['HARBSGS0', 'HARBDES0'],
    accounts: ['ZENI-SG-SGD', 'ZENI-DE-EUR'],
  },
  {
    title: 'JP to SG by a PSP that is its own SAP; 100,000 JPY at 0.01 are 1,000 SGD, fee 0.50 + 0.1 %',
    trip: {
      source: 'JP',
      sourceCurrency: 'JPY',
      destination: 'SG',
      destinationCurrency: 'SGD',
      amount: '100000',
      psp: 'HARBJPS0',
    },
    rate: '0.01',
    sourceSystem: 'JPYZGIN',
    destinationSystem: 'SGDFAST',
    creditorAgent: { bicfi: 'LOTUSGS0' },
    figures: ['100000', '1000', '1.5', '998.5', 150],
    saps: ['HARBJPS0', 'HARBSGS0'],
    accounts: ['ZENI-JP-JPY', 'ZENI-SG-SGD'],
  },
  {
    title:
      'SG to MY, to a PSP without BIC, named by its member id; 250 SGD at 4 are 1,000 MYR, fee 2.22 + 0.1 %',
    trip: {
      source: 'SG',
      sourceCurrency: 'SGD',
      destination: 'MY',
      destinationCurrency: 'MYR',
      amount: '250',
    },
    rate: '4',
    sourceSystem: 'SGDFAST',
    destinationSystem: 'MYRRPP',
    creditorAgent: { memberId: { clearingSystemId: 'MYRRPP', memberId: 'FERNMY01' } },
    figures: ['250', '1000', '3.22', '996.78', 0.75],
    saps: ['HARBSGS0', 'HARBMYS0'],
    accounts: ['ZENI-SG-SGD', 'ZENI-MY-MYR'],
  },
];

async function forwardedTo(uetr: string): Promise<Pacs008> {
  const entry = await evidence.arrival(uetr, 'destination', 'pacs008');
  const reading = readForwardedPacs008(await validTree('pacs008', entry.bytes ?? ''));
  if (!reading.ok) throw new Error(reading.refusal.text);
  return reading.value;
}

async function notificationOf(uetr: string): Promise<Fxtr017> {
  const entry = await evidence.arrival(uetr, 'fxp', 'fxtr017');
  const reading = readFxtr017(await validTree('fxtr017', entry.bytes ?? ''));
  if (!reading.ok) throw new Error(reading.refusal.text);
  return reading.value;
}

function expectFigures(quote: QuoteOnOffer, { figures }: Corridor): void {
  const [source, destination, fee, credited, schemeFee] = figures;
  expect(quote.debtorAgent.interbankSettlementAmount.amount).toBe(Number(source));
  expect(quote.debtorAgent.networkSchemeFee.amount).toBe(schemeFee);
  expect(quote.creditorAgent.interbankSettlementAmount.amount).toBe(Number(destination));
  expect(quote.creditorAgent.chargesInformation.amount.amount).toBe(Number(fee));
  expect(quote.creditorAgent.creditorAccountAmount).toBe(Number(credited));
}

describe.concurrent('a corridor settles what was quoted', () => {
  for (const corridor of corridors) {
    test(corridor.title, async () => {
      const { trip, rate, sourceSystem, destinationSystem, creditorAgent, figures } = corridor;
      const [source, destination, fee, credited] = figures;
      await postRate(trip, rate);
      const quote = await bestQuote(gateway, trip);
      expectFigures(quote, corridor);
      const debtorAgent = { bicfi: trip.psp ?? `LOTU${trip.source}S0` };
      const message = instruction(quote, {
        debtorAgent,
        creditorAgent,
        clearingSystemId: sourceSystem,
        instructedAgent: { bicfi: corridor.saps[0] },
        ...corridor.changes,
      });
      const answer = await submit(gateway, withoutPurposes(message, trip.destination), {
        clientId: sourceSystem,
      });
      expect(answer.report?.status, answer.text).toBe('ACTC');
      const { uetr } = message;
      await evidence.closed(uetr);
      expect((await evidence.arrival(uetr, 'source', 'pacs002')).party).toBe(`source/${sourceSystem}`);

      const forwarded = await forwardedTo(uetr);
      expect(forwarded).toMatchObject({
        clearingSystemId: destinationSystem,
        interbankSettlementAmount: { currency: trip.destinationCurrency, amount: destination },
        instructingAgent: { bicfi: corridor.saps[1] },
        instructedAgent: creditorAgent,
        previousInstructingAgent1: { bicfi: corridor.saps[0] },
        previousInstructingAgent1Account: { otherId: corridor.accounts[0] },
        intermediaryAgent2: { bicfi: corridor.saps[1] },
        intermediaryAgent2Account: { otherId: corridor.accounts[1] },
        creditorAgent,
        creditorAccount: message.creditorAccount,
      });
      expect(forwarded.charges[1]).toMatchObject({ currency: trip.destinationCurrency, amount: fee });
      const booked = evidence.entries(uetr).filter((one) => one.direction === 'booked');
      expect(booked).toMatchObject([{ status: 'moved', amount: destination, creditedAmount: credited }]);

      expect(await notificationOf(uetr)).toMatchObject({
        fxp: { bicfi: 'ZENIHKS0' },
        sourcePsp: debtorAgent,
        exchangeRate: rate,
        tradingSideSellAmount: { currency: trip.sourceCurrency, amount: source },
        tradingSideBuyAmount: { currency: trip.destinationCurrency, amount: destination },
        sourceSapAccountId: corridor.accounts[0],
        destinationSapAccountId: corridor.accounts[1],
      });
    });
  }
});

/** Only what the destination country requires (MSG-7); the seed data has nothing for DE. */
function withoutPurposes(message: OriginalPacs008, destination: string): OriginalPacs008 {
  if (destination !== 'DE') return message;
  const rest: { -readonly [Name in keyof OriginalPacs008]: OriginalPacs008[Name] } = { ...message };
  delete rest.purpose;
  delete rest.categoryPurpose;
  return rest;
}

describe.concurrent('a payment with an exchange of its own (PAY-5)', () => {
  test.each([
    ['25', '1000', '25000', '100', '24900'],
    ['25.5', '333.33', '8499.92', '83.5', '8416.42'], // 8,499.915 half up; 75 + 8.49992 half up (MON-3)
  ])(
    'at %s: %s SGD are %s THB, fee %s, credited %s; no FX provider is told',
    async (rate, amount, destination, fee, credited) => {
      const message = instruction(ownExchange({ rate, amount, fee }));
      const answer = await submit(gateway, message);
      expect(answer.report?.status, answer.text).toBe('ACTC');
      const { uetr } = message;
      await evidence.closed(uetr);
      const forwarded = await forwardedTo(uetr);
      expect(forwarded.interbankSettlementAmount).toEqual({ currency: 'THB', amount: destination });
      expect(forwarded).toMatchObject({
        instructingAgent: { bicfi: 'HARBTHS0' },
        intermediaryAgent2Account: { otherId: 'LOTU-TH-THB' },
      });
      expect(forwarded.previousInstructingAgent1).toBeUndefined();
      const booked = evidence.entries(uetr).filter((one) => one.direction === 'booked');
      expect(booked).toMatchObject([{ amount: destination, creditedAmount: credited }]);
      expect(evidence.received(uetr, 'fxp', 'fxtr017')).toEqual([]);
    },
  );
});

const finals = {
  [endingIn.creditedAtOnce]: 'ACCC',
  [endingIn.creditedLater]: 'ACCC',
  [endingIn.rejected]: 'RJCT AC04',
  [endingIn.blocked]: 'BLCK',
  [endingIn.cut]: 'ACCC',
  [endingIn.refusing]: 'ACCC',
  [endingIn.repeating]: 'ACCC',
  [endingIn.contradicting]: 'ACCC',
  [endingIn.interim]: 'ACCC',
} as const;

describe.concurrent("what the source is told is the destination's truth (I-2 to I-5)", () => {
  test.each(Object.entries(finals))('account %s: %s', async (ending, final) => {
    const message = instruction(await bestQuote(gateway), { ending });
    expect((await submit(gateway, message)).report?.status).toBe('ACTC');
    const { uetr } = message;
    await evidence.closed(uetr);
    const [callback, ...more] = evidence.received(uetr, 'source', 'pacs002');
    const { status, reasonCode } = parsePacs002(callback?.bytes ?? '');
    expect([reasonCode === undefined ? status : `${status} ${reasonCode}`, more]).toEqual([final, []]);
    expect(distinct(evidence.received(uetr, 'destination', 'pacs008'))).toBe(1);
    const moved = evidence.entries(uetr).filter((one) => one.direction === 'booked');
    expect(moved).toHaveLength(status === 'ACCC' ? 1 : 0);
    expect(evidence.received(uetr, 'fxp', 'fxtr017')).toHaveLength(status === 'ACCC' ? 1 : 0);
  });
});

describe('over all payments of this file', () => {
  test('destination amounts agree between payments, ledgers and fxtr.017, by currency (I-9)', async () => {
    const credited = await gateway.db
      .selectFrom('payments as p')
      .innerJoin('decisions as d', 'd.uetr', 'p.uetr')
      .select(['p.destination_currency', 'p.destination_amount', 'p.quote_id'])
      .where('d.status', '=', 'ACCC')
      .execute();
    const entries = gateway.sandbox.journal.entries();
    for (const currency of ['THB', 'MYR', 'IDR', 'CNY', 'EUR', 'SGD']) {
      const own = credited.filter((one) => one.destination_currency === currency);
      const moved = entries.filter((one) => one.status === 'moved' && one.currency === currency);
      const told = entries.filter((one) => one.kind === 'fxtr017' && one.currency === currency);
      const total = (rows: readonly { destination_amount: string | null }[]) =>
        sum(rows.map((one) => one.destination_amount ?? ''));
      expect(moved.length, currency).toBeGreaterThan(0);
      expect(sum(moved.map((one) => one.amount ?? '')), currency).toBe(total(own));
      const quoted = total(own.filter((one) => one.quote_id !== null));
      expect(sum(told.map((one) => one.amount ?? '')), currency).toBe(quoted);
    }
  });

  test('every message that any party saw is valid, and no party saw a rule broken (MSG-3)', () =>
    expectSoundMessages(gateway));
});
