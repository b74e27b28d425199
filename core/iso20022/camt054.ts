/**
 * Builds the camt.054 that reports the decided payments of one book in one period. It contains institutions, ids and
 * amounts, but no personal data. A long notification has several pages; each page is a message.
 */
import type { FinalStatus } from '../payments/report.ts';
import { messages } from './messages.ts';
import { buildAgent, buildAmount, type AgentIdentification, type Amount } from './parties.ts';
import { branch, leaf, optionalLeaf, renderDocument, type XmlElement } from './tree.ts';

/** DBIT: the money left the book's owner; CRDT: the money reached it. */
export type Direction = 'CRDT' | 'DBIT';

export interface NumberAndSum {
  readonly number: number;
  /** Plain decimal, in the currency of the book. */
  readonly sum: string;
}

/** Totals of all entries and by direction. */
export interface Counted {
  readonly all: NumberAndSum;
  readonly credits: NumberAndSum;
  readonly debits: NumberAndSum;
}

/** Credits minus debits; the amount has no sign. */
export interface NetAmount {
  readonly amount: string;
  readonly direction: Direction;
}

/** Entries with one final status. */
export interface CountedStatus extends Counted {
  readonly status: FinalStatus;
  readonly net: NetAmount;
}

/** One payment of the book. */
export interface Camt054Entry {
  /** Its number in the notification, from 1. */
  readonly reference: number;
  readonly amount: Amount;
  readonly direction: Direction;
  readonly status: FinalStatus;
  readonly reasonCode?: string;
  /** The rule by which the gateway rejected the payment; absent if another party decided. */
  readonly ruleId?: string;
  /** UTC, with milliseconds. */
  readonly decidedAt: string;
  readonly messageIdentification: string;
  readonly endToEndId: string;
  readonly uetr: string;
  /** The amount on the other side of the exchange; absent if the reader may not see it. */
  readonly counterAmount?: Amount;
  readonly debtorAgent: AgentIdentification;
  readonly creditorAgent: AgentIdentification;
}

/** One page. Its totals cover the entries of all pages, whatever their status. */
export interface Camt054 extends Counted {
  readonly messageIdentification: string;
  /** Id of the notification, the same on each page. */
  readonly id: string;
  readonly page: number;
  readonly isLastPage: boolean;
  /** UTC; `from` is inclusive, `to` exclusive. */
  readonly from: string;
  readonly to: string;
  /** Clearing system id, or account id. */
  readonly book: string;
  readonly currency: string;
  /** The settlement access provider that holds the account. */
  readonly servicer?: AgentIdentification;
  /** One total for each status that occurs, and always one for ACCC, the booked entries. */
  readonly byStatus: readonly CountedStatus[];
  readonly entries: readonly Camt054Entry[];
}

const message = messages.camt054;
const issuer = 'ISTHMUS';

const numberAndSum = ({ number, sum }: NumberAndSum) => [
  leaf('NbOfNtries', String(number)),
  leaf('Sum', sum),
];
const transactionCode = (status: FinalStatus) =>
  branch('BkTxCd', branch('Prtry', leaf('Cd', status), leaf('Issr', issuer)));

/** TtlNtries has no net amount: nobody owes a net amount over booked and unbooked entries. */
const buildSummary = ({ all, credits, debits, byStatus }: Camt054): XmlElement =>
  branch(
    'TxsSummry',
    branch('TtlNtries', ...numberAndSum(all)),
    branch('TtlCdtNtries', ...numberAndSum(credits)),
    branch('TtlDbtNtries', ...numberAndSum(debits)),
    ...byStatus.map((one) =>
      branch(
        'TtlNtriesPerBkTxCd',
        ...numberAndSum(one.all),
        branch('TtlNetNtry', leaf('Amt', one.net.amount), leaf('CdtDbtInd', one.net.direction)),
        branch('CdtNtries', ...numberAndSum(one.credits)),
        branch('DbtNtries', ...numberAndSum(one.debits)),
        transactionCode(one.status),
      ),
    ),
  );

/**
 * Adds the rule to the gateway's rejections. After the gateway's `AB03 TIM-1`, the payee may still be
 * credited; a plain `AB03` is the destination's.
 */
const whyNotCredited = ({ reasonCode, ruleId }: Camt054Entry) =>
  reasonCode === undefined || ruleId === undefined ? reasonCode : `${reasonCode} ${ruleId}`;

function buildEntry(entry: Camt054Entry): XmlElement {
  const { status, direction, counterAmount } = entry;
  return branch(
    'Ntry',
    leaf('NtryRef', String(entry.reference)),
    buildAmount('Amt', entry.amount),
    leaf('CdtDbtInd', direction),
    branch('Sts', leaf('Cd', status === 'ACCC' ? 'BOOK' : 'INFO')),
    branch('BookgDt', leaf('DtTm', entry.decidedAt)),
    transactionCode(status),
    branch(
      'NtryDtls',
      branch(
        'TxDtls',
        branch(
          'Refs',
          leaf('MsgId', entry.messageIdentification),
          leaf('EndToEndId', entry.endToEndId),
          leaf('UETR', entry.uetr),
        ),
        counterAmount && branch('AmtDtls', branch('CntrValAmt', buildAmount('Amt', counterAmount))),
        branch(
          'RltdAgts',
          buildAgent('DbtrAgt', entry.debtorAgent),
          buildAgent('CdtrAgt', entry.creditorAgent),
        ),
        optionalLeaf('AddtlTxInf', whyNotCredited(entry)),
      ),
    ),
  );
}

/** Renders the camt.054 as XML text. */
export function buildCamt054(values: Camt054): string {
  const { servicer } = values;
  const notification = branch(
    message.messageElement,
    branch(
      'GrpHdr',
      leaf('MsgId', values.messageIdentification),
      leaf('CreDtTm', values.to),
      branch('MsgPgntn', leaf('PgNb', String(values.page)), leaf('LastPgInd', String(values.isLastPage))),
    ),
    branch(
      'Ntfctn',
      leaf('Id', values.id),
      leaf('CreDtTm', values.to),
      branch('FrToDt', leaf('FrDtTm', values.from), leaf('ToDtTm', values.to)),
      branch(
        'Acct',
        branch('Id', branch('Othr', leaf('Id', values.book))),
        leaf('Ccy', values.currency),
        servicer && buildAgent('Svcr', servicer),
      ),
      buildSummary(values),
      ...values.entries.map(buildEntry),
    ),
  );
  return renderDocument(message.namespace, branch('Document', notification));
}
