// What PSPs were answered, against what they asked and what is stored of it (QUO-5 to QUO-7): every member of endpoints
// 12 and 12b, digit for digit, because numbers of the answers are read as text (MON-4).
import type { Exchange } from '../evidence.ts';
import { faultsOf, isShownTime, type Line } from '../compared.ts';
import { corridorOf, sapOf, systemAt } from '../corridors.ts';
import { amount, same } from '../decimals.ts';
import { parseExactly } from '../read-evidence.ts';
import { shownAs, type Reference } from '../reference.ts';
import { instant, type QuoteRequestRow } from '../rows.ts';
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
    const wrong = [
      ...askedFaults(world, request, exchange),
      ...(Array.isArray(body)
        ? adjustedFaults(request, body as Adjusted[])
        : quoteFaults(world, { request, exchange }, body as QuoteSet)),
    ];
    if (wrong.length > 0)
      report.breach('R:QUO-7', 'The quotes that were answered are not those that are stored.', id, wrong);
    if (Array.isArray(body)) judgeForm(world, report, request, body as Adjusted[]);
    judgeExpiry(report, request, exchange);
  }
  judgeNone(world, report);
}

interface Money {
  readonly amount: string;
  readonly currency: string;
}

interface Settled extends Money {
  readonly cappedToMaxAmount: boolean;
}

interface Agent {
  readonly finInstId: {
    readonly name: string;
    readonly BICFI: string;
    readonly LEI: string | null;
    readonly clearingSystemMemberId: {
      readonly clearingSystemId: string | null;
      readonly memberId: string | null;
    };
    readonly other: { readonly id: string | null };
  };
}

interface QuoteSet {
  readonly quoteRequestId: string;
  readonly sourceCountry: string;
  readonly sourceCurrency: string;
  readonly destinationCountry: string;
  readonly destinationCurrency: string;
  readonly amountCurrency: string;
  readonly amount: string;
  readonly quotes: readonly Quote[];
}

interface Quote {
  readonly quoteId: string;
  readonly issuedDateTime: string;
  readonly fxpfinInstIdType: string;
  readonly fxpfinInstId: string;
  readonly exchangeRate: string;
  readonly debtorAgent: { readonly interbankSettlementAmount: Settled; readonly networkSchemeFee: Money };
  readonly intermediaryAgent1: Agent;
  readonly intermediaryAgent1Account: { readonly id: string };
  readonly intermediaryAgent2: Agent;
  readonly intermediaryAgent2Account: { readonly id: string };
  readonly creditorAgent: {
    readonly interbankSettlementAmount: Settled;
    readonly chargesInformation: { readonly amount: Money };
    readonly creditorAccountAmount: string;
  };
}

interface Adjusted {
  readonly QuoteId: string;
  readonly FXPFinInstIdType: string;
  readonly FXPFinInstId: string;
  readonly Rate: string;
  readonly SourceUPSId: string;
  readonly DestinationUPSId: string;
  readonly AdjustedSourceAmount: string;
  readonly AdjustedDestinationAmount: string;
  readonly AdjustedReason?: string;
}

const idOf = (request: QuoteRequestRow, index: number) =>
  request.quote_request_id.slice(0, -2) + (index + 1).toString(16).padStart(2, '0');

/** What endpoint 12 or 12b was asked, from its path. */
function questionOf({ path }: Exchange) {
  const [route = '', query = ''] = path.split('?');
  const [place, value] = [route.replace('/api/v1', '').split('/').slice(2), new URLSearchParams(query)];
  return {
    corridor: place.slice(0, 4).join(' '),
    currency: value.get('amtCcy') ?? place[4],
    amount: value.get('amt') ?? place[5],
    pspIdType: value.get('pspIdType') ?? value.get('finInstIdType') ?? 'BICFI', // QUO-5
    pspId: value.get('pspId') ?? value.get('finInstId') ?? '',
  };
}

/** What is stored is what was asked, by whom it was asked (QUO-1, QUO-7). */
function askedFaults({ reference }: World, request: QuoteRequestRow, exchange: Exchange): readonly string[] {
  const asked = questionOf(exchange);
  return faultsOf(
    [
      ['stored corridor', corridorOf(request), asked.corridor],
      ['stored amount currency', request.amount_currency, asked.currency],
      ['stored PSP', request.psp_id, reference.findById(asked.pspIdType, asked.pspId)?.id],
    ],
    [['stored amount', request.amount, asked.amount]],
  );
}

/** One that was made older afterwards, to be refused (QUO-6), was issued when its answer says. */
const isAged = ({ purpose }: Exchange) => purpose === 'quote-to-expire';

interface Issued {
  readonly request: QuoteRequestRow;
  readonly exchange: Exchange;
}

function quoteFaults(world: World, { request, exchange }: Issued, set: QuoteSet): readonly string[] {
  const { quotes } = set;
  const count = quotes.length === request.fxp_ids.length ? [] : [numberFault(quotes, request)];
  const head = faultsOf(
    [
      ['quoteRequestId', set.quoteRequestId, request.quote_request_id],
      ['sourceCountry', set.sourceCountry, request.source_country],
      ['sourceCurrency', set.sourceCurrency, request.source_currency],
      ['destinationCountry', set.destinationCountry, request.destination_country],
      ['destinationCurrency', set.destinationCurrency, request.destination_currency],
      ['amountCurrency', set.amountCurrency, request.amount_currency],
    ],
    [['amount', set.amount, request.amount]],
  );
  const all = quotes.flatMap((quote, index) => [
    ...(isAged(exchange) || isShownTime(quote.issuedDateTime, request.issued_at)
      ? []
      : [`issuedDateTime: ${quote.issuedDateTime} instead of ${request.issued_at}`]),
    ...moneyFaults(request, quote, index),
    ...partyFaults(world, request, quote, index),
  ]);
  return [...count, ...head, ...all];
}

const numberFault = (quotes: readonly unknown[], request: QuoteRequestRow) =>
  `${quotes.length} quotes instead of ${request.fxp_ids.length}`;

/** Rates, amounts and fees, each in its currency (FEE-1, FEE-2). */
function moneyFaults(request: QuoteRequestRow, quote: Quote, index: number): readonly string[] {
  const { debtorAgent, creditorAgent } = quote;
  const [paid, settled] = [debtorAgent.interbankSettlementAmount, creditorAgent.interbankSettlementAmount];
  const [invoiced, charged] = [debtorAgent.networkSchemeFee, creditorAgent.chargesInformation.amount];
  const due = amount(request.destination_amounts[index]).minus(amount(request.creditor_agent_fees[index]));
  return faultsOf(
    [
      ['quoteId', quote.quoteId, idOf(request, index)],
      ['source currency', paid.currency, request.source_currency],
      ['networkSchemeFee currency', invoiced.currency, request.source_currency],
      ['destination currency', settled.currency, request.destination_currency],
      ['chargesInformation currency', charged.currency, request.destination_currency],
      ['source capped', paid.cappedToMaxAmount, request.source_capped[index]],
      ['destination capped', settled.cappedToMaxAmount, request.destination_capped[index]],
    ],
    [
      ['exchangeRate', quote.exchangeRate, request.exchange_rates[index]],
      ['source amount', paid.amount, request.source_amounts[index]],
      ['destination amount', settled.amount, request.destination_amounts[index]],
      ['networkSchemeFee', invoiced.amount, request.scheme_fees[index]],
      ['chargesInformation', charged.amount, request.creditor_agent_fees[index]],
      ['creditorAccountAmount', creditorAgent.creditorAccountAmount, due.toFixed()],
    ],
  );
}

/** The FX provider, and its SAPs and accounts on both sides (FX-3). */
function partyFaults(
  { reference }: World,
  request: QuoteRequestRow,
  quote: Quote,
  index: number,
): readonly string[] {
  const fxp = request.fxp_ids[index] ?? '';
  const named = shownAs(reference.institutions.get(fxp));
  const from = [request.source_country, request.source_currency] as const;
  const to = [request.destination_country, request.destination_currency] as const;
  const [source, destination] = [sapOf(reference, fxp, ...from), sapOf(reference, fxp, ...to)];
  return faultsOf([
    ['fxpfinInstIdType', quote.fxpfinInstIdType, named.type],
    ['fxpfinInstId', quote.fxpfinInstId, named.id],
    ...agentLines(reference, 'intermediaryAgent1', quote.intermediaryAgent1, { sap: source?.sap, at: from }),
    ...agentLines(reference, 'intermediaryAgent2', quote.intermediaryAgent2, {
      sap: destination?.sap,
      at: to,
    }),
    ['intermediaryAgent1Account', quote.intermediaryAgent1Account.id, source?.account],
    ['intermediaryAgent2Account', quote.intermediaryAgent2Account.id, destination?.account],
    ['stored source SAP', request.source_sap_ids[index], source?.sap],
    ['stored destination SAP', request.destination_sap_ids[index], destination?.sap],
    ['stored source account', request.source_account_ids[index], source?.account],
    ['stored destination account', request.destination_account_ids[index], destination?.account],
  ]);
}

interface Place {
  readonly sap: string | undefined;
  readonly at: readonly [country: string, currency: string];
}

function agentLines(
  reference: Reference,
  name: string,
  { finInstId }: Agent,
  { sap, at }: Place,
): readonly Line[] {
  const known = reference.institutions.get(sap ?? '');
  const system = systemAt(reference, ...at)?.id ?? '';
  const memberId = known?.memberships.get(system) ?? null;
  const { clearingSystemMemberId: member } = finInstId;
  return [
    [`${name} name`, finInstId.name, known?.name],
    [`${name} BICFI`, finInstId.BICFI, known?.bics[0]],
    [`${name} LEI`, finInstId.LEI, known?.leis[0] ?? null],
    [`${name} clearingSystemId`, member.clearingSystemId, memberId === null ? null : system],
    [`${name} memberId`, member.memberId, memberId],
    [`${name} other id`, finInstId.other.id, known?.otherIds[0] ?? null],
  ];
}

function adjustedFaults(request: QuoteRequestRow, quotes: readonly Adjusted[]): readonly string[] {
  return quotes.flatMap((quote, index) =>
    faultsOf(
      [['QuoteId', quote.QuoteId, idOf(request, index)]],
      [
        ['Rate', quote.Rate, request.exchange_rates[index]],
        ['AdjustedSourceAmount', quote.AdjustedSourceAmount, request.source_amounts[index]],
        ['AdjustedDestinationAmount', quote.AdjustedDestinationAmount, request.destination_amounts[index]],
      ],
    ),
  );
}

/** QUO-5: whose each quote of endpoint 12b is, in which payment systems, why it was adjusted, and how many there are. */
function judgeForm(
  { reference }: World,
  report: Report,
  request: QuoteRequestRow,
  quotes: readonly Adjusted[],
): void {
  report.examined('R:QUO-5', 'answered requests for quotes without fees', 1);
  const source = systemAt(reference, request.source_country, request.source_currency)?.id;
  const destination = systemAt(reference, request.destination_country, request.destination_currency)?.id;
  const count = quotes.length === request.fxp_ids.length ? [] : [numberFault(quotes, request)];
  const wrong = quotes.flatMap((quote, index) => {
    const named = shownAs(reference.institutions.get(request.fxp_ids[index] ?? ''));
    const capped = [request.source_capped[index], request.destination_capped[index]];
    const names = ['Source', 'Destination'].filter((_, side) => capped[side] === true).join('And');
    return faultsOf([
      ['FXPFinInstIdType', quote.FXPFinInstIdType, named.type],
      ['FXPFinInstId', quote.FXPFinInstId, named.id],
      ['SourceUPSId', quote.SourceUPSId, source],
      ['DestinationUPSId', quote.DestinationUPSId, destination],
      ['AdjustedReason', quote.AdjustedReason, names === '' ? undefined : `${names}MaximumExceeded`],
    ]);
  });
  if (count.length + wrong.length === 0) return;
  report.breach(
    'R:QUO-5',
    'Quotes without fees do not say whose they are, or why.',
    request.quote_request_id,
    [...count, ...wrong],
  );
}

const validMs = 600_000; // QUO-6

/** QUO-6: until when the quotes are valid, as the header of their answer says it. */
function judgeExpiry(report: Report, request: QuoteRequestRow, exchange: Exchange): void {
  const told = exchange.headers?.['isthmus-quotes-expire'];
  report.examined('R:QUO-6', 'expiries that were told', told === undefined ? 0 : 1);
  if (told === undefined || isAged(exchange)) return;
  const expiresAt = new Date(instant(request.issued_at) + validMs).toISOString();
  if (isShownTime(told, expiresAt)) return;
  report.breach(
    'R:QUO-6',
    'The expiry that was told is not 600 s after the issue.',
    request.quote_request_id,
    [`issued ${request.issued_at}`, `told ${told}`],
  );
}

/** An answer of endpoint 12b without any quote has no id; a request without one must be stored all the same. */
function judgeNone({ evidence, quoteRequests }: World, report: Report): void {
  const none = evidence.exchanges.filter(
    ({ method, path, status, responseBody }) =>
      method === 'GET' && status === 200 && path.startsWith('/api/v1/quotes/') && responseBody === '[]',
  );
  report.examined('R:QUO-5', 'answers without any quote', none.length);
  for (const exchange of none) {
    const asked = questionOf(exchange);
    const isStored = quoteRequests.some(
      (one) =>
        one.fxp_ids.length === 0 && corridorOf(one) === asked.corridor && same(one.amount, asked.amount),
    );
    if (!isStored)
      report.breach('R:QUO-5', 'No quote was answered, and none of its kind is stored.', exchange.client, [
        `${exchange.path} ${exchange.sentAt}`,
      ]);
  }
}
