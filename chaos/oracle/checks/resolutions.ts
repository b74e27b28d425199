// RES-1 and RES-2: who is asked, when the gateway may answer by itself, and that the source is told at the address that
// it named.
import { at, textAt } from '../read-message.ts';
import { clock, instant, rowsOf, type ResolutionAnswerRow, type ResolutionRow } from '../rows.ts';
import { sourceOf } from '../receivers.ts';
import type { Report } from '../verdict.ts';
import {
  grouped,
  isPost,
  toSubmission,
  type Delivery,
  type Stored,
  type Submission,
  type World,
} from '../world.ts';
import { judgeToldAfter, judgeToldAgain, repeatSpan } from './asked-for.ts';

const earlyMs = 50;
const lateMs = 1_000;

export function judgeResolutions(world: World, report: Report): void {
  const { tables, exchanges } = world.evidence;
  const answers = rowsOf(tables, 'resolution_answers');
  const resolutions = new Map(rowsOf(tables, 'resolutions').map((row) => [row.resolution_id, row]));
  const deliveries = grouped(world.deliveries, ({ row }) => row.subject_id);
  const incoming = grouped(
    world.messages.filter(({ row }) => row.direction === 'in' && row.leg === 'destination'),
    ({ row }) => row.subject_id ?? '',
  );
  const questions = grouped(
    exchanges.filter((one) => isPost(one, '/iso20022/acmt023')).map(toSubmission),
    ({ exchange, sha256 }) => `${exchange.client} ${sha256}`,
  );
  const askedBy = ({ resolution, request }: Judged) =>
    questions.get(`${resolution.source_clearing_system} ${request.sha256}`) ?? [];
  report.examined('R:RES-1', 'answers of resolutions', answers.length);
  const all = answers.flatMap((answer): readonly Judged[] => {
    const resolution = resolutions.get(answer.resolution_id);
    const request = world.messageOf.get(answer.resolution_id);
    if (resolution === undefined || request === undefined) return []; // I-10
    const id = answer.resolution_id;
    return [{ answer, resolution, request, own: deliveries.get(id) ?? [], answers: incoming.get(id) ?? [] }];
  });
  for (const judged of all) {
    judgeCallback(report, judged, new Set(askedBy(judged).map(({ callbackUrl = '' }) => callbackUrl)));
    judgeDeadline(world, report, judged);
    judgeOwnAnswer(world, report, judged);
    judgeFollowUp(world, report, judged);
    judgeFound(world, report, judged);
  }
  judgeLate(world, report, all);
  judgeRepeats(
    world,
    report,
    all.map((judged) => ({ judged, asked: askedBy(judged) })),
  );
}

interface Asked {
  readonly judged: Judged;
  readonly asked: readonly Submission[];
}

/** DUP-1 holds for these too: the same bytes again have the answer told again. */
function judgeRepeats(world: World, report: Report, all: readonly Asked[]): void {
  const { quiet } = world;
  const repeats = all.flatMap(({ judged: { answer, resolution, own }, asked }) => {
    const callback = own.find(({ row }) => row.kind === 'callback');
    const told = {
      subject: answer.resolution_id,
      source: sourceOf(resolution.source_clearing_system),
      closedAt: instant(answer.answered_at),
      callback,
      all: asked,
    };
    return [...asked]
      .sort((one, other) => one.sentAt - other.sentAt)
      .slice(1)
      .filter(({ exchange }) => exchange.status === 200)
      .map((repeat) => ({ told, repeat }));
  });
  report.examined('R:DUP-1', 'repeats of resolutions', repeats.length);
  for (const { told, repeat } of repeats) {
    const [from, to] = [repeat.sentAt - repeatSpan.beforeMs, repeat.sentAt + repeatSpan.afterMs];
    judgeToldAfter(world, report, told, repeat);
    if (to <= quiet.endAt && quiet.isCalm([told.source], from, to))
      judgeToldAgain(world, report, told, repeat);
  }
}

interface Judged {
  readonly answer: ResolutionAnswerRow;
  readonly resolution: ResolutionRow;
  readonly request: Stored;
  readonly own: readonly Delivery[];
  /** Of directory and agent, as they came. */
  readonly answers: readonly Stored[];
}

const asks = (own: readonly Delivery[]) => own.filter(({ row }) => row.kind.endsWith('-enquiry'));
const lineOf = ({ row, attempts }: Delivery) => `${row.kind} to ${row.party}, ${attempts.length} attempts`;

/** RES-1: the same bytes go to `acmt024Endpoint`. */
function judgeCallback(
  report: Report,
  { answer, resolution, own }: Judged,
  named: ReadonlySet<string>,
): void {
  const callback = own.find(({ row }) => row.kind === 'callback');
  const { resolution_id: id } = answer;
  if (callback === undefined) {
    report.breach('R:RES-1', 'A resolution was answered, and its source is not told at its address.', id, [
      answer,
    ]);
    return;
  }
  const isRight =
    callback.row.message_id === answer.answer_message_id &&
    callback.row.party === resolution.source_clearing_system &&
    (named.size === 0 || named.has(callback.row.url ?? ''));
  if (!isRight)
    report.breach('R:RES-1', 'Another message, or another address, than that of the answer is told.', id, [
      callback.row,
      ...named,
    ]);
}

/** RES-1: the deadline is that of the source's system, since the request came or was judged. */
function judgeDeadline(world: World, report: Report, { answer, resolution, request, own }: Judged): void {
  const seconds = world.reference.systems.get(resolution.source_clearing_system)?.maxResolutionSeconds;
  if (asks(own).length === 0 || seconds === undefined) return; // answered at once
  const deadlineAt = instant(resolution.deadline_at);
  const starts = [request.createdAt, instant(resolution.judged_at)];
  const shown = [resolution, answer, `stored ${clock(request.createdAt)}`];
  if (!starts.some((start) => Math.abs(start + seconds * 1_000 - deadlineAt) <= 2))
    report.breach(
      'R:RES-1',
      `The deadline of a resolution is not ${seconds} s after its request.`,
      answer.resolution_id,
      shown,
    );
}

/** RES-1: a busy machine may miss a deadline; a defect misses it every time. */
function judgeLate(world: World, report: Report, all: readonly Judged[]): void {
  const due = all.filter(({ resolution, answer, own }) => {
    const [deadlineAt, answeredAt] = [instant(resolution.deadline_at), instant(answer.answered_at)];
    const isOver = answeredAt >= deadlineAt - earlyMs && asks(own).length > 0;
    return isOver && world.quiet.isCalm([], deadlineAt - 20_000, answeredAt);
  });
  report.examined('R:RES-1', 'deadlines that passed while nothing of ours was broken', due.length);
  const spanOf = ({ resolution, answer }: Judged) => ({
    from: instant(resolution.deadline_at),
    to: instant(answer.answered_at),
  });
  const isLate = (one: Judged) => spanOf(one).to > spanOf(one).from + lateMs;
  const judged = due.filter((one) => {
    const statement = 'A resolution was answered long after its deadline.';
    return !isLate(one) || !report.isUnjudged('R:RES-1', statement, one.answer.resolution_id, spanOf(one));
  });
  const late = judged.filter(isLate);
  if (late.length < 3 || late.length * 2 < judged.length) return;
  const statement = `${late.length} of ${judged.length} resolutions were answered long after their deadline.`;
  report.breach(
    'R:RES-1',
    statement,
    late[0]?.answer.resolution_id ?? '',
    late.map(({ resolution, answer }) => [resolution, answer]),
  );
}

/** RES-1, RES-2: by itself the gateway answers AB08 at the deadline, or where nobody can be asked. */
function judgeOwnAnswer(world: World, report: Report, { answer, resolution, request, own }: Judged): void {
  if (answer.answered_by !== 'gateway' || answer.reason_code !== 'AB08') return;
  const asked = asks(own);
  if (asked.length > 0) {
    const [answeredAt, deadlineAt] = [instant(answer.answered_at), instant(resolution.deadline_at)];
    if (
      answeredAt >= deadlineAt - earlyMs ||
      world.quiet.isOursBroken(answeredAt - 10_000, deadlineAt, 10_000)
    )
      return;
    report.breach('R:RES-1', 'The gateway answered AB08 before the deadline.', answer.resolution_id, [
      resolution,
      answer,
      ...asked.map(lineOf),
    ]);
    return;
  }
  const about = at(request.message?.root, 'Vrfctn/PtyAndAcctId');
  const agent = world.reference.find(at(about, 'Agt'));
  const mayBeAsked = at(about, 'Acct/Prxy') !== undefined || isSupporting(world, agent?.id);
  if (mayBeAsked)
    report.breach('R:RES-2', 'The gateway answered AB08, and asked nobody.', answer.resolution_id, [answer]);
}

function isSupporting({ evidence }: World, institution: string | undefined): boolean {
  const row = (evidence.tables['institutions'] ?? []).find((one) => one['institution_id'] === institution);
  return row?.['supports_acmt023'] === true;
}

/** RES-2: what a directory found is passed on only if its agent is an onboarded one. */
function judgeFound(world: World, report: Report, { answer, request, answers }: Judged): void {
  if (!answer.verified) return;
  const said = answers.flatMap(({ message }) => at(message?.root, 'Rpt/UpdtdPtyAndAcctId/Agt') ?? []);
  const given = at(request.message?.root, 'Vrfctn/PtyAndAcctId/Agt');
  const named = said.length === 0 && given !== undefined ? [given] : said;
  const wrong = named.find((one) => world.reference.find(one)?.isOnboarded !== true);
  if (wrong === undefined) return;
  const agent = world.reference.find(wrong);
  const statement = 'A true answer was passed on of an agent that is unknown, or not onboarded.';
  report.breach('R:RES-2', statement, answer.resolution_id, [answer, agent]);
}

/** RES-2: an account that a directory found is confirmed by its creditor agent, if that supports it. */
function judgeFollowUp(world: World, report: Report, { answer, request, own }: Judged): void {
  if (answer.answered_by !== 'directory' || !answer.verified) return;
  const said = world.messageOf.get(answer.report_message_id ?? '')?.message?.root;
  const found = at(said, 'Rpt/UpdtdPtyAndAcctId');
  const agent =
    world.reference.find(at(found, 'Agt')) ??
    world.reference.find(at(request.message?.root, 'Vrfctn/PtyAndAcctId/Agt'));
  const isKnown =
    textAt(found, 'Acct/Id/IBAN') !== undefined || textAt(found, 'Acct/Id/Othr/Id') !== undefined;
  if (!isKnown || !isSupporting(world, agent?.id)) return;
  report.breach(
    'R:RES-2',
    'A directory’s answer was passed on, and its creditor agent was not asked.',
    answer.resolution_id,
    [answer, ...asks(own).map(lineOf)],
  );
}
