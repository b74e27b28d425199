// Checks that each party was told the result: the source by a callback (I-3), the destination by a
// confirmation (PAY-9). notifications.ts checks FX providers, and alerts.ts checks alerts.
import { textAt } from '../read-message.ts';
import type { Report } from '../verdict.ts';
import type { Payment, World } from '../world.ts';
import { isTakenByOthers } from './deliveries.ts';
import { received, standingOf } from './lines.ts';

export function judgeTold(world: World, report: Report): void {
  const decided = world.payments.filter(({ decision }) => decision !== undefined);
  report.examined('I-3', 'payments with a final status', decided.length);
  report.examined(
    'R:PAY-9',
    'payments that a destination decided',
    decided.filter(({ decision }) => decision?.decided_by === 'destination').length,
  );
  for (const payment of world.payments) {
    judgeCallback(world, report, payment);
    judgeConfirmation(world, report, payment);
  }
  judgeViolations(world, report);
}

/** I-3: the source receives the final pacs.002 of a decided payment, and no other status. */
function judgeCallback(world: World, report: Report, payment: Payment): void {
  const { uetr, decision, row } = payment;
  const arrivals = received(payment, 'source', 'pacs002');
  if (decision === undefined) {
    if (arrivals.length > 0) {
      report.breach(
        'I-3',
        'The source got a callback of a payment that has no final status.',
        uetr,
        arrivals,
      );
    }
    return;
  }
  const delivery = payment.deliveries['callback'];
  const told = world.messageOf.get(decision.callback_message_id ?? '');
  if (delivery === undefined || told === undefined) {
    report.breach('I-3', 'A payment has a final status, and no callback that tells it.', uetr, [decision]);
    return;
  }
  const shown = [standingOf(delivery), ...arrivals];
  if (new Set(arrivals.map(({ sha256 }) => sha256)).size > 1) {
    report.breach('I-3', 'The source got two different final pacs.002 of one payment.', uetr, shown);
  }
  const wrong = arrivals.find(({ status, sha256 }) => status !== decision.status || sha256 !== told.sha256);
  if (wrong !== undefined) {
    report.breach(
      'I-3',
      `The source got ${wrong.status ?? ''}, or other bytes than are stored; the decision is ${decision.status}.`,
      uetr,
      [decision, ...shown],
    );
  }
  const elsewhere = arrivals.find(({ party }) => party !== `source/${row.source_clearing_system}`);
  if (elsewhere !== undefined)
    report.breach('I-3', 'A callback went to a source that did not submit the payment.', uetr, [elsewhere]);
  if (
    told.message?.root !== undefined &&
    textAt(told.message.root, 'TxInfAndSts/TxSts') !== decision.status
  ) {
    report.breach('I-3', 'The callback states another status than the decision.', uetr, [
      decision,
      told.text,
    ]);
  }
  const taken = arrivals.filter(({ httpStatus }) => httpStatus === 200);
  if (delivery.deliveredAt !== undefined && taken.length === 0 && !isTakenByOthers(world, delivery)) {
    report.breach('I-3', 'A callback counts as delivered, and the source never took it.', uetr, shown);
  }
}

/**
 * PAY-9, TIM-1: a destination gets a confirmation in two cases. Either it decided in its HTTP answer, or the
 * gateway rejected the payment after the destination had received the instruction.
 */
function judgeConfirmation(world: World, report: Report, payment: Payment): void {
  const { uetr, decision, row, journal } = payment;
  const arrivals = journal.filter(
    (entry) =>
      entry.direction === 'received' && entry.kind === 'pacs002' && entry.party.startsWith('destination/'),
  );
  const wrong = arrivals.find(({ status }) => status !== decision?.status);
  if (wrong !== undefined) {
    report.breach(
      'R:PAY-9',
      `A destination was told ${wrong.status ?? ''}; the decision is ${decision?.status ?? 'none'}.`,
      uetr,
      [decision, wrong],
    );
  }
  if (decision === undefined || !row.accepted || world.reportedByOthers.has(uetr)) return;
  const isTold = payment.deliveries['confirmation'] !== undefined || arrivals.length > 0;
  if (isTold) return;
  const seen = journal.filter((entry) => entry.kind === 'pacs008' || entry.direction === 'sent');
  if (decision.decided_by === 'gateway') {
    if (seen.length === 0) return;
    report.breach(
      'R:TIM-1',
      'A destination got an instruction that the gateway rejected, and is not told.',
      uetr,
      [decision, ...seen],
    );
    return;
  }
  const told = journal.filter(
    ({ sha256, direction }) => direction === 'sent' && sha256 === sha256OfReport(world, payment),
  );
  const isPosted = told.some(({ note }) => note !== 'in the HTTP answer');
  // The destination may still be posting its report. The answer to that post is then the confirmation.
  const isRecent = (payment.decidedAt ?? 0) > world.quiet.endAt - postMs;
  if (told.length === 0 || isPosted || isRecent) return;
  report.breach('R:PAY-9', 'A destination gave a final, and no confirmation is made.', uetr, [
    decision,
    ...seen,
  ]);
}

const postMs = 15_000; // a party journals a report only after the gateway has answered it

/** Returns the hash of the report on which the decision is based. */
function sha256OfReport({ messageOf }: World, { decision }: Payment): string | undefined {
  return messageOf.get(decision?.report_message_id ?? '')?.sha256;
}

const violationIds: readonly (readonly [RegExp, string])[] = [
  [/^(I-\d+):/, '$1'],
  [/^NOT-[12]:/, 'I-5'],
  [/^PAY-1:/, 'I-3'],
  [/^TIM-2:/, 'I-4'],
  [/^([A-Z]+-\d+):/, 'R:$1'],
];

/** Reports the rule violations that the parties themselves wrote into their journals. */
function judgeViolations(world: World, report: Report): void {
  const { journal } = world.evidence;
  report.examined('R:MSG-8', 'entries of the parties', journal.length);
  for (const entry of journal) {
    const { violation } = entry;
    if (violation === undefined || world.reportedByOthers.has(entry.uetr ?? '')) continue;
    const [pattern, id] = violationIds.find(([one]) => one.test(violation)) ?? [/^.*$/s, 'I-11'];
    const name = violation.replace(new RegExp(`${pattern.source}.*$`, 's'), id);
    report.breach(name, `A party found: ${violation}`, entry.uetr ?? entry.messageId ?? entry.party, [entry]);
  }
}
