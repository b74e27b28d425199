/**
 * Acts out the behaviour of a ledger row (behaviours.ts): it answers the instruction, moves the money and
 * sends the reports. Money moves at most once per row, even if the instruction is sent several times.
 */
import type { Statement } from './behaviours.ts';
import { problem, type PartyAnswer } from './http.ts';
import type { NewEntry } from './journal.ts';
import type { LedgerRow, Report } from './ledger.ts';
import { deliverReport, makeReport, sentEntry, type ReportingTools } from './reports.ts';

export interface PerformanceTools extends ReportingTools {
  /** Whether the gateway rejected the payment before the instruction arrived here. */
  readonly isCancelled: (uetr: string) => boolean;
}

export interface Performance {
  /**
   * Answers and journals a pacs.008, either the first send or an enquiry.
   * @param entry the journal entry of the pacs.008, without the HTTP status of the answer
   */
  answerInstruction(row: LedgerRow, entry: NewEntry): PartyAnswer;
  /** Reverses the credit of a payment that the gateway rejected, and prevents a later credit. */
  reverse(row: LedgerRow): void;
}

/** The outcome that a destination reports for a payment that the gateway rejected. */
export const rejectedByGateway: Statement = { status: 'RJCT', reasonCode: 'AB03' };

export function openPerformance(tools: PerformanceTools): Performance {
  const { journal, isCancelled } = tools;
  return {
    answerInstruction(row, entry) {
      if (row.begun) return answerEnquiry(tools, row, entry);
      if (row.refused < (row.behaviour.refusals ?? 0) && !isCancelled(row.uetr)) {
        row.refused += 1;
        journal.record({ ...entry, httpStatus: 503, note: `refused ${row.refused}` });
        return problem(503, 'this account is refused at first');
      }
      row.begun = true;
      if (!isCancelled(row.uetr)) return begin(tools, row, entry);
      journal.record({ ...entry, httpStatus: 200, note: 'the gateway had rejected it before' });
      return answerWith(tools, row, settle(tools, row, rejectedByGateway));
    },
    reverse(row) {
      if (row.movement === 'moved') book(tools, row, 'reversed');
      row.report = makeReport(row, rejectedByGateway);
    },
  };
}

/** Starts the behaviour. It journals the message before the booking that the message causes. */
function begin(tools: PerformanceTools, row: LedgerRow, entry: NewEntry): PartyAnswer {
  const { journal, log, party } = tools;
  const { answer, outcome, creditedOn, reports } = row.behaviour;
  if (reports !== undefined) {
    reportLater(tools, row).catch((error: unknown) => log('report-failed', { party, error: String(error) }));
  }
  if (answer === 'accepted') {
    journal.record({ ...entry, httpStatus: 202 });
    if (creditedOn === 'receipt') book(tools, row, 'moved');
    return { status: 202 };
  }
  if (answer === 'reset')
    journal.record({ ...entry, note: 'the connection was cut after the request was read' });
  else journal.record({ ...entry, httpStatus: 200 });
  if (answer === 'interim')
    return answerWith(tools, row, (row.interim = makeReport(row, { status: 'ACWP' })));
  if (outcome === undefined) throw new Error('this behaviour answers with its outcome, yet has none');
  const report = settle(tools, row, outcome);
  return answer === 'reset' ? 'reset' : answerWith(tools, row, report);
}

/**
 * Repeats the report with the outcome in the same bytes. If the outcome is unknown, it repeats the earlier
 * answer.
 */
function answerEnquiry(tools: PerformanceTools, row: LedgerRow, entry: NewEntry): PartyAnswer {
  const known = row.report ?? row.interim;
  const httpStatus = known === undefined ? 202 : 200;
  tools.journal.record({ ...entry, note: 'enquiry', httpStatus });
  return known === undefined ? { status: 202 } : answerWith(tools, row, known);
}

function answerWith({ journal, party }: PerformanceTools, row: LedgerRow, report: Report): PartyAnswer {
  journal.record({ ...sentEntry(party, row, report), note: 'in the HTTP answer' });
  return { status: 200, contentType: 'application/xml', body: report.text };
}

/** Books the outcome and makes it known, so that enquiries get it as their answer. */
function settle(tools: PerformanceTools, row: LedgerRow, outcome: Statement): Report {
  if (outcome.status === 'ACCC' && row.movement === 'none') book(tools, row, 'moved');
  return (row.report = makeReport(row, outcome));
}

function book({ journal, party }: PerformanceTools, row: LedgerRow, movement: 'moved' | 'reversed'): void {
  row.movement = movement;
  const { settlement, creditedAmount } = row.pacs008;
  const { amount, currency } = settlement;
  journal.record({
    party,
    direction: 'booked',
    kind: 'ledger',
    uetr: row.uetr,
    status: movement,
    amount,
    currency,
    creditedAmount,
  });
}

async function reportLater(tools: PerformanceTools, row: LedgerRow): Promise<void> {
  const { outcome, reports = [], creditedOn } = row.behaviour;
  await tools.outbound.after(delayOf(tools, row));
  if (outcome === undefined) return;
  // If a report already exists, the gateway has rejected the payment meanwhile, and no report is sent.
  // Account 0006 is an exception: it credits on receipt, so it always has a report here, and still sends
  // another.
  if (row.report !== undefined && creditedOn !== 'receipt') return;
  const first = row.report === undefined ? settle(tools, row, outcome) : makeReport(row, outcome);
  for (const statement of reports) {
    await deliverReport(tools, row, statement === outcome ? first : makeReport(row, statement));
  }
}

function delayOf({ timings }: PerformanceTools, { pacs008, behaviour }: LedgerRow): number {
  if (behaviour.reportAfter === 'interimDelay') return timings.interimDelayMs;
  if (behaviour.reportAfter !== 'deadline') return timings.answerDelayMs;
  const deadline = pacs008.acceptanceAt + pacs008.clearingSystem.maxExecutionSeconds * 1_000;
  return Math.max(0, deadline + timings.lateByMs - Date.now());
}
