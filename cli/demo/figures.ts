// Compares the figures of the demo's payment, in the quote and in each party's messages, with the specification's
// worked example. The seed data has that example's rates. The demo fails if a figure differs.
import { exact } from '../../core/money/money.ts';
import type { MessageValues } from './message-values.ts';
import type { PlayedPayment } from './play-payment.ts';
import { showAmount } from '../terminal.ts';

export interface Figure {
  readonly name: string;
  readonly expected: string;
  /** Decimal text by the place where it was found; empty if no simulated party received it. */
  readonly found: readonly { readonly where: string; readonly value: string }[];
}

/** 1,000 SGD at 25 is 25,000 THB; fee 75.00 + 0.1 % = 100; credited 24,900; scheme fee 0.50 + 0.1 % = 1.50. */
const expected = {
  source: '1000',
  rate: '25',
  destination: '25000',
  creditorAgentFee: '100',
  credited: '24900',
  schemeFee: '1.50',
} as const;

/** Every figure, with every place where it was found. */
export function demoFigures(payment: PlayedPayment, values: MessageValues): readonly Figure[] {
  const { quote, entries } = payment;
  const bytesOf = (party: string, kind: string) =>
    entries.find(
      (entry) => entry.party.startsWith(party) && entry.kind === kind && entry.direction === 'received',
    )?.bytes;
  const instruction = bytesOf('destination/', 'pacs008');
  const forwarded = instruction && values.forwardedPacs008(instruction);
  const notification = bytesOf('fxp/', 'fxtr017');
  const trade = notification && values.fxtr017(notification);
  const booked = entries.find((entry) => entry.kind === 'ledger' && entry.status === 'moved');
  const { debtorAgent, creditorAgent } = quote;
  const figure = (
    name: string,
    want: string,
    found: Readonly<Record<string, string | undefined>>,
  ): Figure => ({
    name,
    expected: want,
    found: Object.entries(found).flatMap(([where, value]) => (value === undefined ? [] : [{ where, value }])),
  });
  return [
    figure('source interbank settlement amount, SGD', expected.source, {
      quote: debtorAgent.interbankSettlementAmount.amount,
      'fxtr.017': trade?.tradingSideSellAmount.amount,
    }),
    figure('exchange rate', expected.rate, {
      quote: quote.exchangeRate,
      'pacs.008 at the destination': forwarded?.agreedRate.preAgreedExchangeRate,
      'fxtr.017': trade?.exchangeRate,
    }),
    figure('destination interbank settlement amount, THB', expected.destination, {
      quote: creditorAgent.interbankSettlementAmount.amount,
      'pacs.008 at the destination': forwarded?.interbankSettlementAmount.amount,
      "the destination's ledger": booked?.amount,
      'fxtr.017': trade?.tradingSideBuyAmount.amount,
    }),
    figure('creditor agent fee, THB', expected.creditorAgentFee, {
      quote: creditorAgent.chargesInformation.amount.amount,
      'pacs.008 at the destination': forwarded?.charges[1].amount,
    }),
    figure('credited to the recipient, THB', expected.credited, {
      quote: creditorAgent.creditorAccountAmount,
      "the destination's ledger": booked?.creditedAmount,
    }),
    figure('scheme fee, SGD', expected.schemeFee, { quote: debtorAgent.networkSchemeFee.amount }),
  ];
}

/** The places where a figure differs from the expected one. */
export function differencesIn(figure: Figure): readonly string[] {
  return figure.found
    .filter(({ value }) => !exact(value).eq(exact(figure.expected)))
    .map(({ where, value }) => `${where} says ${showAmount(value)}`);
}
