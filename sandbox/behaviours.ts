/**
 * A table of how the simulated destination operators behave, by the last four digits of the creditor's account.
 * `destination-operator.ts` acts on it.
 */
import type { AccountIdentification } from '../core/iso20022/parties.ts';

/** The content of a report by the destination. */
export interface Statement {
  readonly status: 'ACCC' | 'RJCT' | 'BLCK' | 'ACWP';
  readonly reasonCode?: string;
}

export interface Behaviour {
  /** How many sends get HTTP 503 first. */
  readonly refusals?: number;
  /**
   * The answer to the send: the outcome in a pacs.002, an interim pacs.002, 202 without a body, or a connection that is
   * closed after the request was read.
   */
  readonly answer: 'outcome' | 'interim' | 'accepted' | 'reset';
  /** The true outcome; absent: it never becomes known. */
  readonly outcome?: Statement;
  /** When the creditor gets the money; default: when the outcome becomes known. */
  readonly creditedOn?: 'receipt';
  /** When separate reports follow; until then the outcome is unknown. */
  readonly reportAfter?: 'answerDelay' | 'interimDelay' | 'deadline';
  /** The reports that follow, each after delivery of the previous one. The first one states the outcome. */
  readonly reports?: readonly Statement[];
}

const credited: Statement = { status: 'ACCC' };
const closedAccount: Statement = { status: 'RJCT', reasonCode: 'AC04' };

/** `0002`, and any account without a row. */
const creditedLater: Behaviour = {
  answer: 'accepted',
  outcome: credited,
  reportAfter: 'answerDelay',
  reports: [credited],
};

const behaviours: Readonly<Partial<Record<string, Behaviour>>> = {
  '0001': { answer: 'outcome', outcome: credited },
  '0002': creditedLater,
  '0003': { answer: 'outcome', outcome: closedAccount },
  '0004': { answer: 'outcome', outcome: { status: 'BLCK' } },
  '0005': { answer: 'accepted' },
  '0006': {
    answer: 'accepted',
    outcome: credited,
    creditedOn: 'receipt',
    reportAfter: 'deadline',
    reports: [credited],
  },
  '0007': { answer: 'reset', outcome: credited },
  '0008': { refusals: 3, answer: 'outcome', outcome: credited },
  '0009': {
    answer: 'accepted',
    outcome: credited,
    reportAfter: 'answerDelay',
    reports: [credited, credited, credited],
  },
  '0010': {
    answer: 'accepted',
    outcome: credited,
    reportAfter: 'answerDelay',
    reports: [credited, closedAccount],
  },
  '0011': { answer: 'interim', outcome: credited, reportAfter: 'interimDelay', reports: [credited] },
};

export function behaviourOf(creditorAccount: AccountIdentification): Behaviour {
  const account = creditorAccount.iban ?? creditorAccount.otherId ?? '';
  return behaviours[account.slice(-4)] ?? creditedLater;
}
