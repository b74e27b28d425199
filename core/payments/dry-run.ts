/**
 * Finds everything that the gateway would refuse in a message, for a sender who prepares one (`POST
 * /iso20022/validate`). It uses the checks of a submission, but no database: it cannot judge quotes, duplicates and
 * contradictions, and accepts nothing. It lists by name what it did not judge (MSG-14).
 */
import type { NotJudged } from '../rejections/check.ts';
import { readAcmt023 } from '../iso20022/acmt023.ts';
import { findAcmt024Faults } from '../iso20022/acmt024.ts';
import type { MessageName } from '../iso20022/messages.ts';
import { findPacs002Faults } from '../iso20022/pacs002.ts';
import { readPacs008Throughout, type Pacs008 } from '../iso20022/pacs008.ts';
import { elementAt, within, type XmlElement } from '../iso20022/tree.ts';
import { foundValid, maxViolations, rejectionOf, type Violation } from '../iso20022/violation.ts';
import { judgeByReference, xpathsOf } from './judge-payment.ts';
import type { ReferenceData } from '../scheme/reference.ts';
import type { Rejection } from '../rejections/rejection.ts';
import type { Result } from '../result.ts';
import { requestRejectionOf, routeRequest } from '../resolutions/resolution.ts';

/** The layers of checks. Each layer needs values that the previous layer found valid. */
export const layers = ['schema', 'rules', 'reference-data'] as const;
export type Layer = (typeof layers)[number];

export interface DryRun {
  /**
   * The layers that were judged, wholly or in part. The others do not apply to this kind of message, or were
   * not reached.
   */
  readonly judged: readonly Layer[];
  /** In the order of the layers, without duplicates. */
  readonly rejections: readonly Rejection[];
  readonly notJudged: readonly NotJudged[];
}

/** A parsed message with its schema violations. */
export interface ValidatedMessage {
  readonly name: MessageName;
  readonly document: XmlElement;
  readonly violations: readonly Violation[];
}

export interface DryRunContext {
  readonly reference: ReferenceData;
  /** The submitter's clearing system. If undefined, the dry run uses the one that the message states. */
  readonly sourceSystem: string | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * Judges a pacs.008 or acmt.023 as a source's submission, and a pacs.002 or acmt.024 as an answer to the
 * gateway.
 */
export function dryRun(message: ValidatedMessage, context: DryRunContext): DryRun {
  const { name, violations } = message;
  const bySchema = violations.map(name === 'acmt023' ? requestRejectionOf : rejectionOf);
  const { judged, rejections, notJudged } =
    name === 'pacs008' ? judgePacs008(message, context) : judgeOther(message, context);
  // drop a rule's rejection at a place that the schema rejects: it is only a consequence of the schema fault
  const faulty = violations
    .filter(({ isReadable }) => isReadable !== true)
    .map(({ xpath }) => firstOnly(xpath));
  const byRules = rejections.filter(
    ({ xpath = '' }) => !faulty.some((one) => within(xpath, one) || within(one, xpath)),
  );
  return {
    judged: ['schema', ...judged],
    rejections: withoutRepeats([...bySchema, ...byRules]),
    notJudged: [...(violations.length < maxViolations ? [] : [beyondTheFirst]), ...notJudged],
  };
}

/**
 * Removes the position of the first transaction from an XPath. The rules write none, because they read no
 * other.
 */
const firstOnly = (xpath: string) => xpath.replace('/CdtTrfTxInf[1]', '/CdtTrfTxInf');

const beyondTheFirst: NotJudged = {
  name: `faults of the schema beyond the first ${maxViolations}`,
  ruleId: 'MSG-4',
  reason: `No more than ${maxViolations} are reported at once.`,
};

const unread = (ruleIds: readonly (readonly [name: string, ruleId: string])[], reason: string): DryRun => ({
  judged: [],
  rejections: [],
  notJudged: ruleIds.map(([name, ruleId]) => ({ name, ruleId, reason })),
});

const rulesAndReferences = [
  ['rules of the message', 'MSG-4'],
  ['reference data', 'PAY-6'],
  ['freshness', 'TIM-4'],
] as const;

/** Judges each rule whose values are all valid, despite schema faults elsewhere. */
function judgePacs008({ document, violations }: ValidatedMessage, context: DryRunContext): DryRun {
  const hasTransaction = elementAt(document, 'FIToFICstmrCdtTrf/CdtTrfTxInf') !== undefined;
  const isRoot = document.name === 'Document';
  if (!hasTransaction || !isRoot || violations.length >= maxViolations) {
    const reason =
      hasTransaction && isRoot
        ? 'There may be more faults than are reported.'
        : 'There is no transaction to read.';
    return withSubmission(unread(rulesAndReferences, reason));
  }
  const isFit = (xpath: string) => foundValid(xpath, violations);
  const read = readPacs008Throughout(document, isFit);
  const { sourceSystem = read.value.clearingSystemId } = context;
  const referred = judgeByReference(
    read.value,
    { ...context, sourceSystem },
    { isFit, refused: [...violations.map(({ xpath }) => firstOnly(xpath)), ...xpathsOf(read.rejections)] },
  );
  return withSubmission(
    {
      judged: ['rules', 'reference-data'],
      rejections: [...read.rejections, ...referred.rejections],
      notJudged: [...read.notJudged, ...referred.notJudged],
    },
    read.value,
  );
}

const onSubmission = 'Only a submission is checked against stored data.';

/** Elements that the forwarded message replaces; no rule restricts their values in a source's message. */
const replacedOnForwarding: readonly NotJudged[] = (
  [
    ['CreDtTm', 'MSG-9'],
    ['IntrBkSttlmDt', 'MSG-10'],
    ['InstgAgt', 'MSG-10'],
    ['InstdAgt', 'MSG-10'],
  ] as const
).map(([name, ruleId]) => ({
  name,
  ruleId,
  reason: 'It is checked against the schema only: the forwarded message has its own.',
}));

/** Adds the checks that no dry run makes for a pacs.008 to the list of unjudged checks. */
function withSubmission(findings: DryRun, message?: Pacs008): DryRun {
  const quoteId = message?.agreedRate.quoteId;
  const later: readonly NotJudged[] = [
    ...(message !== undefined && quoteId === undefined
      ? []
      : [
          { name: 'quote', ruleId: 'PAY-4', reason: onSubmission },
          { name: 'destination maximum', ruleId: 'PAY-6', reason: 'It is judged with the quote.' },
        ]),
    { name: 'duplicates', ruleId: 'DUP-2', reason: onSubmission },
    { name: 'callback address', ruleId: 'SEC-2', reason: 'It is part of a submission.' },
    {
      name: 'freshness at submission',
      ruleId: 'TIM-4',
      reason: 'AccptncDtTm is compared with the current time; a later submission is judged when it arrives.',
    },
    ...replacedOnForwarding,
  ];
  return { ...findings, notJudged: [...findings.notJudged, ...later] };
}

const duplicatesOf = (name: string): NotJudged => ({ name, ruleId: 'DUP-2', reason: onSubmission });
const matchOf = (name: string, ruleId: string): NotJudged => ({ name, ruleId, reason: onSubmission });

/** The checks of other messages that the gateway makes only on receipt. */
const onReceipt: Readonly<Partial<Record<MessageName, readonly NotJudged[]>>> = {
  acmt023: [
    duplicatesOf('duplicates'),
    { name: 'callback address', ruleId: 'SEC-2', reason: 'It is part of a submission.' },
    {
      name: 'account or proxy',
      ruleId: 'RES-2',
      reason: 'The directory or the creditor agent is asked only on submission.',
    },
  ],
  pacs002: [matchOf('the payment it is about', 'PAY-8'), matchOf('an earlier final status', 'PAY-7')],
  acmt024: [matchOf('the request it answers', 'RES-2')],
  pacs028: [matchOf('the payment it is about', 'TIM-2')],
};

/**
 * The elements, below `Document`, that the rules of each other message need. All must be valid for the rules to run.
 */
const readByRules: Readonly<Partial<Record<MessageName, readonly string[]>>> = {
  acmt023: ['Vrfctn/PtyAndAcctId/Acct', 'Vrfctn/PtyAndAcctId/Agt', 'Assgnmt/Assgne'].map(
    (path) => `IdVrfctnReq/${path}`,
  ),
  acmt024: ['IdVrfctnRpt/Rpt/Vrfctn', 'IdVrfctnRpt/Rpt/Rsn'],
  pacs002: ['FIToFIPmtStsRpt/TxInfAndSts/TxSts', 'FIToFIPmtStsRpt/TxInfAndSts/StsRsnInf'],
};

const messageRules = ['rules of the message', 'MSG-4'] as const;
const rulesOf: Readonly<Partial<Record<MessageName, readonly (readonly [name: string, ruleId: string])[]>>> =
  {
    acmt023: [messageRules, ['reference data', 'RES-2']],
    acmt024: [messageRules],
    pacs002: [messageRules],
  };

/**
 * Judges the other messages. They have few rules beyond their schemas, so their readers report every fault.
 */
function judgeOther(message: ValidatedMessage, context: DryRunContext): DryRun {
  const { name, document, violations } = message;
  const [needed = [], later = [], rules = []] = [readByRules[name], onReceipt[name], rulesOf[name]];
  const unfit = needed.filter((path) => !foundValid(`/Document/${path}`, violations));
  const isReadable = document.name === 'Document' && violations.length < maxViolations && unfit.length === 0;
  if (isReadable) return { ...judgeValid(message, context), notJudged: later };
  const { notJudged, ...rest } = unread(rules, 'The schema refuses what they need.');
  return { ...rest, notJudged: [...notJudged, ...later] };
}

function judgeValid({ name, document }: ValidatedMessage, context: DryRunContext): Omit<DryRun, 'notJudged'> {
  const rules = (reading: Result<unknown, Rejection>): Omit<DryRun, 'notJudged'> => ({
    judged: ['rules'],
    rejections: reading.ok ? [] : [reading.refusal],
  });
  switch (name) {
    case 'acmt023': {
      const reading = readAcmt023(document);
      if (!reading.ok) return rules(reading);
      const routing = routeRequest(reading.value, context.reference, context.sourceSystem);
      return { judged: ['rules', 'reference-data'], rejections: routing.ok ? [] : [routing.refusal] };
    }
    case 'acmt024':
      return { judged: ['rules'], rejections: findAcmt024Faults(document) };
    case 'pacs002':
      return { judged: ['rules'], rejections: findPacs002Faults(document) };
    case 'pacs008':
    case 'pacs028':
    case 'fxtr017':
    case 'camt054':
      return { judged: [], rejections: [] }; // the schemas of these messages contain all rules
  }
}

function withoutRepeats(rejections: readonly Rejection[]): readonly Rejection[] {
  const byKey = new Map(
    rejections.map((one) => [
      `${one.key} ${one.ruleId} ${one.xpath ?? ''} ${one.text} ${one.found ?? ''}`,
      one,
    ]),
  );
  return [...byKey.values()];
}
