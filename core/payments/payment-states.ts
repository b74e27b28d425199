// The states of a payment and the changes between them, who causes each, and what each party is told then: one table
// (LIF-1). The code decides and tells by it, the database refuses what is not in it (`check_decision`;
// test/db/payments/decision-paths.test.ts holds the two together), docs/reference/payment-states.md explains it.
import type { Decider } from './decision.ts';
import type { FinalStatus } from './report.ts';

/**
 * - `RCVD`: stored, and not judged
 * - `REFUSED`: nothing but repeats came, which were refused
 * - `ACTC`: accepted, no final status yet
 * - `INDOUBT`: `ACTC` for 24 hours; a person must find out
 */
export const openStates = ['RCVD', 'REFUSED', 'ACTC', 'INDOUBT'] as const;
export type OpenState = (typeof openStates)[number];
type StateOrFinal = OpenState | FinalStatus;

/**
 * What a party is told of a change.
 * - `answer`: the source, by a pacs.002 in the HTTP answer to its submission
 * - `callback`: the source, by a pacs.002 at its callback address
 * - `instruction`: the destination, by the pacs.008
 * - `confirmation`: the destination, by a pacs.002, if it may have seen the payment
 * - `notification`: the FX provider, by an fxtr.017, if the payment has a quote (NOT-1)
 */
export type Telling = 'answer' | 'callback' | 'instruction' | 'confirmation' | 'notification';

/** What becomes of a payment, whose doing it is, and what it makes the gateway say. */
export interface PaymentChange {
  /** `-`: none, nothing came before. */
  readonly from: readonly (OpenState | '-')[];
  readonly to: readonly StateOrFinal[];
  readonly by: Decider | 'source';
  /** Rule by which the gateway rejects; `any`: that which the message breaks. */
  readonly ruleId?: 'TIM-1' | 'TIM-3' | 'any';
  /** Only of payments of that priority. */
  readonly priority?: 'HIGH' | 'NORM';
  /** What is said of it, to whom; nobody else hears of it. */
  readonly tells: readonly Telling[];
}

/**
 * By the title under which the documents explain it.
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

/** A final status, and how it came about. */
export interface Ending {
  readonly status: FinalStatus;
  readonly by: Decider;
  readonly ruleId: string | null;
  readonly priority: string;
}

/**
 * The change by which a payment ends so.
 * @returns undefined: the table has no such end, and nothing may bring it about
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
