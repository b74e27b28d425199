/**
 * The judgement of a pacs.008: every check in the order of PAY-3, and those that a dry run can make. Pure: stored data
 * and the time are arguments, and the database's unique keys have the last word (DUP-3).
 */
import { judgeFit, rejectionsOf, type Check, type Findings, type IsFit } from './check.ts';
import { findEnds, type Judged, type SubmissionNow } from './ends.ts';
import { parseQuoteId, type QuoteId } from './ids.ts';
import type { Pacs008 } from './iso20022/pacs008.ts';
import { agentChecks, duplicateCheck, freshnessCheck, guidelineChecks } from './payment-checks.ts';
import { bindPayment, ownExchangeCheck, pauseCheck, type BoundPayment } from './bind-payment.ts';
import type { StoredQuote } from './quote.ts';
import type { Rejection } from './rejection.ts';
import { first, ok, refused, type Result } from './result.ts';

/** PAY-3, from the usage guidelines to the agents. */
const checksBeforeQuote: readonly Check<Judged<SubmissionNow>>[] = [
  ...guidelineChecks,
  duplicateCheck,
  freshnessCheck,
  ...agentChecks,
];

/** A message that passed every check that needs no quote. */
export interface AwaitingQuote {
  readonly message: Pacs008;
  /** The quote that it names; undefined if it names none, or an id that cannot be one. */
  readonly quoteId: QuoteId | undefined;
  /** Judges the rest. @param quote undefined if it is unknown, or none is named */
  readonly bind: (quote: StoredQuote | undefined) => Result<BoundPayment, Rejection>;
}

/**
 * PAY-3: the first failure is the one that is reported. The callback address, checked before all others, is judged at
 * intake (`api/http/callback.ts`): HTTP 422, and nothing is stored (SEC-2).
 * @param reading what the schema, and the message by itself, say (MSG)
 */
export function judgePayment(
  reading: Result<Pacs008, Rejection>,
  context: SubmissionNow,
): Result<AwaitingQuote, Rejection> {
  if (!reading.ok) return reading; // schema, and guidelines that need no reference data
  const { value: message } = reading;
  const judged = { message, context, ends: findEnds(message, context) };
  const rejection = first(rejectionsOf(checksBeforeQuote, judged)); // guidelines, duplicate, freshness, agents
  if (rejection !== undefined) return refused(rejection);
  const { quoteId } = message.agreedRate;
  return ok({
    message,
    quoteId: quoteId === undefined ? undefined : parseQuoteId(quoteId),
    bind: (quote) => bindPayment(judged, quote), // quote, limits
  });
}

/**
 * Every rejection by reference data and the clock, for a dry run. Quotes are not read, so a message without one (PAY-5)
 * is judged completely, and a message with one up to PAY-4.
 * @param isFit which parts of the message are valid
 * @param isSound whether the rules of the message refuse nothing
 */
export function judgeByReference(
  message: Pacs008,
  context: SubmissionNow,
  { isFit, isSound }: { readonly isFit: IsFit; readonly isSound: boolean },
): Findings {
  const judged = { message, context, ends: findEnds(message, context) };
  const before = judgeFit(checksBeforeQuote, judged, isFit);
  if (message.agreedRate.quoteId !== undefined) return both(before, judgeFit([pauseCheck], judged, isFit));
  if (!isSound || !before.isSound) {
    const { name, ruleId } = ownExchangeCheck;
    const reason = 'It is judged only if nothing else is wrong.';
    return { ...before, notJudged: [...before.notJudged, { name, ruleId, reason }] };
  }
  return both(before, judgeFit([ownExchangeCheck], judged, isFit));
}

function both(before: Findings, after: Findings): Findings {
  return {
    rejections: [...before.rejections, ...after.rejections],
    notJudged: [...before.notJudged, ...after.notJudged],
  };
}
