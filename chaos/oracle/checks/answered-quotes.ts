// The quotes that PSPs got are exactly the stored ones, which bind their payments: rates, amounts and fees, digit for
// digit. The numbers of the answers are read as text (QUO-7, MON-4).
import { amount, same } from '../decimals.ts';
import type { Exchange } from '../evidence.ts';
import { parseExactly } from '../read-evidence.ts';
import type { QuoteRequestRow } from '../rows.ts';
import type { Report } from '../verdict.ts';
import type { World } from '../world.ts';

/** A quote of endpoint 12. */
interface Quote {
  readonly quoteId: string;
  readonly exchangeRate: string;
  readonly debtorAgent: Readonly<Record<'interbankSettlementAmount' | 'networkSchemeFee', Money>>;
  readonly creditorAgent: {
    readonly interbankSettlementAmount: Money;
    readonly chargesInformation: { readonly amount: Money };
    readonly creditorAccountAmount: string;
  };
}

interface Money {
  readonly amount: string;
}

/** A quote of endpoint 12b, which has no fees (QUO-5). */
interface Adjusted {
  readonly QuoteId: string;
  readonly Rate: string;
  readonly AdjustedSourceAmount: string;
  readonly AdjustedDestinationAmount: string;
}

/** @param answered the HTTP exchanges with quotes, by the id of the stored request */
export function judgeAnsweredQuotes(
  { quoteRequests }: World,
  report: Report,
  answered: ReadonlyMap<string, Exchange>,
): void {
  const requests = new Map(quoteRequests.map((one) => [one.quote_request_id, one]));
  report.examined('R:QUO-7', 'answered requests for quotes', answered.size);
  for (const [id, { responseBody = '' }] of answered) {
    const request = requests.get(id);
    if (request === undefined) {
      report.breach('I-10', 'Quotes were answered, and are not stored (QUO-7).', id, [responseBody]);
      continue;
    }
    const wrong = faultsOf(request, parseExactly(responseBody));
    if (wrong.length > 0)
      report.breach('R:QUO-7', 'The quotes that were answered are not those that are stored.', id, wrong);
  }
}

function faultsOf(request: QuoteRequestRow, body: unknown): readonly string[] {
  const told = Array.isArray(body)
    ? (body as readonly Adjusted[]).map(toldWithoutFees)
    : (body as { readonly quotes: readonly Quote[] }).quotes.map(toldBy);
  const due = request.fxp_ids.map((_, index) => stored(request, index));
  const faults = told.flatMap((quote, index) =>
    Object.entries(quote)
      .filter(([name, is]) => is !== due[index]?.[name] && !same(is, due[index]?.[name]))
      .map(([name, is]) => `${name}: ${is} instead of ${due[index]?.[name] ?? 'none'}`),
  );
  return told.length === due.length ? faults : [...faults, `${told.length} quotes instead of ${due.length}`];
}

type Told = Readonly<Record<string, string>>;

const toldBy = ({ quoteId, exchangeRate, debtorAgent, creditorAgent }: Quote): Told => ({
  quoteId,
  rate: exchangeRate,
  source: debtorAgent.interbankSettlementAmount.amount,
  destination: creditorAgent.interbankSettlementAmount.amount,
  schemeFee: debtorAgent.networkSchemeFee.amount,
  creditorAgentFee: creditorAgent.chargesInformation.amount.amount,
  credited: creditorAgent.creditorAccountAmount,
});

const toldWithoutFees = (quote: Adjusted): Told => ({
  quoteId: quote.QuoteId,
  rate: quote.Rate,
  source: quote.AdjustedSourceAmount,
  destination: quote.AdjustedDestinationAmount,
});

function stored(request: QuoteRequestRow, index: number): Told {
  const [destination = '', fee = ''] = [
    request.destination_amounts[index],
    request.creditor_agent_fees[index],
  ];
  return {
    quoteId: request.quote_request_id.slice(0, -2) + (index + 1).toString(16).padStart(2, '0'),
    rate: request.exchange_rates[index] ?? '',
    source: request.source_amounts[index] ?? '',
    destination,
    schemeFee: request.scheme_fees[index] ?? '',
    creditorAgentFee: fee,
    credited: amount(destination).minus(amount(fee)).toFixed(),
  };
}
