// What PSPs were answered, against what is stored of it (QUO-7) and what the rules make of it (FEE-3 to FEE-6): digit
// for digit, because numbers of the answers are read as text (MON-4).
import type { Exchange } from '../evidence.ts';
import { sapOf, termsOf } from '../corridors.ts';
import { amount, same } from '../decimals.ts';
import { feeOn, pairOf } from '../pricing.ts';
import { parseExactly } from '../read-evidence.ts';
import type { QuoteRequestRow } from '../rows.ts';
import type { Report } from '../verdict.ts';
import type { World } from '../world.ts';

/** @param answered by the id of the request that it shows */
export function judgeAnsweredQuotes(
  world: World,
  report: Report,
  answered: ReadonlyMap<string, Exchange>,
): void {
  const requests = new Map(world.quoteRequests.map((one) => [one.quote_request_id, one]));
  report.examined('R:QUO-7', 'answered requests for quotes', answered.size);
  for (const [id, exchange] of answered) {
    const request = requests.get(id);
    if (request === undefined) {
      report.breach('I-10', 'Quotes were answered, and are not stored (QUO-7).', id, [
        exchange.responseBody ?? '',
      ]);
      continue;
    }
    const body = parseExactly(exchange.responseBody ?? '');
    const wrong = Array.isArray(body)
      ? adjustedFaults(request, body as Adjusted[])
      : quoteFaults(world, request, body as QuoteSet);
    if (wrong.length > 0)
      report.breach('R:QUO-7', 'The quotes that were answered are not those that are stored.', id, wrong);
  }
  judgeFees(world, report);
  judgeAgents(world, report);
}

interface Money {
  readonly amount: string;
  readonly currency: string;
  readonly cappedToMaxAmount?: boolean;
}

interface QuoteSet {
  readonly quotes: readonly {
    readonly quoteId: string;
    readonly fxpfinInstId: string;
    readonly exchangeRate: string;
    readonly debtorAgent: { readonly interbankSettlementAmount: Money; readonly networkSchemeFee: Money };
    readonly intermediaryAgent1Account: { readonly id: string };
    readonly intermediaryAgent2Account: { readonly id: string };
    readonly intermediaryAgent1: { readonly finInstId: { readonly BICFI: string } };
    readonly intermediaryAgent2: { readonly finInstId: { readonly BICFI: string } };
    readonly creditorAgent: {
      readonly interbankSettlementAmount: Money;
      readonly chargesInformation: { readonly amount: Money };
      readonly creditorAccountAmount: string;
    };
  }[];
}

interface Adjusted {
  readonly QuoteId: string;
  readonly FXPFinInstId: string;
  readonly Rate: string;
  readonly AdjustedSourceAmount: string;
  readonly AdjustedDestinationAmount: string;
  readonly AdjustedReason?: string;
}

type Line = readonly [what: string, is: unknown, mustBe: unknown];

/** Text and flags must be equal; numbers, as numbers. */
function faultsOf(texts: readonly Line[], numbers: readonly Line[]): readonly string[] {
  return [
    ...texts.filter(([, is, mustBe]) => is !== mustBe),
    ...numbers.filter(([, is, mustBe]) => !same(is, mustBe)),
  ].map(([what, is, mustBe]) => `${what}: ${String(is)} instead of ${String(mustBe)}`);
}

const idOf = (request: QuoteRequestRow, index: number) =>
  request.quote_request_id.slice(0, -2) + (index + 1).toString(16).padStart(2, '0');

function quoteFaults(world: World, request: QuoteRequestRow, { quotes }: QuoteSet): readonly string[] {
  const { institutions } = world.reference;
  const bicOf = (id: string | undefined) => institutions.get(id ?? '')?.bics[0];
  const count =
    quotes.length === request.fxp_ids.length
      ? []
      : [`${quotes.length} quotes instead of ${request.fxp_ids.length}`];
  const all = quotes.map((quote, index) => {
    const { debtorAgent, creditorAgent } = quote;
    const [paid, settled] = [debtorAgent.interbankSettlementAmount, creditorAgent.interbankSettlementAmount];
    const fxp = request.fxp_ids[index] ?? '';
    const source = sapOf(world.reference, fxp, request.source_country, request.source_currency);
    const destination = sapOf(
      world.reference,
      fxp,
      request.destination_country,
      request.destination_currency,
    );
    const due = amount(request.destination_amounts[index]).minus(amount(request.creditor_agent_fees[index]));
    return faultsOf(
      [
        ['quoteId', quote.quoteId, idOf(request, index)],
        ['fxpfinInstId', quote.fxpfinInstId, bicOf(fxp)],
        ['source currency', paid.currency, request.source_currency],
        ['destination currency', settled.currency, request.destination_currency],
        ['source capped', paid.cappedToMaxAmount, request.source_capped[index]],
        ['destination capped', settled.cappedToMaxAmount, request.destination_capped[index]],
        ['intermediaryAgent1', quote.intermediaryAgent1.finInstId.BICFI, bicOf(source?.sap)],
        ['intermediaryAgent2', quote.intermediaryAgent2.finInstId.BICFI, bicOf(destination?.sap)],
        ['intermediaryAgent1Account', quote.intermediaryAgent1Account.id, source?.account],
        ['intermediaryAgent2Account', quote.intermediaryAgent2Account.id, destination?.account],
        ['stored source SAP', request.source_sap_ids[index], source?.sap],
        ['stored destination SAP', request.destination_sap_ids[index], destination?.sap],
        ['stored source account', request.source_account_ids[index], source?.account],
        ['stored destination account', request.destination_account_ids[index], destination?.account],
      ],
      [
        ['exchangeRate', quote.exchangeRate, request.exchange_rates[index]],
        ['source amount', paid.amount, request.source_amounts[index]],
        ['destination amount', settled.amount, request.destination_amounts[index]],
        ['networkSchemeFee', debtorAgent.networkSchemeFee.amount, request.scheme_fees[index]],
        [
          'chargesInformation',
          creditorAgent.chargesInformation.amount.amount,
          request.creditor_agent_fees[index],
        ],
        ['creditorAccountAmount', creditorAgent.creditorAccountAmount, due.toFixed()],
      ],
    );
  });
  return [...count, ...all.flat()];
}

function adjustedFaults(request: QuoteRequestRow, quotes: readonly Adjusted[]): readonly string[] {
  return quotes.flatMap((quote, index) => {
    const capped = [
      request.source_capped[index] === true,
      request.destination_capped[index] === true,
    ] as const;
    const names = ['Source', 'Destination'].filter((_, side) => capped[side]).join('And');
    return faultsOf(
      [
        ['QuoteId', quote.QuoteId, idOf(request, index)],
        ['AdjustedReason', quote.AdjustedReason, names === '' ? undefined : `${names}MaximumExceeded`],
      ],
      [
        ['Rate', quote.Rate, request.exchange_rates[index]],
        ['AdjustedSourceAmount', quote.AdjustedSourceAmount, request.source_amounts[index]],
        ['AdjustedDestinationAmount', quote.AdjustedDestinationAmount, request.destination_amounts[index]],
      ],
    );
  });
}

interface Fees {
  readonly debtorAgent: { readonly interbankSettlementAmount: Money; readonly networkSchemeFee: Money };
  readonly creditorAgent: {
    readonly interbankSettlementAmount: Money;
    readonly chargesAmount: Money;
    readonly creditorAccountAmount: string;
  };
}

/** Endpoint 14: fees and amounts at a given rate, without maxima (FEE-6). */
function judgeFees(world: World, report: Report): void {
  const exchanges = world.evidence.exchanges.filter(
    ({ path, status }) => path.startsWith('/fees-and-amounts/') && status === 200,
  );
  report.examined('R:FEE-3', 'answered fees and amounts', exchanges.length);
  for (const { path, responseBody = '' } of exchanges) {
    const [sourceCountry = '', sourceCurrency = '', country = '', currency = '', given, asked, rate] = path
      .split('/')
      .slice(2);
    const corridor = {
      source_country: sourceCountry,
      source_currency: sourceCurrency,
      destination_country: country,
      destination_currency: currency,
    };
    const terms = termsOf(world.reference, corridor);
    if (terms === undefined) continue;
    const side = given === sourceCurrency ? 'source' : 'destination';
    const { source, destination } = pairOf(
      { side, amount: amount(asked), withFees: true },
      amount(rate),
      terms,
    );
    const fee = feeOn(destination, terms.creditorAgentFee, terms.destinationPlaces);
    const { debtorAgent, creditorAgent } = parseExactly(responseBody) as Fees;
    const wrong = faultsOf(
      [],
      [
        ['source amount', debtorAgent.interbankSettlementAmount.amount, source.toFixed()],
        [
          'networkSchemeFee',
          debtorAgent.networkSchemeFee.amount,
          feeOn(source, terms.schemeFee, terms.sourcePlaces).toFixed(),
        ],
        ['destination amount', creditorAgent.interbankSettlementAmount.amount, destination.toFixed()],
        ['chargesAmount', creditorAgent.chargesAmount.amount, fee.toFixed()],
        ['creditorAccountAmount', creditorAgent.creditorAccountAmount, destination.minus(fee).toFixed()],
      ],
    );
    if (wrong.length > 0)
      report.breach('R:FEE-3', 'Fees and amounts are not what the formulas make of them.', path, wrong);
  }
}

interface Agent {
  readonly finInstId: { readonly BICFI: readonly string[] | null };
  readonly countryCode: string;
  readonly currencyCode: string;
  readonly account: { readonly otherId: string };
}

/**
 * GET /quotes/{quoteId}/intermediary-agents: those of the quote, which a message must name (PAY-4), and to its PSP
 * alone (QUO-9).
 */
function judgeAgents(world: World, report: Report): void {
  const answered = world.evidence.exchanges.filter(
    ({ method, path, status }) => method === 'GET' && status === 200 && path.endsWith('/intermediary-agents'),
  );
  report.examined('R:QUO-9', 'answered intermediary agents', answered.length);
  for (const { path, client, responseBody = '' } of answered) {
    const quoteId = path.split('/')[2] ?? '';
    const { request, index } = world.quotes.get(quoteId) ?? {};
    if (request === undefined || index === undefined) {
      report.breach('I-10', 'The agents of a quote were answered that is not stored.', quoteId, [
        responseBody,
      ]);
      continue;
    }
    const told = parseExactly(responseBody) as Readonly<
      Record<'intermediaryAgent1' | 'intermediaryAgent2', Agent>
    >;
    const bicOf = (id: string | undefined) => world.reference.institutions.get(id ?? '')?.bics[0];
    const { intermediaryAgent1: source, intermediaryAgent2: destination } = told;
    const wrong = faultsOf(
      [
        ['asked by', world.reference.findById('BICFI', client)?.id, request.psp_id],
        ['intermediaryAgent1', source.finInstId.BICFI?.[0], bicOf(request.source_sap_ids[index])],
        ['intermediaryAgent1 account', source.account.otherId, request.source_account_ids[index]],
        ['intermediaryAgent1 currency', source.currencyCode, request.source_currency],
        ['intermediaryAgent2', destination.finInstId.BICFI?.[0], bicOf(request.destination_sap_ids[index])],
        ['intermediaryAgent2 account', destination.account.otherId, request.destination_account_ids[index]],
        ['intermediaryAgent2 currency', destination.currencyCode, request.destination_currency],
      ],
      [],
    );
    if (wrong.length > 0)
      report.breach(
        'R:QUO-9',
        'The intermediary agents that were told are not those of the quote.',
        quoteId,
        wrong,
      );
  }
}
