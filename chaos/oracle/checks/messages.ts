// I-11: every message that we built is stored, valid, unique by its MsgId and says what the rules say (MSG-8 to MSG-11,
// PAY-9, RES-3). What arrives is compared in deliveries.ts; the forwarded pacs.008 in forwarded.ts.
import { at, contentOf, informationIn, render, textAt, type Element } from '../read-message.ts';
import type { Report } from '../verdict.ts';
import type { Payment, Stored, World } from '../world.ts';
import { judgeForwarded } from './forwarded.ts';

const maxIdLength = 35; // MSG-9

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
  judgeResolutionLegs(world, report);
}

const subjectOf = ({ row }: Stored) => row.subject_id ?? row.message_id;

/** Answers the MsgId that stands in its bytes. */
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
  const paths = {
    pacs008: 'GrpHdr/MsgId',
    pacs002: 'GrpHdr/MsgId',
    pacs028: 'GrpHdr/MsgId',
    acmt023: 'Assgnmt/MsgId',
    acmt024: 'Assgnmt/MsgId',
    fxtr017: 'TradInf/MsgId',
  };
  const id = textAt(message.root, paths[message.type]) ?? '';
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
  const { row, decision, original, forwarded } = payment;
  if (row.accepted) judgeForwarded(world, report, payment);
  const answer = world.messageOf.get(row.answer_message_id);
  const callback = world.messageOf.get(decision?.callback_message_id ?? '');
  const confirmation = world.messageOf.get(decision?.confirmation_message_id ?? '');
  const first = row.accepted
    ? { status: 'ACTC', reason: null }
    : { status: 'RJCT', reason: decision?.reason_code ?? null };
  judgeReport(report, payment, { stored: answer, about: original, ...first, isSwapped: true });
  if (decision === undefined) return;
  const final = { status: decision.status, reason: decision.reason_code };
  judgeReport(report, payment, { stored: callback, about: original, ...final, isSwapped: true });
  judgeReason(report, payment, { callback, confirmation });
  if (!row.accepted) return;
  judgeReport(report, payment, {
    stored: confirmation,
    about: forwarded?.message?.root,
    ...final,
    isSwapped: false,
  });
}

/**
 * MSG-11, PAY-9, LIF-4: who is rejected by the gateway itself is told by which rule, and a destination that it returns
 * what it has credited; what people found out says so; to what a destination decided nothing is added.
 */
function judgeReason(
  report: Report,
  { uetr, row, decision }: Payment,
  { callback, confirmation }: Record<'callback' | 'confirmation', Stored | undefined>,
): void {
  if (decision === undefined) return;
  const { decided_by: by, rule_id: rule } = decision;
  const own: Readonly<Record<string, readonly string[]>> = {
    operator: ['LIF-4'],
    gateway: [rule ?? 'a rule'],
  };
  const rules = own[by] ?? [];
  const returning = by === 'gateway' ? ['PAY-9'] : [];
  const due = [
    { told: callback, rules },
    ...(row.accepted ? [{ told: confirmation, rules: [...rules, ...returning] }] : []),
  ];
  for (const { told, rules: mustBe } of due) {
    const texts = informationIn(told?.message?.root);
    const are = texts.map((text) => text.split(/[ :]/, 1)[0]);
    if (are.join() === mustBe.join()) continue;
    const statement = 'A final pacs.002 does not say by which rules it is, or says what nobody has decided.';
    report.breach('R:MSG-11', statement, uetr, [decision, `AddtlInf: ${texts.join(' | ')}`, mustBe.join()]);
  }
}

interface Expected {
  readonly stored: Stored | undefined;
  /** The pacs.008 that it is about. */
  readonly about: Element | undefined;
  readonly status: string;
  readonly reason: string | null;
  /** To the sender of that pacs.008: agents swapped (MSG-11). To its receiver: as they stand there (PAY-9). */
  readonly isSwapped: boolean;
}

/** MSG-11, PAY-9: a pacs.002 of ours about a pacs.008. */
function judgeReport(
  report: Report,
  payment: Payment,
  { stored, about, status, reason, isSwapped }: Expected,
): void {
  const { uetr } = payment;
  const root = stored?.message?.root;
  if (stored === undefined || root === undefined) {
    report.breach('I-11', `The pacs.002 that tells ${status} is not stored.`, uetr, []);
    return;
  }
  const isValidOriginal = payment.submission?.message?.faults.length === 0;
  const transaction = at(about, 'CdtTrfTxInf');
  const told = (path: string) => textAt(root, `TxInfAndSts/${path}`);
  const agents = isSwapped ? (['InstdAgt', 'InstgAgt'] as const) : (['InstgAgt', 'InstdAgt'] as const);
  const keys: readonly (readonly [string, string | undefined, string | undefined])[] = [
    ['TxSts', told('TxSts'), status],
    ['StsRsnInf/Rsn/Cd', told('StsRsnInf/Rsn/Cd'), reason ?? undefined],
    ['OrgnlGrpInf/OrgnlMsgId', told('OrgnlGrpInf/OrgnlMsgId'), textAt(about, 'GrpHdr/MsgId')],
    ['OrgnlGrpInf/OrgnlMsgNmId', told('OrgnlGrpInf/OrgnlMsgNmId'), 'pacs.008.001.13'],
    ['OrgnlUETR', told('OrgnlUETR'), uetr],
  ];
  const references: readonly (readonly [string, string | undefined, string | undefined])[] = [
    ['OrgnlGrpInf/OrgnlCreDtTm', told('OrgnlGrpInf/OrgnlCreDtTm'), textAt(about, 'GrpHdr/CreDtTm')],
    ['OrgnlInstrId', told('OrgnlInstrId'), textAt(transaction, 'PmtId/InstrId')],
    ['OrgnlEndToEndId', told('OrgnlEndToEndId'), textAt(transaction, 'PmtId/EndToEndId')],
    ['OrgnlTxId', told('OrgnlTxId'), textAt(transaction, 'PmtId/TxId')],
    ['InstgAgt', agentOf(at(root, 'TxInfAndSts/InstgAgt')), agentOf(at(transaction, agents[0]))],
    ['InstdAgt', agentOf(at(root, 'TxInfAndSts/InstdAgt')), agentOf(at(transaction, agents[1]))],
  ];
  const wrong = [...keys, ...(isValidOriginal ? references : [])].filter(([, is, mustBe]) => is !== mustBe);
  if (wrong.length === 0) return;
  const lines = wrong.map(
    ([path, is, mustBe]) => `${path}: ${is ?? 'missing'} instead of ${mustBe ?? 'none'}`,
  );
  const isStatus = wrong.some(([path]) => path === 'TxSts');
  report.breach(
    isStatus ? 'I-4' : 'I-11',
    `A pacs.002 to the ${isSwapped ? 'source' : 'destination'} does not say what it must (MSG-11, PAY-9).`,
    uetr,
    lines,
  );
}

/** What identifies an agent: names and addresses need not be repeated. */
function agentOf(agent: Element | undefined): string | undefined {
  if (agent === undefined) return undefined;
  const institution = at(agent, 'FinInstnId');
  const parts = ['BICFI', 'ClrSysMmbId', 'LEI', 'Othr']
    .map((name) => at(institution, name))
    .filter((one) => one !== undefined);
  const text = parts.map((one) => render(one)).join('');
  return text === '' ? undefined : text;
}

/** RES-3: the legs of a resolution. */
function judgeResolutionLegs(world: World, report: Report): void {
  const requests = world.messages.filter(
    ({ row }) => row.message_type === 'acmt023' && row.direction === 'in',
  );
  const legs = world.messages.filter(({ row }) => row.message_type === 'acmt023' && row.direction === 'out');
  const answers = world.messages.filter(
    ({ row }) => row.message_type === 'acmt024' && row.direction === 'out',
  );
  report.examined('R:RES-3', 'messages of resolutions', legs.length + answers.length);
  const requestOf = new Map(requests.map((one) => [one.row.message_id, one]));
  for (const leg of legs) judgeLeg(report, leg, requestOf.get(leg.row.subject_id ?? ''));
  for (const answer of answers)
    judgeAnswer(world, report, answer, requestOf.get(answer.row.in_reply_to ?? ''));
}

/** What a leg may differ in. */
const ofLeg: ReadonlySet<string> = new Set(['MsgId', 'CreDtTm', 'Assgne']);

function judgeLeg(report: Report, leg: Stored, request: Stored | undefined): void {
  const subject = subjectOf(leg);
  const [own, theirs] = [leg.message?.root, request?.message?.root];
  if (own === undefined || theirs === undefined) {
    report.breach('R:RES-3', 'A request was passed on that nobody made.', subject, [leg.row]);
    return;
  }
  const assignment = (root: Element) =>
    at(root, 'Assgnmt')
      ?.children.filter(({ name }) => !ofLeg.has(name))
      .map(render)
      .join('');
  const asked = (root: Element, path: string) => at(root, `Vrfctn/PtyAndAcctId/${path}`);
  const wrong = [
    ['Assgnmt', assignment(own), assignment(theirs)],
    ['Vrfctn/Id', textAt(own, 'Vrfctn/Id'), textAt(theirs, 'Vrfctn/Id')],
    ['Pty', render(asked(own, 'Pty')), render(asked(theirs, 'Pty'))],
    ['Acct/Prxy', render(asked(own, 'Acct/Prxy')), render(asked(theirs, 'Acct/Prxy'))],
    ...(['Acct/Id', 'Agt'] as const)
      .filter((path) => asked(theirs, path) !== undefined)
      .map((path) => [path, render(asked(own, path)), render(asked(theirs, path))]),
  ].filter(([, is, mustBe]) => is !== mustBe);
  if (wrong.length > 0) report.breach('R:RES-3', 'A request was changed on its way.', subject, wrong);
  if (textAt(own, 'Assgnmt/MsgId') === textAt(theirs, 'Assgnmt/MsgId')) {
    report.breach('R:RES-3', 'A leg of a resolution has the MsgId of its request (MSG-9).', subject, []);
  }
}

function judgeAnswer(world: World, report: Report, answer: Stored, request: Stored | undefined): void {
  const [own, asked] = [answer.message?.root, request?.message?.root];
  const subject = subjectOf(answer);
  if (own === undefined || request === undefined) {
    report.breach('R:RES-3', 'An acmt.024 answers no request.', subject, [answer.row]);
    return;
  }
  if (textAt(own, 'OrgnlAssgnmt/MsgId') !== request.row.message_identification) {
    report.breach('R:RES-3', "An acmt.024 does not name the source's own message.", subject, [answer.text]);
  }
  const row = (world.evidence.tables['resolution_answers'] ?? []).find(
    (one) => one['answer_message_id'] === answer.row.message_id,
  );
  if (row === undefined) return; // of a refused repeat
  const verified = textAt(own, 'Rpt/Vrfctn');
  const reason = textAt(own, 'Rpt/Rsn/Cd') ?? null;
  if (verified !== String(row['verified']) || reason !== row['reason_code']) {
    report.breach('R:RES-1', 'A source was told another answer than the one on record.', subject, [
      row,
      answer.text,
    ]);
  }
  const said = world.messageOf.get(String(row['report_message_id']))?.message?.root;
  if (row['report_message_id'] === null) {
    if (verified === 'true')
      report.breach('R:RES-1', 'The gateway by itself found an account.', subject, [row]);
    return;
  }
  if (asked === undefined || contentOf(at(own, 'Rpt')) !== contentOf(at(said, 'Rpt'))) {
    report.breach('R:RES-3', "A party's answer was changed on its way to the source.", subject, [
      answer.text,
    ]);
  }
}
