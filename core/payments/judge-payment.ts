/**
 * Judges a pacs.008: all checks in the order of PAY-3, and the subset that a dry run can make. Pure: stored
 * data and the time are arguments. The database's unique keys detect duplicates that arrive meanwhile.
 */
import { judgeFit, rejectionsOf, type Check, type Findings, type IsFit } from '../rejections/check.ts';
import { findEnds, type Judged, type SubmissionContext, type SubmissionNow } from '../scheme/ends.ts';
import { parseQuoteId, type QuoteId } from '../ids.ts';
import type { Pacs008 } from '../iso20022/pacs008.ts';
import { agentChecks, duplicateCheck, freshnessCheck, guidelineChecks } from './payment-checks.ts';
import {
  bindPayment,
  intermediaryCheck,
  pauseCheck,
  type BindingContext,
  type BoundPayment,
} from './bind-payment.ts';
import { ownExchangeChecks, ownMaximumCheck } from '../money/own-exchange.ts';
import type { Rejection } from '../rejections/rejection.ts';
import { first, mapValue, refused, type Result } from '../result.ts';

/** The checks of PAY-3 from the usage guidelines to the agents. */
const checksBeforeQuote: readonly Check<Judged<SubmissionNow>>[] = [
  ...guidelineChecks,
  duplicateCheck,
  freshnessCheck,
  ...agentChecks,
];

/**
 * The quote that must be read to judge the message. Undefined if it names no quote, if its quote id is malformed, or if
 * the message is refused whatever the quote says.
 */
export function quoteNeeded(
  reading: Result<Pacs008, Rejection>,
  context: SubmissionNow,
): QuoteId | undefined {
  if (!reading.ok) return undefined;
  const { quoteId } = reading.value.agreedRate;
  if (quoteId === undefined) return undefined;
  const judged = judgedOf(reading.value, context);
  const rejection = first(rejectionsOf(checksBeforeQuote, judged));
  return rejection === undefined ? parseQuoteId(quoteId) : undefined;
}

/** The input of the judgement. It includes the quote if {@link quoteNeeded} names one and it exists. */
export type JudgingContext = SubmissionNow & Required<BindingContext>;

/** A message that passed every check, with its payment. */
export interface AcceptedPacs008 {
  readonly message: Pacs008;
  readonly payment: BoundPayment;
}

/**
 * Judges a submission and returns the first rejection. The intake has judged the callback address before
 * (`api/http/input/callback.ts`): for a bad address, it answers HTTP 422 and stores nothing.
 * @param reading result of the schema and of the rules that concern the message alone (MSG)
 */
export function judgePayment(
  reading: Result<Pacs008, Rejection>,
  context: JudgingContext,
): Result<AcceptedPacs008, Rejection> {
  if (!reading.ok) return reading; // rejected by the schema, or by guidelines that need no reference data
  const { value: message } = reading;
  const judged = judgedOf(message, context);
  const rejection = first(rejectionsOf(checksBeforeQuote, judged)); // guidelines, duplicate, freshness, agents
  if (rejection !== undefined) return refused(rejection);
  return mapValue(bindPayment(judged), (payment) => ({ message, payment })); // quote, limits, pause
}

function judgedOf<Context extends SubmissionContext>(message: Pacs008, context: Context): Judged<Context> {
  return { message, context, ends: findEnds(message, context) };
}

/**
 * Finds every rejection by reference data and the clock, for a dry run. It reads no quotes. It judges a
 * message without a quote completely, and a message with a quote up to PAY-4.
 * @param isFit whether a part of the message is valid
 * @param refused XPaths that the schema and the rules of the message refuse
 */
export function judgeByReference(
  message: Pacs008,
  context: SubmissionNow,
  { isFit, refused: byMessage }: { readonly isFit: IsFit; readonly refused: readonly string[] },
): Findings {
  const judged = judgedOf(message, context);
  const before = judgeFit(checksBeforeQuote, judged, isFit);
  const checks =
    message.agreedRate.quoteId === undefined
      ? [...ownExchangeChecks, ownMaximumCheck, pauseCheck]
      : [intermediaryCheck, pauseCheck];
  const after = judgeFit(checks, judged, isFit, [...byMessage, ...xpathsOf(before.rejections)]);
  return {
    rejections: [...before.rejections, ...after.rejections],
    notJudged: [...before.notJudged, ...after.notJudged],
  };
}

export const xpathsOf = (rejections: readonly Rejection[]) =>
  rejections.flatMap(({ xpath }) => (xpath === undefined ? [] : [xpath]));
