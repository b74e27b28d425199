/** The state of a payment's execution (payment.ts). Temporal rebuilds it from the history on replay. */
import type { Judgement, Route } from '../contract/activities.ts';
import type { PaymentInput } from '../contract/ids.ts';
import type { Decision } from '../core/payments/decision.ts';
import { oneAtATime, type InTurn } from './one-at-a-time.ts';

export type Accepted = Extract<Judgement, { verdict: 'accepted' }>;

export interface Progress {
  readonly input: PaymentInput;
  readonly inTurn: InTurn;
  /** Id of the stored submission that created this payment; undefined until it is known. */
  messageId: string | undefined;
  /** The judgement that created this payment; absent until there is one. */
  judgement?: Exclude<Judgement, { verdict: 'refused' }>;
  refused?: Extract<Judgement, { verdict: 'refused' }>;
  /** A defect of Isthmus prevented any answer to a submission. */
  unanswerable: boolean;
  decision?: Decision;
  /** Whether the activity that decided has told all parties; undefined if it has not tried. */
  isTold?: boolean;
  /** How far the database clock, which counts, was ahead of Temporal's clock at the last reading. */
  clockAheadMs: number;
  /** The source asked for the status, so the instruction must be sent to the destination again. */
  statusAsked: boolean;
  /**
   * The sweep asked this execution to read the database, because the payment is decided or can be decided
   * now.
   */
  lookAsked: boolean;
  rounds: number;
  /** When the last round began, in milliseconds since 1970 by the database clock. */
  sentAt: number;
  roundsUnderWay: number;
  /** The last status that this execution set in the search attributes. */
  shown?: string;
  /** The route of the accepted payment, until this execution has set it in the search attributes. */
  unshown: Route | undefined;
  telling: boolean;
  /**
   * After the current deliveries, another round is needed, because a confirmation may have become due
   * meanwhile.
   */
  confirmationDue: boolean;
}

export function begin(input: PaymentInput): Progress {
  return {
    input,
    inTurn: oneAtATime(),
    messageId: input.messageId,
    unanswerable: false,
    clockAheadMs: 0,
    statusAsked: false,
    lookAsked: false,
    rounds: 0,
    sentAt: 0,
    roundsUnderWay: 0,
    unshown: undefined,
    telling: false,
    confirmationDue: false,
  };
}

/** Milliseconds since 1970 by the database clock, estimated from its last reading. */
export function now({ clockAheadMs }: Pick<Progress, 'clockAheadMs'>): number {
  return Date.now() + clockAheadMs;
}

/** @param databaseNow the current time by the database clock, in milliseconds since 1970 */
export function setClock(progress: Pick<Progress, 'clockAheadMs'>, databaseNow: number): void {
  progress.clockAheadMs = databaseNow - Date.now();
}
