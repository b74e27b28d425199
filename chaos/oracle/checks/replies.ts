// Every pacs.002 of ours that answers a message names that message, and its row says what it says (MSG-11); how
// messages are refused that use the keys of an earlier one, and the security event of each (DUP-2).
import { at, informationIn, textAt, type Element } from '../read-message.ts';
import type { Report } from '../verdict.ts';
import { grouped, type Payment, type Stored, type World } from '../world.ts';
import type { Line } from './shown-members.ts';
import { faultsIn } from './shown-members.ts';

/** An answer of ours, and the submission that it answers. */
interface Reply {
  readonly answer: Stored;
  readonly told: Element;
  readonly about: Stored;
  /** `FIToFICstmrCdtTrf` of that submission. */
  readonly submitted: Element;
}

export function judgeReplies(world: World, report: Report): void {
  const reports = world.messages.filter(({ row }) => row.message_type === 'pacs002');
  for (const one of reports) judgeRow(report, one);
  const answers = reports.filter(({ row }) => row.direction === 'out' && row.in_reply_to !== null);
  const replies = answers.flatMap((answer) => replyOf(world, report, answer));
  const refusals = replies.filter(({ about }) => isRefused(world, about));
  report.examined('I-11', 'answers to submissions, and what they answer', replies.length);
  report.examined('R:DUP-2', 'refused messages', refusals.length);
  for (const reply of replies) judgeReferences(report, reply);
  for (const refusal of refusals) {
    judgeRefusal(world, report, refusal);
    judgeEvents(world, report, refusal);
  }
  judgeBaseless(world, report, refusals);
}

const reasonIn = (told: Element | undefined) => textAt(told, 'TxInfAndSts/StsRsnInf/Rsn/Cd');
const subjectOf = ({ row }: Stored) => row.subject_id ?? row.message_id;

/** Status and reason stand beside every pacs.002, ours or a destination's, as they stand in it. */
function judgeRow(report: Report, { row, message }: Stored): void {
  if (message === undefined) return;
  const wrong = faultsIn([
    ['status', row.status, textAt(message.root, 'TxInfAndSts/TxSts') ?? null],
    ['reason_code', row.reason_code, reasonIn(message.root) ?? null],
  ]);
  if (wrong.length === 0) return;
  const statement = 'A pacs.002 is on record with another status, or reason, than it states.';
  report.breach('I-11', statement, row.subject_id ?? row.message_id, [row, ...wrong]);
}

function replyOf({ messageOf }: World, report: Report, answer: Stored): readonly Reply[] {
  const about = messageOf.get(answer.row.in_reply_to ?? '');
  const [told, submitted] = [answer.message?.root, about?.message?.root];
  if (about !== undefined && told !== undefined && submitted !== undefined)
    return [{ answer, told, about, submitted }];
  if (told !== undefined && about === undefined)
    report.breach('I-11', 'A pacs.002 answers a message that is not stored.', subjectOf(answer), [
      answer.row,
    ]);
  return [];
}

/** DUP-2: a message that made no payment, and is not waiting for its judgement: its UETR or MsgId was taken. */
const isRefused = ({ paymentOf }: World, { row }: Stored) =>
  paymentOf.get(row.subject_id ?? '')?.row.message_id !== row.message_id;

/** MSG-11: the ids of the very message that is answered, whatever was sent before under the same UETR. */
function judgeReferences(report: Report, { answer, told, about, submitted }: Reply): void {
  const transaction = at(told, 'TxInfAndSts');
  const { message_identification: messageId, subject_id: uetr, party } = about.row;
  const isValid = about.message?.faults.length === 0;
  const wrong = faultsIn([
    ['OrgnlMsgId', textAt(transaction, 'OrgnlGrpInf/OrgnlMsgId'), messageId],
    ['OrgnlMsgNmId', textAt(transaction, 'OrgnlGrpInf/OrgnlMsgNmId'), 'pacs.008.001.13'],
    ['OrgnlUETR', textAt(transaction, 'OrgnlUETR'), uetr],
    ['party', answer.row.party, party],
    ['leg', answer.row.leg, 'source'],
    ['subject', answer.row.subject_id, uetr],
    ...(isValid ? repeated(transaction, submitted) : invented(transaction, submitted)),
  ]);
  if (wrong.length === 0) return;
  const statement = 'An answer does not name the message that it answers (MSG-11).';
  report.breach('I-11', statement, subjectOf(answer), [`answers ${about.row.message_id}`, ...wrong]);
}

/** By which an answer names an agent. */
const idsOf = (agent: string, other: string): readonly (readonly [string, string])[] =>
  ['BICFI', 'LEI'].map((name) => [`${agent}/FinInstnId/${name}`, `CdtTrfTxInf/${other}/FinInstnId/${name}`]);

/** Where an answer has what it repeats, and where the message has that; agents swapped (MSG-11). */
const repeatedPaths: readonly (readonly [ours: string, theirs: string])[] = [
  ['OrgnlGrpInf/OrgnlCreDtTm', 'GrpHdr/CreDtTm'],
  ['OrgnlInstrId', 'CdtTrfTxInf/PmtId/InstrId'],
  ['OrgnlEndToEndId', 'CdtTrfTxInf/PmtId/EndToEndId'],
  ['OrgnlTxId', 'CdtTrfTxInf/PmtId/TxId'],
  ...idsOf('InstgAgt', 'InstdAgt'),
  ...idsOf('InstdAgt', 'InstgAgt'),
];

/** Of a valid message, all of it; SEC-9: after a defect of ours, nothing but the keys. */
function repeated(transaction: Element | undefined, submitted: Element): readonly Line[] {
  if (textAt(transaction, 'StsRsnInf/Rsn/Cd') === 'NARR') return [];
  return [
    ['its MsgId', textAt(transaction, 'OrgnlGrpInf/OrgnlMsgId'), textAt(submitted, 'GrpHdr/MsgId')],
    ['its UETR', textAt(transaction, 'OrgnlUETR'), textAt(submitted, 'CdtTrfTxInf/PmtId/UETR')],
    ...repeatedPaths.map(([ours, theirs]): Line => [
      ours,
      textAt(transaction, ours),
      textAt(submitted, theirs),
    ]),
  ];
}

const textsIn = ({ text, children }: Element): readonly string[] => [text, ...children.flatMap(textsIn)];

/** MSG-2: of one that is not valid, what can be repeated; what it does not say anywhere is never told. */
function invented(transaction: Element | undefined, submitted: Element): readonly Line[] {
  const said = new Set(textsIn(submitted));
  return repeatedPaths
    .map(([ours]): Line => [ours, textAt(transaction, ours), 'what it said'])
    .filter(([, is]) => typeof is === 'string' && !said.has(is));
}

const ofTakenKeys: readonly string[] = ['DUPL', 'DU01'];

/** DUP-2: RJCT; DUPL for a known UETR, DU01 for a known MsgId; a broken copy is told that the first stands. */
function judgeRefusal(world: World, report: Report, { answer, told, about }: Reply): void {
  const payment = world.paymentOf.get(about.row.subject_id ?? '');
  const status = textAt(told, 'TxInfAndSts/TxSts');
  const reason = reasonIn(told) ?? '';
  const show = [`answers ${about.row.message_id} of ${about.row.party}`, `told ${status ?? ''} ${reason}`];
  const breach = (statement: string) => {
    report.breach('R:DUP-2', statement, subjectOf(answer), show);
  };
  if (status !== 'RJCT') breach('A message that made no payment was not answered RJCT.');
  else if (reason === 'DUPL' && payment === undefined) breach('DUPL was told of a UETR that nobody used.');
  else if (reason === 'DU01' && !isMessageIdTaken(world, about))
    breach('DU01 was told of a MsgId that its sender had not used.');
  else if (reason === 'DU01' && wasKnown(world, payment, about))
    breach('DU01 was told of a message whose UETR was known: it is DUPL.');
  else if (!ofTakenKeys.includes(reason) && isBrokenCopyUntold(payment, about, told))
    breach('A broken copy of a payment was not told that the first message stands.');
}

function isMessageIdTaken({ payments }: World, { row }: Stored): boolean {
  return payments.some(
    (one) =>
      one.uetr !== row.subject_id &&
      one.row.source_clearing_system === row.party &&
      textAt(one.original, 'GrpHdr/MsgId') === row.message_identification,
  );
}

const lockMs = 5_000; // a payment's time is that of the begin of its statement; a lock may hold it up

/** Whether the payment of its UETR was there long before the message was stored. */
function wasKnown({ quiet }: World, payment: Payment | undefined, { createdAt }: Stored): boolean {
  if (payment === undefined || payment.judgedAt > createdAt - lockMs) return false;
  return !quiet.isOursBroken(payment.judgedAt, createdAt, lockMs);
}

function isBrokenCopyUntold(payment: Payment | undefined, { row }: Stored, told: Element): boolean {
  if (payment?.row.source_clearing_system !== row.party) return false;
  return !informationIn(told).some((text) => /^DUP-2\b/.test(text));
}

const [contentChanged, uetrOfAnother] = ['payment.content-changed', 'payment.uetr-of-another'] as const;

/** The security event that a refused message must have; undefined: none. */
function eventDue({ paymentOf }: World, { about, told }: Reply): string | undefined {
  const payment = paymentOf.get(about.row.subject_id ?? '');
  const reason = reasonIn(told);
  if (payment === undefined || reason === 'DU01') return undefined;
  if (payment.row.source_clearing_system !== about.row.party)
    return reason === 'DUPL' ? uetrOfAnother : undefined;
  const isSameKey = textAt(payment.original, 'GrpHdr/MsgId') === about.row.message_identification;
  return isSameKey ? contentChanged : undefined;
}

/** DUP-2: written with the refusal: one, of the right kind, that names the message and its sender. */
function judgeEvents(world: World, report: Report, refusal: Reply): void {
  const { row } = refusal.about;
  const due = eventDue(world, refusal);
  const own = world.events.filter(
    ({ kind, detail }) =>
      [contentChanged, uetrOfAnother].some((one) => one === kind) && detail['messageId'] === row.message_id,
  );
  const isRight =
    due === undefined
      ? own.length === 0
      : own.length === 1 &&
        own.every(
          (one) =>
            one.kind === due &&
            one.severity === 'security' &&
            one.party === row.party &&
            one.subject_id === row.subject_id,
        );
  if (isRight) return;
  const statement = `A message under the keys of another has another security event than ${due ?? 'none'}.`;
  report.breach('R:DUP-2', statement, subjectOf(refusal.about), [
    `message ${row.message_id} of ${row.party}`,
    ...own,
  ]);
}

/** An event of a message that was not refused accuses somebody of what nobody did. */
function judgeBaseless({ events }: World, report: Report, refusals: readonly Reply[]): void {
  const refused = grouped(refusals, ({ about }) => about.row.message_id);
  const told = events.filter(({ kind }) => [contentChanged, uetrOfAnother].some((one) => one === kind));
  report.examined('R:DUP-2', 'events of messages under the keys of another', told.length);
  for (const event of told.filter(({ detail }) => !refused.has(String(detail['messageId'])))) {
    const statement = 'A security event tells of a message that was not refused.';
    report.breach('R:DUP-2', statement, event.subject_id ?? '', [event]);
  }
}
