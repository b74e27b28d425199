// I-11: every message that the gateway built is stored and valid, has a unique MsgId, and states the decision
// (MSG-8, MSG-11, PAY-9, RES-3). deliveries.ts compares the bytes that arrived. forwarded.ts checks the
// forwarded pacs.008.
import { at, contentOf, textAt, type Element } from '../read-message.ts';
import { rowsOf } from '../rows.ts';
import type { Report } from '../verdict.ts';
import type { Payment, Stored, World } from '../world.ts';
import { judgeForwarded } from './forwarded.ts';
import { faultsIn } from './lines.ts';

const maxIdLength = 35; // MSG-9: the greatest length of a MsgId

export function judgeMessages(world: World, report: Report): void {
  const out = world.messages.filter(({ row }) => row.direction === 'out');
  report.examined('I-11', 'outgoing messages', out.length);
  const holders = new Map<string, string>();
  for (const stored of out) {
    const id = judgeStored(report, stored);
    const holder = holders.get(id);
    if (holder !== undefined) {
      report.breach('I-11', 'Two outgoing messages have the same MsgId (MSG-9).', subjectOf(stored), [
        `MsgId ${id}`,
        holder,
        stored.row.message_id,
      ]);
    }
    holders.set(id, stored.row.message_id);
  }
  for (const { row, sha256 } of world.messages) {
    if (row.sha256.replace(/^\\x/, '') !== sha256) {
      report.breach(
        'I-11',
        'A stored message is not the one whose hash is stored with it.',
        row.subject_id ?? row.message_id,
        [row],
      );
    }
  }
  for (const payment of world.payments) judgePayment(world, report, payment);
  judgeResolutionAnswers(world, report);
}

const subjectOf = ({ row }: Stored) => row.subject_id ?? row.message_id;

/** @returns the MsgId in the message's bytes, or the database id of a message that cannot be parsed */
function judgeStored(report: Report, stored: Stored): string {
  const { row, message } = stored;
  if (message === undefined) {
    report.breach('I-11', 'An outgoing message cannot be read.', subjectOf(stored), [stored.text]);
    return row.message_id;
  }
  if (message.type !== row.message_type) {
    report.breach(
      'I-11',
      `A message of type ${message.type} is stored as ${row.message_type}.`,
      subjectOf(stored),
      [row],
    );
  }
  if (message.faults.length > 0) {
    report.breach('I-11', `An outgoing ${message.type} is not valid by its schema.`, subjectOf(stored), [
      ...message.faults,
      stored.text,
    ]);
  }
  const of = (header: string) => textAt(message.root, `${header}/MsgId`);
  const id = of('GrpHdr') ?? of('Assgnmt') ?? of('TradInf') ?? '';
  if (id !== row.message_identification || id.length === 0 || id.length > maxIdLength) {
    report.breach(
      'I-11',
      'An outgoing message has another MsgId than its row, or none that may be used.',
      subjectOf(stored),
      [`${id} instead of ${row.message_identification}`],
    );
  }
  return id;
}

function judgePayment(world: World, report: Report, payment: Payment): void {
  const { uetr, row, decision, original: about, forwarded } = payment;
  if (row.accepted) judgeForwarded(world, report, payment);
  const first = row.accepted
    ? { status: 'ACTC', reason: null }
    : { status: 'RJCT', reason: decision?.reason_code ?? null };
  const stored = (id: string | null) => world.messageOf.get(id ?? '');
  judgeReport(report, uetr, { stored: stored(row.answer_message_id), about, ...first, reader: 'source' });
  if (decision === undefined) return;
  const final = { status: decision.status, reason: decision.reason_code };
  const callback = stored(decision.callback_message_id);
  judgeReport(report, uetr, { stored: callback, about, ...final, reader: 'source' });
  if (!row.accepted) return;
  judgeReport(report, uetr, {
    stored: stored(decision.confirmation_message_id),
    about: forwarded?.message?.root,
    ...final,
    reader: 'destination',
  });
}

interface Expected {
  readonly stored: Stored | undefined;
  /** The pacs.008 to which the pacs.002 refers. */
  readonly about: Element | undefined;
  readonly status: string;
  readonly reason: string | null;
  readonly reader: 'source' | 'destination';
}

/** MSG-11, PAY-9: checks a pacs.002 from the gateway about a pacs.008. */
function judgeReport(
  report: Report,
  uetr: string,
  { stored, about, status, reason, reader }: Expected,
): void {
  const root = stored?.message?.root;
  if (root === undefined) {
    report.breach('I-11', `The pacs.002 that tells ${status} is not stored.`, uetr, []);
    return;
  }
  const told = (path: string) => textAt(root, `TxInfAndSts/${path}`);
  const wrong = faultsIn([
    ['TxSts', told('TxSts'), status],
    ['StsRsnInf/Rsn/Cd', told('StsRsnInf/Rsn/Cd'), reason ?? undefined],
    ['OrgnlGrpInf/OrgnlMsgId', told('OrgnlGrpInf/OrgnlMsgId'), textAt(about, 'GrpHdr/MsgId')],
    ['OrgnlUETR', told('OrgnlUETR'), uetr],
  ]);
  if (wrong.length === 0) return;
  const id = told('TxSts') === status ? 'I-11' : 'I-4';
  const statement = `A pacs.002 to the ${reader} does not say what it must (MSG-11, PAY-9).`;
  report.breach(id, statement, uetr, wrong);
}

/** RES-1, RES-3: the source gets the answer on record, and that answer repeats the party's answer unchanged. */
function judgeResolutionAnswers({ evidence, messageOf }: World, report: Report): void {
  const answers = rowsOf(evidence.tables, 'resolution_answers');
  report.examined('R:RES-3', 'answers of resolutions', answers.length);
  for (const row of answers) {
    const answer = messageOf.get(row.answer_message_id);
    const own = answer?.message?.root;
    const told = [textAt(own, 'Rpt/Vrfctn'), textAt(own, 'Rpt/Rsn/Cd') ?? null];
    const said = messageOf.get(row.report_message_id ?? '')?.message?.root;
    const shown = [row, answer?.text];
    if (told[0] !== String(row.verified) || told[1] !== row.reason_code) {
      const statement = 'A source was told another answer than the one on record.';
      report.breach('R:RES-1', statement, row.resolution_id, shown);
    } else if (row.report_message_id === null && row.verified)
      report.breach('R:RES-1', 'The gateway by itself found an account.', row.resolution_id, shown);
    else if (row.report_message_id !== null && contentOf(at(own, 'Rpt')) !== contentOf(at(said, 'Rpt'))) {
      const statement = "A party's answer was changed on its way to the source.";
      report.breach('R:RES-3', statement, row.resolution_id, shown);
    }
  }
}
