// Prints one payment for `isthmus ops show`. It first prints the terms, whether the instruction was sent, and
// the problems for the operator. The whole record follows.
import { reasonInWords, statusInWords } from '../../core/rejections/reason-words.ts';
import { statusStyles, type Style, type Terminal } from '../terminal.ts';
import { printHindrances } from './held-up.ts';
import type { ShownDelivery, ShownEvidence, ShownPause, ShownPayment } from './answers.ts';
import { amountOf, pauseInWords, printEntries, printOutcome, shortTime } from './show.ts';

/** Data that is printed together with the evidence of a payment. */
export interface Beside {
  /** The payment as in lists of payments; undefined until the gateway has decided to accept or reject it. */
  readonly listed: ShownPayment | undefined;
  /** The pause of the destination that caused the refusal; empty if there is none. */
  readonly paused: readonly ShownPause[];
}

export function printEvidence(terminal: Terminal, shown: ShownEvidence, { listed, paused }: Beside): void {
  const { uetr, status, decision, waitsFor } = shown;
  const heading = (text: string) => {
    terminal.line();
    terminal.line(terminal.paint('heading', text));
  };
  terminal.line(
    `${terminal.paint('heading', uetr)}  ${terminal.paint(statusStyles[status] ?? 'name', status)}  ` +
      `${shown.sourceClearingSystem} → ${shown.destinationClearingSystem ?? '-'}  ${shown.priority ?? ''}`,
  );
  if (decision !== null) {
    const reason = [decision.reasonCode && reasonInWords(decision.reasonCode), decision.ruleId]
      .filter((part) => part !== null)
      .join(', ');
    const why = reason === '' ? '' : ` (${reason})`;
    terminal.line(`${decision.status}${why} by ${decision.decidedBy} at ${shortTime(decision.decidedAt)}`);
  }
  for (const one of paused) terminal.line(pauseInWords(one));
  for (const line of needsPerson(shown, listed)) terminal.line(terminal.paint('warning', `! ${line}`));
  if (listed !== undefined) terminal.line(termsOf(listed));
  terminal.line(hasItLeft(shown));
  if (waitsFor !== null) terminal.line(`waits for: ${nextInWords(waitsFor)}`);
  if (shown.hindrances !== null) printHindrances(terminal, shown.hindrances);
  if (shown.outcomes.length > 0) heading('How it ended, as operators recorded');
  for (const one of shown.outcomes) printOutcome(terminal, one);
  heading('Messages');
  const submission = shown.messages.find(isSubmission);
  for (const one of shown.messages) {
    const arrow = arrowOf(one);
    const said = statusInWords(one.status, one.reasonCode);
    const ofRepeat = isOfRepeat(one, { submission, all: shown.messages })
      ? '  (of a repeat, not of the payment)'
      : '';
    const line = `  ${shortTime(one.at)}  ${arrow.padEnd(20)}  ${one.message}  ${said.padEnd(9)}  ${one.messageIdentification}${ofRepeat}`;
    terminal.line(one.isChanged ? terminal.paint('bad', `${line}  (no longer what was stored)`) : line);
  }
  const leftOut = (text: string) => terminal.line(terminal.paint('warning', text));
  for (const { direction, party, message, status, number } of shown.messagesLeftOut) {
    const said = [message, arrowOf({ direction, party }), status].filter((part) => part !== null).join(' ');
    leftOut(`  ${leftOutInWords(said, number)}`);
  }
  heading('Deliveries');
  for (const one of shown.deliveries) printDelivery(terminal, one);
  if (shown.refusedMessages.length > 0) heading('Received, and does not count');
  for (const one of shown.refusedMessages) {
    terminal.line(`  ${shortTime(one.at)}  ${one.party}  ${whyRefused(one)}`);
    terminal.line(`    ${one.size} bytes: ops message ${uetr} ${one.messageId}`);
  }
  if (shown.events.length > 0) heading('Events');
  for (const { at, severity, kind, party, detail } of shown.events) {
    const style: Style = severity === 'info' ? 'muted' : 'warning';
    const told = Object.entries(detail)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => `${name} ${String(value)}`);
    terminal.line(terminal.paint(style, `  ${shortTime(at)}  ${[kind, party ?? '', ...told].join('  ')}`));
  }
  for (const { kind, severity, number } of shown.eventsLeftOut) {
    const where =
      severity === 'info' ? '' : `: ops alerts --subject-id ${uetr} --kind ${kind} --state open,taken,closed`;
    leftOut(`  ${leftOutInWords(kind, number)}${where}`);
  }
  if (shown.entries.length > 0) heading('What was done');
  printEntries(terminal, shown.entries);
}

type ShownMessage = ShownEvidence['messages'][number];

const isSubmission = ({ direction, message }: ShownMessage) =>
  direction === 'in' && message.startsWith('pacs.008');

/**
 * Whether a message answers a second pacs.008 with the same UETR but different content. Such a refusal says
 * nothing about the payment itself.
 */
function isOfRepeat(
  { direction, inReplyTo }: ShownMessage,
  {
    submission,
    all,
  }: { readonly submission: ShownMessage | undefined; readonly all: readonly ShownMessage[] },
): boolean {
  if (direction !== 'out' || inReplyTo === null || inReplyTo === submission?.messageId) return false;
  return all.some((one) => one.messageId === inReplyTo && isSubmission(one));
}

/** Collects the problems that an operator must look at from the whole record. */
function needsPerson({ uetr, deliveries }: ShownEvidence, listed: ShownPayment | undefined): string[] {
  const dead = deliveries.filter(isGivenUp).map(({ kind, party }) => `${kind} to ${party}`);
  return [
    ...(listed?.isContradicted === true
      ? ['Its destination has reported another final status since: payment.contradiction, below (PAY-7)']
      : []),
    ...(dead.length === 0 ? [] : [`Given up: ${dead.join(', ')}; ops redeliver ${uetr} sends it again`]),
  ];
}

function whyRefused({ refusedAs, fault }: ShownEvidence['refusedMessages'][number]): string {
  const told = Object.entries(fault).map(([name, value]) => `${name} ${value ?? 'no code'}`);
  return [refusedAs, ...told].join('  ');
}

const arrowOf = ({ direction, party }: { readonly direction: string; readonly party: string }) =>
  direction === 'in' ? `${party} → us` : `us → ${party}`;

const leftOutInWords = (what: string, number: string) =>
  `… ${number} more ${what}, between the first and the newest, are left out`;

/**
 * Names the next event of the payment, and its time. The time is omitted if two operators must settle the
 * payment, because it is unknown.
 */
const nextInWords = (waitsFor: NonNullable<ShownEvidence['waitsFor']>) =>
  waitsFor.what === 'person' ? 'two operators (settle)' : `${waitsFor.what}, ${dueTime(waitsFor)}`;

/**
 * Formats the time of the next event. A time in the past means that an enquiry was not sent or a deadline was
 * missed.
 */
function dueTime({ at }: NonNullable<ShownEvidence['waitsFor']>): string {
  const isOverdue = at !== null && Date.parse(at) <= Date.now();
  return isOverdue ? `due since ${shortTime(at)}` : shortTime(at);
}

/** Describes the amounts and parties of a payment, for an operator who answers a caller. */
function termsOf(one: ShownPayment): string {
  const parts = [
    `${amountOf(one.sourceAmount)} → ${amountOf(one.destinationAmount)}`,
    `${amountOf(one.creditorAccountAmount)} to the creditor's account`,
    `from ${one.debtorAgent ?? '-'} to ${one.creditorAgent ?? '-'}`,
    ...(one.fxp === null ? [] : [`FX provider ${one.fxp}`]),
    ...(one.endToEndId === null ? [] : [`EndToEndId ${one.endToEndId}`]),
  ];
  return parts.join('   ');
}

/**
 * Says whether the instruction was sent to the destination, judging by the delivery attempts. Callers ask
 * this first.
 */
function hasItLeft({ deliveries, status, priority }: ShownEvidence): string {
  const instruction = deliveries.find(({ kind }) => kind === 'instruction');
  const { attempts = [], attemptsLeftOut = [] } = instruction ?? {};
  const isOpen = ['ACTC', 'INDOUBT'].includes(status);
  if (attempts.length === 0) {
    return isOpen || status === 'RCVD'
      ? 'Nothing has left for its destination yet; it still may.'
      : 'Nothing ever left for its destination.';
  }
  const numberOf = (is: (outcome: string | null) => boolean) =>
    attempts.filter(({ outcome }) => is(outcome)).length +
    attemptsLeftOut.reduce((sum, { outcome, number }) => sum + (is(outcome) ? Number(number) : 0), 0);
  const all = numberOf(() => true);
  const answered = numberOf((outcome) => outcome === 'ANSWERED');
  const maybe = numberOf((outcome) => outcome !== 'ANSWERED' && outcome !== 'NOT_SENT');
  const tries = all === 1 ? '1 attempt' : `${all} attempts`;
  if (answered > 0) return `It has left: ${tries}, ${answered} answered.`;
  if (maybe > 0) return `It may have left: ${tries}, none answered; its destination may have read it.`;
  const end = isOpen && priority === 'NORM' ? '; if none has left 60 s after acceptance: RJCT ED06' : '';
  return `Nothing has left for its destination: ${tries}, each failed before the first byte${end}.`;
}

const isGivenUp = ({ kind, deliveredAt, closedAt }: ShownDelivery) =>
  closedAt !== null && deliveredAt === null && kind !== 'instruction';

function printDelivery(terminal: Terminal, delivery: ShownDelivery): void {
  const { kind, party, deliveredAt, closedAt, closedReason, nextDueAt, attempts, attemptsLeftOut } = delivery;
  const how =
    deliveredAt !== null
      ? `taken ${shortTime(deliveredAt)}`
      : closedAt !== null
        ? `closed ${shortTime(closedAt)} (${closedReason ?? ''})`
        : `next ${shortTime(nextDueAt)}`;
  const line = `  ${kind.padEnd(13)} ${party}: ${how}`;
  terminal.line(isGivenUp(delivery) ? terminal.paint('bad', line) : line);
  for (const one of attempts) {
    const counts = one.errorClass === null ? '' : ` (${one.errorClass})`;
    const came =
      one.httpStatus === null ? (one.errorClass ?? 'under way') : `HTTP ${one.httpStatus}${counts}`;
    const took = one.durationMs === null ? '' : ` after ${one.durationMs} ms`;
    terminal.line(
      terminal.paint(
        'muted',
        `    ${one.attempt.padStart(2)}  ${shortTime(one.startedAt)}  ${one.outcome ?? 'open'} ${came}${took}  ${one.url ?? ''}`,
      ),
    );
    if (one.responseExcerpt !== null && one.responseExcerpt !== '') {
      terminal.line(terminal.paint('muted', `        "${one.responseExcerpt}"`));
    }
  }
  for (const { outcome, number } of attemptsLeftOut)
    terminal.line(terminal.paint('warning', `     ${leftOutInWords(outcome ?? 'open', number)}`));
}
