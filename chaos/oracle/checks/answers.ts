// Checks the HTTP answers that senders got. Each answer must be stored (I-10), must state the final status
// once it exists (I-1, I-13), and must follow the rules for its message (R:...).
import type { Exchange, Expected } from '../evidence.ts';
import { textAt, type Message } from '../read-message.ts';
import { clock } from '../rows.ts';
import type { Report } from '../verdict.ts';
import {
  finals,
  grouped,
  isPost,
  sha256Of,
  toSubmission,
  type Payment,
  type Stored,
  type Submission,
  type World,
} from '../world.ts';
import { lineOfExchange } from './lines.ts';

/** Reads TxSts and the reason of a pacs.002, or Vrfctn and the reason of an acmt.024. */
function toldBy(message: Message | undefined): {
  readonly status: string;
  readonly reason: string | undefined;
} {
  const { root } = message ?? {};
  if (message?.type === 'acmt024') {
    return { status: textAt(root, 'Rpt/Vrfctn') ?? '', reason: textAt(root, 'Rpt/Rsn/Cd') };
  }
  return {
    status: textAt(root, 'TxInfAndSts/TxSts') ?? '',
    reason: textAt(root, 'TxInfAndSts/StsRsnInf/Rsn/Cd'),
  };
}

export function judgeAnswers(world: World, report: Report): void {
  const answered = world.submissions.filter(({ exchange }) => exchange.status === 200);
  report.examined('I-1', 'answers 200 to a pacs.008', answered.length);
  report.examined('I-10', 'answers 200 to a pacs.008', answered.length);
  for (const submission of answered) judgeAnswer(world, report, submission);
  judgeRepeats(world, report, answered);
  judgeOtherAnswers(world, report);
}

const describe = ({ exchange }: Submission) => lineOfExchange(exchange);

/**
 * An answer with HTTP 200 contains a message about the submission. The submission and the answer are both
 * stored, and the answer agrees with the stored status.
 */
function judgeAnswer(world: World, report: Report, submission: Submission): void {
  const { exchange, answer } = submission;
  const subject = exchange.uetr ?? exchange.messageId ?? exchange.path;
  const root = answer?.root;
  const show = [describe(submission), exchange.responseBody ?? ''];
  if (answer?.type !== 'pacs002') {
    report.breach('I-1', 'A pacs.008 was answered 200 with something other than a pacs.002.', subject, show);
    return;
  }
  if (exchange.uetr !== undefined && textAt(root, 'TxInfAndSts/OrgnlUETR') !== exchange.uetr) {
    report.breach('I-1', 'The answer is about another payment.', subject, show);
  }
  const stored = incoming(world, submission);
  if (stored === undefined) {
    report.breach('I-10', 'A submission was answered 200 and is not stored.', subject, show);
    return;
  }
  const answers = (world.messagesBySha.get(sha256Of(exchange.responseBody ?? '')) ?? []).filter(
    ({ row }) => row.direction === 'out',
  );
  const [told] = answers;
  if (told === undefined) {
    report.breach(
      'I-10',
      'What a sender was answered is not stored: PAY-2 wants it durable first.',
      subject,
      show,
    );
  } else if (told.createdAt > submission.endedAt + 2) {
    const times = [describe(submission), `stored ${clock(told.createdAt)}`];
    report.breach('I-10', 'A sender was answered before the answer was stored (PAY-2).', subject, times);
  }
  judgeStatus(world, report, { submission, stored, told });
}

/** Finds the stored row of the submission. */
function incoming(world: World, { sha256, exchange }: Submission): Stored | undefined {
  return world.messagesBySha
    .get(sha256)
    ?.find(({ row }) => row.direction === 'in' && row.leg === 'source' && row.party === exchange.client);
}

interface Judged {
  readonly submission: Submission;
  readonly stored: Stored;
  readonly told: Stored | undefined;
}

const untilCommittedMs = 5_000; // decided_at is the start of the SQL statement; a lock may delay its commit

/**
 * PAY-1, PAY-10: after the decision, the answer and the callback are the same message. Before the decision,
 * every answer is the same message as the first answer.
 */
function judgeBytes(report: Report, payment: Payment, { submission, told }: Judged): void {
  const { row, decision } = payment;
  const ids = [row.answer_message_id, decision?.callback_message_id ?? null];
  if (told === undefined || ids.includes(told.row.message_id)) return; // I-10 checks that the answer is stored
  const statement = 'A sender was answered with another message than the one that its callback gets (PAY-1).';
  report.breach('I-3', statement, payment.uetr, [describe(submission), told.text]);
}

function judgeStatus(world: World, report: Report, judged: Judged): void {
  const { submission, stored } = judged;
  const { exchange, answer, sentAt } = submission;
  const { status } = toldBy(answer);
  const payment = world.paymentOf.get(exchange.uetr ?? '');
  const show = [describe(submission), `told ${status}`];
  const subject = exchange.uetr ?? exchange.path;
  if (payment === undefined || payment.row.message_id !== stored.row.message_id) {
    judgeRefusal(report, { submission, payment });
    return;
  }
  judgeBytes(report, payment, judged);
  const { decision, decidedAt = Infinity } = payment;
  if (finals.includes(status)) {
    if (decision === undefined) {
      report.breach(
        'I-1',
        `A sender was told ${status}, and the payment has no final status.`,
        subject,
        show,
      );
    } else if (decision.status !== status) {
      report.breach('I-4', `A sender was told ${status}, the decision is ${decision.status}.`, subject, [
        ...show,
        decision,
      ]);
    }
    return;
  }
  if (status !== 'ACTC')
    report.breach('I-1', `A sender was told ${status}, which no answer may say (PAY-1).`, subject, show);
  else if (!payment.row.accepted) {
    report.breach('I-1', 'A sender was told ACTC of a payment that was rejected at once.', subject, [
      ...show,
      decision,
    ]);
  } else if (sentAt > decidedAt + untilCommittedMs) {
    const shown = [...show, `decided ${clock(decidedAt)}: ${decision?.status ?? ''}`];
    report.breach('I-13', 'An enquiry after the decision was told ACTC (DUP-1).', subject, shown);
  }
}

/** A message that made no payment, such as a repeat with other content, is answered RJCT (DUP-2). */
function judgeRefusal(
  report: Report,
  { submission, payment }: { readonly submission: Submission; readonly payment: Payment | undefined },
): void {
  const { exchange, answer } = submission;
  const { status, reason } = toldBy(answer);
  const subject = exchange.uetr ?? exchange.path;
  if (status === 'RJCT') return;
  const show = [describe(submission), `told ${status} ${reason ?? ''}`];
  if (payment === undefined) {
    report.breach('I-10', `A sender was told ${status}, and there is no such payment.`, subject, show);
  } else {
    const told = 'Another message under the ids of a payment was not refused (DUP-2).';
    report.breach('I-13', told, subject, [...show, `the payment's message: ${payment.row.message_id}`]);
  }
}

/**
 * Checks that the same bytes from the same sender get at most one final answer and at most one ACTC answer.
 */
function judgeRepeats(world: World, report: Report, answered: readonly Submission[]): void {
  const groups = [...grouped(answered, ({ exchange, sha256 }) => `${exchange.client} ${sha256}`).values()];
  report.examined('I-13', 'distinct submissions', groups.length);
  report.examined('I-13', 'repeats', answered.length - groups.length);
  for (const group of groups) {
    const texts = grouped(group, ({ exchange }) => exchange.responseBody ?? '');
    const isFinal = (text: string) => finals.includes(toldBy(texts.get(text)?.[0]?.answer).status);
    const subject = group[0]?.exchange.uetr ?? '';
    const toldFinals = [...texts.keys()].filter(isFinal);
    const toldOthers = [...texts.keys()].filter((text) => !isFinal(text));
    if (toldFinals.length > 1) {
      report.breach('I-13', 'The same bytes got two different final answers.', subject, group.map(describe));
    }
    if (toldOthers.length > 1) {
      report.breach('I-13', 'The same bytes got two different answers ACTC.', subject, group.map(describe));
    }
    const firstFinal = group.find(({ exchange }) => isFinal(exchange.responseBody ?? ''));
    const later = group.find(
      ({ exchange, sentAt }) =>
        sentAt > (firstFinal?.endedAt ?? Infinity) && !isFinal(exchange.responseBody ?? ''),
    );
    if (firstFinal !== undefined && later !== undefined) {
      report.breach(
        'I-13',
        'A sender that had the final was told less by a repeat.',
        subject,
        [firstFinal, later].map(describe),
      );
    }
  }
  judgeMessageIds(world, report);
}

/** DUP-2: a sender has at most one accepted payment per MsgId. */
function judgeMessageIds(world: World, report: Report): void {
  const accepted = world.payments.filter(({ row }) => row.accepted);
  const holders = grouped(
    accepted,
    ({ row, original }) => `${row.source_clearing_system} ${textAt(original, 'GrpHdr/MsgId') ?? row.uetr}`,
  );
  for (const [key, payments] of holders) {
    if (payments.length < 2) continue;
    const all = payments.map(({ uetr, judgedAt }) => `${uetr} accepted ${clock(judgedAt)}`);
    report.breach(
      'I-13',
      `Two payments were accepted under one MsgId, ${key} (DUP-2).`,
      payments[1]?.uetr ?? '',
      all,
    );
  }
}

/**
 * Checks the answers to resolution requests, and all answers for which the load recorded an `expected`
 * answer.
 */
function judgeOtherAnswers(world: World, report: Report): void {
  const { exchanges } = world.evidence;
  const resolutions = exchanges.filter((one) => isPost(one, '/iso20022/acmt023') && one.status === 200);
  report.examined('I-10', 'answers 200 to an acmt.023', resolutions.length);
  for (const exchange of resolutions) {
    const submission = toSubmission(exchange);
    const subject = exchange.messageId ?? exchange.path;
    if (incoming(world, submission) === undefined) {
      report.breach('I-10', 'A request was answered 200 and is not stored.', subject, [describe(submission)]);
    }
    if (world.messagesBySha.get(sha256Of(exchange.responseBody ?? '')) === undefined) {
      report.breach('I-10', 'What a sender was answered is not stored.', subject, [describe(submission)]);
    }
  }
  const expecting = exchanges.filter((one) => one.expected !== undefined && isHeldAgainst(one));
  report.examined('R:MSG-3', 'answers to messages of which the rules are known', expecting.length);
  for (const exchange of expecting) {
    if (exchange.expected !== undefined) judgeExpected(world, report, exchange, exchange.expected);
  }
}

/** Whether the answer can violate an expectation. A missing answer, a 5xx and a 429 cannot. */
function isHeldAgainst({ status }: Exchange): boolean {
  return status !== undefined && status < 500 && status !== 429;
}

function judgeExpected(world: World, report: Report, exchange: Exchange, expected: Expected): void {
  const submission = toSubmission(exchange);
  const { status, reason } = toldBy(submission.answer);
  const subject = exchange.uetr ?? exchange.messageId ?? exchange.path;
  const show = [
    describe(submission),
    `told ${status} ${reason ?? ''}`,
    `expected ${JSON.stringify(expected)}`,
    exchange.responseBody ?? '',
  ];
  if (expected.verdict === 'refused') {
    if (exchange.status === expected.status) return;
    const statement = `A message that must be refused with HTTP ${expected.status} was not.`;
    report.breach('R:MSG-3', statement, subject, show);
    return;
  }
  if (expected.verdict === 'answered') {
    if (exchange.status === 200) return;
    const statement = `What must be answered was refused with HTTP ${exchange.status ?? ''}.`;
    report.breach(`R:${expected.rule}`, statement, subject, show);
    return;
  }
  if (exchange.status !== 200) {
    const statement = `A message that must get a message as its answer got HTTP ${exchange.status ?? ''}.`;
    report.breach('R:MSG-3', statement, subject, show);
    return;
  }
  const isRefused = status === 'RJCT' || status === 'false';
  if (expected.verdict === 'rejected') {
    if (isRefused && reason === expected.code) return;
    const statement = `A message that must be rejected with ${expected.code} was told ${status} ${reason ?? ''}.`;
    report.breach('R:MSG-3', statement, subject, show);
    return;
  }
  if (!isRefused) return;
  const payment = world.paymentOf.get(exchange.uetr ?? '');
  const isOfDestination = payment?.row.accepted === true;
  if (isOfDestination || expected.orCodes?.includes(reason ?? '') === true || reason === 'AB03') return;
  if (payment?.decision?.rule_id === 'LIF-5') return; // the destination was paused; checks/pauses.ts judges this payment
  if (status === 'false' && reason === 'AB08') return; // RES-1: the resolution got no answer in time
  const statement = `A message that the rules accept was rejected with ${reason ?? 'no code'}.`;
  report.breach('R:MSG-3', statement, subject, show);
}
