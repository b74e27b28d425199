/**
 * What the execution of a payment knows (payment.ts): rebuilt from its history on replay.
 */
import type { Judgement } from '../contract/activities.ts';
import type { PaymentInput } from '../contract/ids.ts';
import type { Decision } from '../core/payments/decision.ts';
import { oneAtATime, type InTurn } from './one-at-a-time.ts';

export type Accepted = Extract<Judgement, { verdict: 'accepted' }>;

export interface Progress {
  readonly input: PaymentInput;
  /** Runs its local activities one at a time. */
  readonly inTurn: InTurn;
  /** Id of the stored submission that made this payment, as soon as it is known. */
  messageId: string | undefined;
  /** The judgement that made this payment, once there is one. */
  judgement?: Exclude<Judgement, { verdict: 'refused' }>;
  refused?: Extract<Judgement, { verdict: 'refused' }>;
  /** A submission met a defect of ours, and could not be answered at all. */
  unanswerable: boolean;
  decision?: Decision;
  /** How far the database clock, which is the one that counts, was ahead of the engine's when last heard of. */
  clockAheadMs: number;
  /** The source asked for the status: the instruction goes to the destination once more. */
  statusAsked: boolean;
  /** The sweep has decided, or says that the time to decide has come: the record is asked. */
  lookAsked: boolean;
  rounds: number;
  /** When the last one began: database clock, milliseconds since 1970. */
  sentAt: number;
  roundsUnderWay: number;
  /** The status that operators find it by, as far as this execution has set it to other than ACTC. */
  shown?: string;
  /** The deliveries have begun. */
  telling: boolean;
  /** Deliveries are made once more after these: a confirmation may have become due meanwhile. */
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
