// Plays one payment as the source PSP and its operator: token, quotes, instruction, submission. Then it reads
// the journals of the parties until each party has received its messages. It must not read the gateway's
// database.
import { setTimeout as delay } from 'node:timers/promises';
import { compact } from '../../core/compact.ts';
import type { AccountIdentification } from '../../core/iso20022/parties.ts';
import type { Pacs002 } from '../../core/iso20022/pacs002.ts';
import { readJournal, type JournalEntry } from '../../sandbox/journal-file.ts';
import { TurnedAwayError, UnansweredError, UnavailableError, UsageError, UserError } from '../errors.ts';
import { gatewayClient, quotesPath, type GatewayClient, type OfferedQuote } from '../gateway-client.ts';
import { writeInstruction, type WrittenInstruction } from './instruct.ts';
import { messageValues, type MessageValues } from './message-values.ts';
import type { RunFile } from './run-file.ts';
import { renderTable, showAmount, type Terminal } from '../terminal.ts';
import { gatewayReceives, gatewaySends, lineOf, printLine, type TimelineLine } from './timeline.ts';

export interface PaymentPlan {
  readonly sourceCountry: string;
  readonly destinationCountry: string;
  /** Decimal string. */
  readonly amount: string;
  /**
   * Currency of the amount. A source currency fixes the amount sent; a destination currency fixes the amount
   * credited. Default: the source country's first currency.
   */
  readonly amountCurrency?: string;
  readonly creditorAccount: AccountIdentification;
  readonly priority: 'HIGH' | 'NORM';
  /** The agents are BICs. */
  readonly debtorAgent: string;
  readonly creditorAgent: string;
  /** Whether to pay a quote that a maximum has capped below the requested amount. */
  readonly acceptsCapped: boolean;
  /** Maximum time until every party has received its messages. */
  readonly waitSeconds: number;
}

/** The final status that the gateway reported to the source operator. */
export interface ToldFinal {
  readonly status: string;
  readonly reasonCode?: string;
  /** Rule id of the gateway's own rejection; absent if another party decided. */
  readonly ruleId?: string;
}

export interface PlayedPayment {
  readonly uetr: string;
  readonly quote: OfferedQuote;
  /** The pacs.002 in the HTTP answer to the submission. */
  readonly answer: Pacs002;
  /**
   * The final status that the source operator received at its callback address; undefined if none arrived in
   * time.
   */
  readonly final: ToldFinal | undefined;
  /** All entries about this payment in the parties' journals, oldest first. */
  readonly entries: readonly JournalEntry[];
  /** Descriptions of messages that a party should have received but did not. */
  readonly missing: readonly string[];
}

export interface Stage {
  readonly run: Pick<RunFile, 'apiUrl' | 'replaced' | 'journalDirectory'> & {
    readonly sandbox: Pick<RunFile['sandbox'], 'source'>;
  };
  readonly terminal: Terminal;
  /** Ends the waiting early, for example after Ctrl-C. */
  readonly signal?: AbortSignal;
  /** Returns the secret of a client; default: the secrets of the demo. */
  readonly secretOf?: (clientId: string) => string;
  /** Called just before the payment is submitted. */
  readonly onSubmitting?: (uetr: string) => void;
}

const pollMs = 50; // not shorter, because each poll reads the journals completely
const resubmitMs = 1_000; // a killed process needs about this long to restart
/**
 * Delay before a line is printed, so that lines appear in order. A party journals a sent message only when it
 * gets the answer, so an older line may arrive later.
 */
const settleMs = 150;
// wait this long for further entries: for accounts 0009 and 0010, other reports soon follow the first
const quietMs = 300;

/**
 * @throws UserError if the gateway refuses a request, with its explanation
 * @throws UnansweredError if the gateway may have accepted the payment but did not answer in time
 */
export async function playPayment(stage: Stage, plan: PaymentPlan): Promise<PlayedPayment> {
  const gateway = gatewayClient(stage.run.apiUrl, stage.secretOf);
  const trip = await planTrip(gateway, plan);
  const operator = trip.sourceSystem;
  await gateway.token(operator); // log in first: if this fails, no payment can have been stored
  const quote = await chooseQuote(stage, { gateway, plan, trip });
  const written = writeInstruction({
    quote,
    clearingSystemId: operator,
    debtorAgent: plan.debtorAgent,
    creditorAgent: plan.creditorAgent,
    creditorAccount: plan.creditorAccount,
    priority: plan.priority,
    destination: trip.destination,
  });
  return submitAndFollow(stage, { gateway, plan, operator, quote, written });
}

interface Trip {
  readonly destination: Awaited<ReturnType<GatewayClient['country']>>;
  readonly sourceCurrency: string;
  readonly destinationCurrency: string;
  readonly amountCurrency: string;
  readonly sourceSystem: string;
}

/** Finds the currencies and payment systems of both countries in the gateway's reference data. */
async function planTrip(gateway: GatewayClient, plan: PaymentPlan): Promise<Trip> {
  const psp = plan.debtorAgent;
  const [source, destination] = await Promise.all([
    gateway.country(plan.sourceCountry, psp),
    gateway.country(plan.destinationCountry, psp),
  ]);
  const ofSource = source.currencies.map((one) => one.currencyCode);
  const ofDestination = destination.currencies.map((one) => one.currencyCode);
  const has = (list: readonly string[]) => list.find((code) => code === plan.amountCurrency);
  const sourceCurrency = has(ofSource) ?? ofSource[0] ?? '';
  const destinationCurrency = has(ofDestination) ?? ofDestination[0] ?? '';
  const amountCurrency = plan.amountCurrency ?? sourceCurrency;
  if (![sourceCurrency, destinationCurrency].includes(amountCurrency)) {
    const known = [...ofSource, ...ofDestination].join(', ');
    throw new UsageError(
      `--currency ${amountCurrency}: a payment from ${plan.sourceCountry} to ${plan.destinationCountry} takes one of ${known}.`,
    );
  }
  const sourceSystem = await gateway.clearingSystemOf(plan.sourceCountry, sourceCurrency, psp);
  return { destination, sourceCurrency, destinationCurrency, amountCurrency, sourceSystem };
}

async function chooseQuote(
  { terminal }: Stage,
  { gateway, plan, trip }: { gateway: GatewayClient; plan: PaymentPlan; trip: Trip },
): Promise<OfferedQuote> {
  const request = { ...plan, ...trip, psp: plan.debtorAgent };
  const quotes = await gateway.quotes(request);
  terminal.line(`${terminal.paint('good', '✓')} Quotes: GET ${quotesPath(request)}`);
  const [best] = quotes;
  if (best === undefined) {
    throw new UserError(
      `No FX provider quotes ${trip.sourceCurrency} to ${trip.destinationCurrency} between these countries. Try --to MY.`,
    );
  }
  const columns = [
    'rank',
    'FX provider',
    'rate',
    `${trip.sourceCurrency} settled`,
    `${trip.destinationCurrency} settled`,
    'creditor agent fee',
    'credited',
    'scheme fee',
  ];
  const rows = quotes.map((one, index) => [String(index + 1), ...quoteCells(one)]);
  for (const line of renderTable(columns, rows)) terminal.line(`  ${line}`);
  const { quoteId, fxpfinInstId, exchangeRate } = best;
  terminal.line(`  Chosen: ${terminal.paint('name', fxpfinInstId)} at ${exchangeRate}, quote ${quoteId}`);
  const [source, destination] = [
    best.debtorAgent.interbankSettlementAmount,
    best.creditorAgent.interbankSettlementAmount,
  ];
  if (source.cappedToMaxAmount || destination.cappedToMaxAmount) {
    const [sent, arrives] = [source, destination].map((one) => `${showAmount(one.amount)} ${one.currency}`);
    const less = `A maximum is below that: the quote is for ${String(sent)}, ${String(arrives)} settled.`;
    terminal.line(terminal.paint('warning', `  ! ${less}`));
    if (!plan.acceptsCapped)
      throw new UserError(
        `Nothing was paid. Give an --amount that is allowed, or add --capped to pay ${String(sent)}.`,
      );
  }
  return best;
}

function quoteCells({ fxpfinInstId, exchangeRate, debtorAgent, creditorAgent }: OfferedQuote): string[] {
  return [
    fxpfinInstId,
    exchangeRate,
    showAmount(debtorAgent.interbankSettlementAmount.amount),
    showAmount(creditorAgent.interbankSettlementAmount.amount),
    showAmount(creditorAgent.chargesInformation.amount.amount),
    showAmount(creditorAgent.creditorAccountAmount),
    `${showAmount(debtorAgent.networkSchemeFee.amount)} ${debtorAgent.networkSchemeFee.currency}`,
  ];
}

interface Underway {
  readonly gateway: GatewayClient;
  readonly plan: PaymentPlan;
  /** Id of the payment system that submits the pacs.008. */
  readonly operator: string;
  readonly quote: OfferedQuote;
  readonly written: WrittenInstruction;
}

async function submitAndFollow(stage: Stage, underway: Underway): Promise<PlayedPayment> {
  const { run, terminal } = stage;
  const { operator, quote } = underway;
  const { uetr } = underway.written;
  stage.onSubmitting?.(uetr);
  const values = messageValues();
  const source = quote.debtorAgent.interbankSettlementAmount;
  terminal.line();
  const startedAt = Date.now();
  printLine(terminal, {
    elapsedMs: 0,
    parties: gatewayReceives(operator),
    message: 'pacs.008',
    detail: `${showAmount(source.amount)} ${source.currency} at ${quote.exchangeRate}, UETR ${uetr}`,
  });
  const deadline = startedAt + underway.plan.waitSeconds * 1_000;
  const answering = submitUntilAnswered(stage, underway, deadline).then((bytes) => ({
    elapsedMs: Date.now() - startedAt,
    report: values.pacs002(bytes),
  }));
  const isFxpOurs = run.replaced.fxps[quote.fxpfinInstId] === undefined;
  const following = { ...underway, answering, values, startedAt, isFxpOurs };
  const [{ report: answer }, entries] = await Promise.all([answering, follow(stage, following)]);
  const told = entries.find((entry) => entry.party.startsWith('source/') && entry.status !== undefined);
  return {
    uetr,
    quote,
    answer,
    final: told && finalOf(told, values),
    entries,
    missing: missingIn(entries, isFxpOurs),
  };
}

/**
 * Reads the final status from the journal entry of the source operator. It includes the rule id if the
 * gateway itself rejected the payment.
 */
function finalOf({ status, reasonCode, bytes }: JournalEntry, values: MessageValues): ToldFinal | undefined {
  if (status === undefined) return undefined;
  const [said] = (bytes === undefined ? undefined : values.pacs002(bytes).additionalInformation) ?? [];
  const ruleId = said === undefined ? undefined : /^[A-Z]{3}-\d+(?= )/.exec(said)?.[0];
  return compact<ToldFinal>({ status, reasonCode, ruleId });
}

/**
 * Sends the same bytes until the gateway answers. The gateway treats a repeat as an enquiry, never as a
 * second payment. Once an attempt may have been stored, a later refusal does not prove that no payment
 * exists.
 */
async function submitUntilAnswered(stage: Stage, underway: Underway, deadline: number): Promise<Uint8Array> {
  const { run, terminal, signal } = stage;
  const { gateway, operator, written } = underway;
  for (let mayBeStored = false; ;) {
    try {
      const endpoint = `${run.sandbox.source}/callbacks/${operator}/pacs002`;
      return await gateway.submitPacs008(operator, written.xml, endpoint);
    } catch (error) {
      const isOver = Date.now() >= deadline || signal?.aborted === true;
      const isTriedAgain = error instanceof UnavailableError;
      if (isTriedAgain && !(error instanceof TurnedAwayError)) mayBeStored = true;
      if (!(error instanceof UserError) || !(isTriedAgain || mayBeStored)) throw error;
      if (isOver || !isTriedAgain)
        throw mayBeStored ? new UnansweredError(`${error.message} ${mayBePaid(written.uetr)}`) : error;
      terminal.line(terminal.paint('warning', `! ${error.message}`));
      terminal.line('  Sending the same bytes again.');
      await delay(resubmitMs);
    }
  }
}

const mayBePaid = (uetr: string) =>
  `It may have been stored, and may still be paid. Do not pay again: that could be a second payment. Look: npm run ops -- show ${uetr}`;

interface Following extends Underway {
  readonly answering: Promise<{ readonly elapsedMs: number; readonly report: Pacs002 }>;
  readonly values: MessageValues;
  readonly startedAt: number;
  /**
   * Whether the sandbox plays the FX provider of the quote. Only then can this command read the provider's
   * journal.
   */
  readonly isFxpOurs: boolean;
}

/**
 * Prints the answer and the parties' journal entries in the order of their times. It ends `quietMs` after the
 * last entry, once every party has received its messages. It also ends when the waiting time is over.
 */
async function follow(stage: Stage, following: Following): Promise<readonly JournalEntry[]> {
  const { terminal, signal, run } = stage;
  const { answering, operator, values, startedAt, isFxpOurs, plan } = following;
  const { uetr } = following.written;
  const entries: JournalEntry[] = [];
  const seen = new Set<string>();
  const idOf = ({ party, at, sequence }: JournalEntry) => `${party} ${at} ${sequence}`;
  let waiting: TimelineLine[] = [];
  let isAnswered = false;
  const answered = answering.then(
    ({ elapsedMs, report }) => {
      waiting.push(answerLine(operator, elapsedMs, report));
      isAnswered = true;
    },
    () => (isAnswered = true), // the caller awaits the same promise and reports the error
  );
  const flush = (untilMs: number) => {
    waiting.sort((one, other) => one.elapsedMs - other.elapsedMs);
    for (const line of waiting) if (line.elapsedMs <= untilMs) printLine(terminal, line);
    waiting = waiting.filter((line) => line.elapsedMs > untilMs);
  };
  const isOver = () => Date.now() - startedAt >= plan.waitSeconds * 1_000 || signal?.aborted === true;
  const isComplete = () => isAnswered && missingIn(entries, isFxpOurs).length === 0;
  for (let quietSince = Date.now(); !isOver();) {
    const news = readJournal(run.journalDirectory).filter((one) => one.uetr === uetr && !seen.has(idOf(one)));
    for (const one of news) seen.add(idOf(one));
    waiting.push(...news.map((entry) => lineOf(entry, startedAt, values)));
    entries.push(...news);
    if (news.length > 0) quietSince = Date.now();
    flush(Date.now() - startedAt - settleMs);
    if (isComplete() && Date.now() - quietSince >= quietMs) break;
    await delay(pollMs);
  }
  await answered;
  flush(Number.POSITIVE_INFINITY);
  return entries;
}

function answerLine(operator: string, elapsedMs: number, report: Pacs002): TimelineLine {
  const { status, reasonCode, additionalInformation = [] } = report;
  const said = ['in the HTTP answer', reasonCode, ...additionalInformation];
  return {
    elapsedMs,
    parties: gatewaySends(operator),
    message: 'pacs.002',
    status,
    detail: said.filter((part) => part !== undefined).join('; '),
  };
}

/** Lists the rule violations that the parties found, without duplicates. */
export function violationsIn(entries: readonly JournalEntry[]): readonly string[] {
  const said = entries.flatMap(({ party, violation }) =>
    violation === undefined ? [] : [`${party} found a rule broken: ${violation}`],
  );
  return [...new Set(said)];
}

/** Lists the messages that parties have not received yet, judging by the journals of the sandbox parties. */
function missingIn(entries: readonly JournalEntry[], isFxpOurs: boolean): readonly string[] {
  const got = (
    party: string,
    kind: JournalEntry['kind'],
    direction: JournalEntry['direction'] = 'received',
  ) =>
    entries.find(
      (entry) => entry.party.startsWith(party) && entry.kind === kind && entry.direction === direction,
    );
  const callback = got('source/', 'pacs002');
  if (callback === undefined) return ['the callback to the source operator'];
  const missing: string[] = [];
  if (got('destination/', 'pacs008') !== undefined && got('destination/', 'pacs002') === undefined) {
    missing.push('the confirmation to the destination');
  }
  if (callback.status === 'ACCC' && isFxpOurs && got('fxp/', 'fxtr017') === undefined) {
    missing.push('the fxtr.017 to the FX provider');
  }
  return missing;
}
