/** The state of a payment's execution (payment.ts). Temporal rebuilds it from the history on replay. */
import type { Judgement } from '../contract/activities.ts';
import type { PaymentInput } from '../contract/ids.ts';
import type { Decision } from '../core/payments/decision.ts';
import { oneAtATime, type InTurn } from './one-at-a-time.ts';

export type Accepted = Extract<Judgement, { verdict: 'accepted' }>;

export interface Progress {
  readonly input: PaymentInput;
  readonly inTurn: InTurn;
  /** Id of the stored submission that created this payment, as soon as it is known. */
  messageId: string | undefined;
  /** The judgement that created this payment, once there is one. */
  judgement?: Exclude<Judgement, { verdict: 'refused' }>;
  refused?: Extract<Judgement, { verdict: 'refused' }>;
  /** A submission met a defect of ours, and could not be answered at all. */
  unanswerable: boolean;
  decision?: Decision;
  /** By how much the database's clock, which decides, was ahead of the engine's at the last reading. */
  clockAheadMs: number;
  /** The source asked for the status, so the instruction must go to the destination once more. */
  statusAsked: boolean;
  /** The sweep asks this execution to read the record: it has decided, or the time to decide has come. */
  lookAsked: boolean;
  rounds: number;
  /** When the last round began: database clock, milliseconds since 1970. */
  sentAt: number;
  roundsUnderWay: number;
  /** The status in the search attributes, if this execution has set one other than ACTC. */
  shown?: string;
  telling: boolean;
  /** After the current deliveries, another round is needed: a confirmation may have become due meanwhile. */
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
    telling: false,
    confirmationDue: false,
  };
}

/** Milliseconds since 1970 by the database clock, estimated from the last reading. */
export function now({ clockAheadMs }: Pick<Progress, 'clockAheadMs'>): number {
  return Date.now() + clockAheadMs;
}

/** @param databaseNow milliseconds since 1970 by the database clock, at this moment */
export function setClock(progress: Pick<Progress, 'clockAheadMs'>, databaseNow: number): void {
  progress.clockAheadMs = databaseNow - Date.now();
}
