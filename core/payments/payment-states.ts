// One table of the states of a payment and the changes between them, with the cause and the resulting
// messages (LIF-1). The code follows the table, and the database refuses all other changes
// (`check_decision`). test/db/payments/decision-paths.test.ts compares the two;
// docs/reference/payment-states.md explains the table.
import type { Decider } from './decision.ts';
import type { FinalStatus } from './report.ts';

/**
 * - `RCVD`: stored, not judged
 * - `REFUSED`: the gateway refused every submission as a repeat
 * - `ACTC`: accepted, no final status yet
 * - `INDOUBT`: `ACTC` for 24 hours; a person must find out the outcome
 */
export const openStates = ['RCVD', 'REFUSED', 'ACTC', 'INDOUBT'] as const;
export type OpenState = (typeof openStates)[number];
type StateOrFinal = OpenState | FinalStatus;

/**
 * A message that tells a party of a change.
 * - `answer`: the source, by a pacs.002 in the HTTP answer to its submission
 * - `callback`: the source, by a pacs.002 at its callback address
 * - `instruction`: the destination, by the pacs.008
 * - `confirmation`: the destination, by a pacs.002, if it may have seen the payment
 * - `notification`: the FX provider, by an fxtr.017, if the payment has a quote (NOT-1)
 */
export type Telling = 'answer' | 'callback' | 'instruction' | 'confirmation' | 'notification';

/** A change of a payment's state, with its cause and the messages that follow. */
export interface PaymentChange {
  /** `-`: no state, because no submission has come yet. */
  readonly from: readonly (OpenState | '-')[];
  readonly to: readonly StateOrFinal[];
  readonly by: Decider | 'source';
  /** Rule by which the gateway rejects; `any`: the rule that the message breaks. */
  readonly ruleId?: 'TIM-1' | 'TIM-3' | 'any';
  /** Present if the change applies to one priority only. */
  readonly priority?: 'HIGH' | 'NORM';
  /** All messages about the change; other parties do not learn of it. */
  readonly tells: readonly Telling[];
}

/**
 * Keyed by the title under which the documents explain the change.
 * @internal exported for tests
 */
export const paymentChanges = {
  Received: { from: ['-', 'REFUSED'], to: ['RCVD'], by: 'source', tells: [] },
  Accepted: { from: ['RCVD'], to: ['ACTC'], by: 'gateway', tells: ['answer', 'instruction'] },
  'Refused as a repeat': { from: ['RCVD'], to: ['REFUSED'], by: 'gateway', tells: ['answer'] },
  'Rejected at once': {
    from: ['RCVD'],
    to: ['RJCT'],
    by: 'gateway',
    ruleId: 'any',
    tells: ['answer', 'callback'],
  },
  Credited: {
    ...{ from: ['ACTC', 'INDOUBT'], to: ['ACCC'], by: 'destination' },
    tells: ['callback', 'confirmation', 'notification'],
  },
  'Rejected by the destination': {
    ...{ from: ['ACTC', 'INDOUBT'], to: ['RJCT'], by: 'destination' },
    tells: ['callback', 'confirmation'],
  },
  Blocked: {
    ...{ from: ['ACTC', 'INDOUBT'], to: ['BLCK'], by: 'destination' },
    tells: ['callback', 'confirmation'],
  },
  'Too late': {
    ...{ from: ['ACTC'], to: ['RJCT'], by: 'gateway', ruleId: 'TIM-1', priority: 'HIGH' },
    tells: ['callback', 'confirmation'],
  },
  Unreachable: {
    ...{ from: ['ACTC', 'INDOUBT'], to: ['RJCT'], by: 'gateway', ruleId: 'TIM-3', priority: 'NORM' },
    tells: ['callback'],
  },
  'In doubt': { from: ['ACTC'], to: ['INDOUBT'], by: 'gateway', priority: 'NORM', tells: [] },
  'Found to be credited': {
    ...{ from: ['INDOUBT'], to: ['ACCC'], by: 'operator' },
    tells: ['callback', 'confirmation', 'notification'],
  },
  'Found not to be credited': {
    ...{ from: ['INDOUBT'], to: ['RJCT', 'BLCK'], by: 'operator' },
    tells: ['callback', 'confirmation'],
  },
} as const satisfies Record<string, PaymentChange>;

/** A final status, the party that decided it, and the rule. */
export interface Ending {
  readonly status: FinalStatus;
  readonly by: Decider;
  readonly ruleId: string | null;
  readonly priority: string;
}

/**
 * The change by which a payment ends in this way.
 * @returns undefined if the table has no such change; the payment must then not end in this way
 */
export function endingBy(
  isAccepted: boolean,
  { status, by, ruleId, priority }: Ending,
): PaymentChange | undefined {
  const from = isAccepted ? ['ACTC', 'INDOUBT'] : ['RCVD'];
  return Object.values<PaymentChange>(paymentChanges).find(
    (change) =>
      change.from.some((state) => from.includes(state)) &&
      change.to.includes(status) &&
      change.by === by &&
      (change.ruleId === 'any' ? ruleId !== null : (change.ruleId ?? null) === ruleId) &&
      (change.priority === undefined || change.priority === priority),
  );
}
