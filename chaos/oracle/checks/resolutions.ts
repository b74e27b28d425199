// RES-1: the source of a resolution gets the answer at the address that it named. If a directory or a
// creditor agent is asked, the gateway does not answer AB08 before the deadline.
import { instant, rowsOf, type ResolutionAnswerRow, type ResolutionRow } from '../rows.ts';
import type { Report } from '../verdict.ts';
import { grouped, isPost, toSubmission, type Delivery, type World } from '../world.ts';

const earlyMs = 50;

interface Judged {
  readonly answer: ResolutionAnswerRow;
  readonly resolution: ResolutionRow;
  readonly callback: Delivery | undefined;
  /** Whether the gateway asked a directory or a creditor agent. */
  readonly isAsked: boolean;
  readonly answeredAt: number;
  readonly deadlineAt: number;
}

export function judgeResolutions(world: World, report: Report): void {
  const { tables, exchanges } = world.evidence;
  const answers = rowsOf(tables, 'resolution_answers');
  const resolutions = new Map(rowsOf(tables, 'resolutions').map((row) => [row.resolution_id, row]));
  const deliveries = grouped(world.deliveries, ({ row }) => row.subject_id);
  const asked = grouped(
    exchanges.filter((one) => isPost(one, '/iso20022/acmt023')).map(toSubmission),
    ({ exchange, sha256 }) => `${exchange.client} ${sha256}`,
  );
  report.examined('R:RES-1', 'answers of resolutions', answers.length);
  const all = answers.flatMap((answer): readonly Judged[] => {
    const resolution = resolutions.get(answer.resolution_id);
    if (resolution === undefined) return []; // I-10 covers a missing resolution
    const own = deliveries.get(answer.resolution_id) ?? [];
    return [
      {
        answer,
        resolution,
        callback: own.find(({ row }) => row.kind === 'callback'),
        isAsked: own.some(({ row }) => row.kind.endsWith('-enquiry')),
        answeredAt: instant(answer.answered_at),
        deadlineAt: instant(resolution.deadline_at),
      },
    ];
  });
  for (const judged of all) {
    const { resolution_id: id, source_clearing_system: system } = judged.resolution;
    const questions = asked.get(`${system} ${world.messageOf.get(id)?.sha256 ?? ''}`) ?? [];
    judgeCallback(report, judged, new Set(questions.map(({ callbackUrl = '' }) => callbackUrl)));
    judgeEarly(world, report, judged);
  }
}

function judgeCallback(
  report: Report,
  { answer, resolution, callback }: Judged,
  named: ReadonlySet<string>,
): void {
  const row = callback?.row;
  const isRight =
    row?.message_id === answer.answer_message_id &&
    row.party === resolution.source_clearing_system &&
    (named.size === 0 || named.has(row.url ?? ''));
  if (isRight) return;
  const statement = 'A resolution was answered, and its source is not told that at its address.';
  report.breach('R:RES-1', statement, answer.resolution_id, [answer, row, ...named]);
}

function judgeEarly({ quiet }: World, report: Report, judged: Judged): void {
  const { answer, resolution, isAsked, answeredAt, deadlineAt } = judged;
  if (answer.answered_by !== 'gateway' || answer.reason_code !== 'AB08' || !isAsked) return;
  if (answeredAt >= deadlineAt - earlyMs || quiet.isOursBroken(answeredAt - 10_000, deadlineAt, 10_000))
    return;
  const statement = 'The gateway answered AB08 before the deadline.';
  report.breach('R:RES-1', statement, answer.resolution_id, [resolution, answer]);
}
