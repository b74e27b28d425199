/**
 * Reads and builds the acmt.024 (answer to a resolution request). The gateway passes on the answer of a
 * directory or creditor agent to the source, or builds its own. It never masks or changes a party's
 * statement.
 */
import { assert } from '../assert.ts';
import { reject, type Rejection } from '../rejections/rejection.ts';
import { ok, refused, type Result } from '../result.ts';
import type { RequestReferences } from './acmt023.ts';
import { findUnknownCodes } from './coded-elements.ts';
import { findWrongIbans } from '../payments/iban.ts';
import { messages } from './messages.ts';
import { isReasonCode } from './pacs002.ts';
import { compact } from '../compact.ts';
import {
  buildAccount,
  buildAgent,
  collapsed,
  readAccount,
  readAgent,
  type AccountIdentification,
  type AgentIdentification,
} from './parties.ts';
import { branch, elementAt, leaf, optionalLeaf, renderDocument, textAt, type XmlElement } from './tree.ts';

/** A party's information about an account. */
export interface KnownAccount {
  /** `Pty/Nm`. */
  readonly partyName?: string;
  readonly account?: AccountIdentification;
  /** `Acct/Nm`. */
  readonly accountName?: string;
  readonly agent?: AgentIdentification;
}

export interface Acmt024 {
  readonly messageIdentification: string;
  readonly creationDateTime: string;
  /** The answered request. */
  readonly original: { readonly messageIdentification?: string; readonly creationDateTime?: string };
  /** `OrgnlId`: the request's `Vrfctn/Id`. */
  readonly verificationId: string;
  readonly verified: boolean;
  /** Always present if not verified; NARR if the party gives no code. */
  readonly reasonCode?: string;
  /** `UpdtdPtyAndAcctId`: the account that was found. */
  readonly found?: KnownAccount;
  /** The `IdVrfctnRpt` element. The gateway passes on each part that no rule changes exactly as received. */
  readonly report: XmlElement;
}

const message = messages.acmt024;

function readKnown(element: XmlElement | undefined): KnownAccount | undefined {
  return (
    element &&
    compact<KnownAccount>({
      partyName: textAt(element, 'Pty/Nm'),
      account: readAccount(elementAt(element, 'Acct')),
      accountName: textAt(element, 'Acct/Nm'),
      agent: readAgent(elementAt(element, 'Agt')),
    })
  );
}

function partsOf(document: XmlElement) {
  const report = elementAt(document, message.messageElement);
  const answer = report && elementAt(report, 'Rpt');
  assert(report !== undefined && answer !== undefined, 'a validated acmt.024 has a report');
  const verified = ['true', '1'].includes(collapsed(textAt(answer, 'Vrfctn') ?? ''));
  return { report, answer, verified };
}

/**
 * Finds breaches of the usage guideline in an acmt.024 that passed its schema. They are: a false answer
 * without a reason code, a code that the gateway's edition of the code set lacks, a wrong IBAN. The party's
 * answer counts despite a breach.
 */
export function findAcmt024Faults(document: XmlElement): readonly Rejection[] {
  const { report, answer, verified } = partsOf(document);
  const xpath = `/Document/${message.messageElement}`;
  const isMissing = !verified && textAt(answer, 'Rsn/Cd') === undefined;
  return [
    ...(isMissing ? [reject('element-missing', `${xpath}/Rpt/Rsn/Cd`, 'RES-4')] : []),
    ...findUnknownCodes(report, xpath),
    ...findWrongIbans(report, xpath),
  ];
}

/** Reads an acmt.024 that passed the intake schema or the usage guideline, without further checks. */
export function takeAcmt024(document: XmlElement): Acmt024 {
  const { report, answer, verified } = partsOf(document);
  const reason = textAt(answer, 'Rsn/Cd');
  const isNarrative = reason !== undefined || !verified || elementAt(answer, 'Rsn') !== undefined;
  const created = textAt(report, 'OrgnlAssgnmt/CreDtTm');
  return compact<Acmt024>({
    messageIdentification: textAt(report, 'Assgnmt/MsgId') ?? '',
    creationDateTime: collapsed(textAt(report, 'Assgnmt/CreDtTm') ?? ''),
    original: compact<Acmt024['original']>({
      messageIdentification: textAt(report, 'OrgnlAssgnmt/MsgId'),
      creationDateTime: created === undefined ? undefined : collapsed(created),
    }),
    verificationId: textAt(answer, 'OrgnlId') ?? '',
    verified,
    reasonCode: reason !== undefined && isReasonCode(reason) ? reason : isNarrative ? 'NARR' : undefined,
    found: readKnown(elementAt(answer, 'UpdtdPtyAndAcctId')),
    report,
  });
}

/** Reads an acmt.024; returns its first fault if it breaks the usage guideline. */
export function readAcmt024(document: XmlElement): Result<Acmt024, Rejection> {
  const [fault] = findAcmt024Faults(document);
  return fault === undefined ? ok(takeAcmt024(document)) : refused(fault);
}

/** MsgId and creation time of the gateway's own answer. */
export interface AnswerKey {
  readonly messageIdentification: string;
  readonly creationDateTime: string;
}

const originalAssignment = ({ messageIdentification, creationDateTime }: RequestReferences): XmlElement =>
  branch('OrgnlAssgnmt', leaf('MsgId', messageIdentification), optionalLeaf('CreDtTm', creationDateTime));

function render(...children: readonly XmlElement[]): string {
  return renderDocument(message.namespace, branch('Document', branch(message.messageElement, ...children)));
}

/**
 * Renders a party's answer as XML text for the sender of the original request. The assignee becomes the party
 * that asked, and `OrgnlAssgnmt` names the original request. Everything else stays as received.
 */
export function passOnAcmt024(received: Acmt024, original: RequestReferences, key: AnswerKey): string {
  const assignment = elementAt(received.report, 'Assgnmt');
  const answer = elementAt(received.report, 'Rpt');
  assert(assignment !== undefined && answer !== undefined, 'a validated acmt.024 has a report');
  const { assigner } = original;
  const passed = branch(
    'Assgnmt',
    ...assignment.children.map((one) => {
      if (one.name === 'MsgId') return leaf('MsgId', key.messageIdentification);
      if (one.name === 'CreDtTm') return leaf('CreDtTm', key.creationDateTime);
      return one.name === 'Assgne' && assigner !== undefined ? { ...assigner, name: 'Assgne' } : one;
    }),
  );
  return render(passed, originalAssignment(original), answer);
}

/** An answer of the gateway or of a simulated party. */
export interface Acmt024Statement extends AnswerKey {
  /** The party that answers. */
  readonly assigner: AgentIdentification;
  /** The party that gets the answer, if the request names no assigner. */
  readonly assignee: AgentIdentification;
  readonly verified: boolean;
  readonly reasonCode?: string;
  /** The account as the request names it. */
  readonly asked?: KnownAccount;
  readonly found?: KnownAccount;
}

function buildKnown(name: string, known: KnownAccount | undefined): XmlElement | undefined {
  if (known === undefined) return undefined;
  const { partyName, account, accountName, agent } = known;
  const parts = account && buildAccount('Acct', account).children;
  const part = (wanted: string) => parts?.find((one) => one.name === wanted);
  return branch(
    name,
    partyName === undefined ? undefined : branch('Pty', leaf('Nm', partyName)),
    parts && branch('Acct', part('Id'), optionalLeaf('Nm', accountName), part('Prxy')),
    agent && buildAgent('Agt', agent),
  );
}

/** Renders the answer to a request as XML text. */
export function answerAcmt023(original: RequestReferences, statement: Acmt024Statement): string {
  const { assigner: asker } = original;
  const assignment = branch(
    'Assgnmt',
    leaf('MsgId', statement.messageIdentification),
    leaf('CreDtTm', statement.creationDateTime),
    branch('Assgnr', buildAgent('Agt', statement.assigner)),
    asker === undefined
      ? branch('Assgne', buildAgent('Agt', statement.assignee))
      : { ...asker, name: 'Assgne' },
  );
  const { reasonCode } = statement;
  const answer = branch(
    'Rpt',
    leaf('OrgnlId', original.verificationId),
    leaf('Vrfctn', statement.verified ? 'true' : 'false'),
    reasonCode === undefined ? undefined : branch('Rsn', leaf('Cd', reasonCode)),
    buildKnown('OrgnlPtyAndAcctId', statement.asked),
    buildKnown('UpdtdPtyAndAcctId', statement.found),
  );
  return render(assignment, originalAssignment(original), answer);
}
