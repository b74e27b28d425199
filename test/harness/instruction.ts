// The pacs.008 of a source PSP that every test starts from: valid as it is, so that a test names only what it is about.
// `buildPacs008` makes the bytes; the values hold the ids.
import { randomUUID } from 'node:crypto';
import type { OriginalPacs008 } from '../../core/iso20022/build-pacs008.ts';
import type { QuoteOnOffer } from './bodies.ts';
import { accountEndingIn, endingIn } from './endings.ts';

/** What fixes the amounts: a quote, or an exchange of the debtor agent's own. */
export interface Terms {
  readonly rate: string;
  readonly source: { readonly currency: string; readonly amount: string };
  /** Of the creditor agent. */
  readonly fee: { readonly currency: string; readonly amount: string };
  /** Without one, the payment leaves from the debtor agent's own account in the destination country (PAY-5). */
  readonly quoteId?: string;
}

/** Without a quote; 1,000 SGD at 25 are 25,000 THB, fee 75 + 0.1 % = 100. */
export function ownExchange({ rate = '25', amount = '1000', fee = '100' } = {}): Terms {
  return { rate, source: { currency: 'SGD', amount }, fee: { currency: 'THB', amount: fee } };
}

export interface Changes extends Partial<OriginalPacs008> {
  /** How the destination behaves (endings.ts); default: it credits at once. */
  readonly ending?: string;
}

/** Whose currency it is, in the seed data: country, one of its towns, its clearing system. */
const places: Readonly<Partial<Record<string, readonly [string, string, string]>>> = {
  SGD: ['SG', 'Singapore', 'SGDFAST'],
  THB: ['TH', 'Bangkok', 'THBPPAY'],
  MYR: ['MY', 'Kuala Lumpur', 'MYRRPP'],
  PHP: ['PH', 'Manila', 'PHPINST'],
  IDR: ['ID', 'Jakarta', 'IDRBFAST'],
  HKD: ['HK', 'Hong Kong', 'HKDFPS'],
  CNY: ['HK', 'Hong Kong', 'CNYFPS'],
  INR: ['IN', 'Mumbai', 'INRUPI'],
  JPY: ['JP', 'Tokyo', 'JPYZGIN'],
  EUR: ['DE', 'Berlin', 'EURTIPS'],
};

function placeOf(currency: string) {
  const place = places[currency];
  if (place === undefined) throw new Error(`no country for ${currency}: add it to the table`);
  const [country, townName, clearingSystemId] = place;
  return { country, townName, clearingSystemId, lotus: { bicfi: `LOTU${country}S0` } };
}

/** At most 35 characters (Max35Text). */
export function newMessageId(prefix = 'MSG'): string {
  return `${prefix}${randomUUID()
    .replaceAll('-', '')
    .slice(0, 35 - prefix.length)}`;
}

/**
 * An instruction on given terms, from a customer of Lotus in one country to one in the other; what differs from that is
 * in `changes`. The charges are those of the agents, whichever these are.
 */
export function instruction(terms: QuoteOnOffer | Terms, changes: Changes = {}): OriginalPacs008 {
  const { ending = endingIn.creditedAtOnce, ...values } = changes;
  const { rate, source, fee, quoteId } = 'rate' in terms ? terms : termsOf(terms);
  const [from, to] = [placeOf(source.currency), placeOf(fee.currency)];
  const { debtorAgent = from.lotus, creditorAgent = to.lotus } = values;
  const now = new Date().toISOString();
  return {
    messageIdentification: newMessageId(),
    creationDateTime: now,
    clearingSystemId: from.clearingSystemId,
    instructionId: 'INSTR-1',
    endToEndId: 'E2E-1',
    transactionId: 'TX-1',
    uetr: randomUUID(),
    priority: 'NORM',
    categoryPurpose: 'CASH',
    purpose: 'GDDS',
    interbankSettlementAmount: source,
    acceptanceDateTime: now,
    agreedRate: {
      preAgreedExchangeRate: rate,
      unitCurrency: source.currency,
      quotedCurrency: fee.currency,
      ...(quoteId === undefined ? {} : { quoteId }),
    },
    charges: [
      { currency: source.currency, amount: '0', agent: debtorAgent },
      { ...fee, agent: creditorAgent },
    ],
    instructingAgent: debtorAgent,
    instructedAgent: { bicfi: `HARB${from.country}S0` },
    debtorAgent,
    creditorAgent,
    debtor: { name: 'Canary Tan', townName: from.townName, country: from.country },
    creditor: { name: 'Canary Somchai', townName: to.townName, country: to.country },
    debtorAccount: { otherId: '1110000001' },
    creditorAccount: { otherId: accountEndingIn(ending) },
    ...(quoteId === undefined && {
      intermediaryAgent2: { bicfi: `HARB${to.country}S0` },
      intermediaryAgent2Account: { otherId: `LOTU-${to.country}-${fee.currency}` },
    }),
    ...values,
  };
}

/** The terms of a quote, as a payment states them. */
export function termsOf({ quoteId, exchangeRate, debtorAgent, creditorAgent }: QuoteOnOffer): Terms {
  const { currency, amount } = debtorAgent.interbankSettlementAmount;
  const fee = creditorAgent.chargesInformation.amount;
  return {
    rate: String(exchangeRate),
    source: { currency, amount: String(amount) },
    fee: { currency: fee.currency, amount: String(fee.amount) },
    quoteId,
  };
}
