/**
 * A table of the behaviours of the simulated destination operators. The last four digits of the creditor's
 * account select the behaviour. `performance.ts` acts it out.
 */
import type { AccountIdentification } from '../core/iso20022/parties.ts';

/** The status and reason in a destination's report. */
export interface Statement {
  readonly status: 'ACCC' | 'RJCT' | 'BLCK' | 'ACWP';
  readonly reasonCode?: string;
}

export interface Behaviour {
  /** Number of sends that the operator first refuses with HTTP 503. */
  readonly refusals?: number;
  /**
   * The HTTP answer to the instruction. `outcome`: a pacs.002 with the outcome. `interim`: a pacs.002 with an
   * interim status. `accepted`: 202 without a body. `reset`: the operator reads the request, then closes the
   * connection.
   */
  readonly answer: 'outcome' | 'interim' | 'accepted' | 'reset';
  /** The true outcome. If it is absent, the outcome never becomes known. */
  readonly outcome?: Statement;
  /** The time when the creditor gets the money; default: when the outcome becomes known. */
  readonly creditedOn?: 'receipt';
  /** The time when the separate reports begin. Until then the outcome is unknown. */
  readonly reportAfter?: 'answerDelay' | 'interimDelay' | 'deadline';
  /**
   * The separate reports. Each is sent after the delivery of the previous one. The first one states the
   * outcome.
   */
  readonly reports?: readonly Statement[];
}

const credited: Statement = { status: 'ACCC' };
const closedAccount: Statement = { status: 'RJCT', reasonCode: 'AC04' };

/** The behaviour of `0002`, and of every account that the table does not list. */
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
