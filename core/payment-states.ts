// The states of a payment and the changes between them, who causes each, and what may follow from it: one table (LIF-1).
// The code decides by it, the database refuses what is not in it (migration 0024; test/db/decision-paths.test.ts holds the
// two together), docs/reference/payment-states.md explains it.
import type { Decider } from './decision.ts';
import type { FinalStatus } from './report.ts';

/**
 * - `RCVD`: stored, and not judged
 * - `REFUSED`: nothing but repeats came, which were refused (DUP-2)
 * - `ACTC`: accepted, no final status yet
 * - `INDOUBT`: `ACTC` for 24 hours (TIM-2); a person must find out
 */
export const openStates = ['RCVD', 'REFUSED', 'ACTC', 'INDOUBT'] as const;
export type OpenState = (typeof openStates)[number];
type StateOrFinal = OpenState | FinalStatus;

/** What becomes of a payment, and whose doing it is. */
export interface PaymentChange {
  /** `-`: none, nothing came before. */
  readonly from: readonly (OpenState | '-')[];
  readonly to: readonly StateOrFinal[];
  readonly by: Decider | 'source';
  /** Rule by which the gateway rejects; `any`: that which the message breaks. */
  readonly ruleId?: 'TIM-1' | 'TIM-3' | 'any';
  /** Only of payments of that priority. */
  readonly priority?: 'HIGH' | 'NORM';
}

/**
 * By the title under which the documents explain it.
 * @internal exported for tests
 */
export const paymentChanges = {
  Received: { from: ['-', 'REFUSED'], to: ['RCVD'], by: 'source' },
  Accepted: { from: ['RCVD'], to: ['ACTC'], by: 'gateway' },
  'Refused as a repeat': { from: ['RCVD'], to: ['REFUSED'], by: 'gateway' },
  'Rejected at once': { from: ['RCVD'], to: ['RJCT'], by: 'gateway', ruleId: 'any' },
  Credited: { from: ['ACTC', 'INDOUBT'], to: ['ACCC'], by: 'destination' },
  'Rejected by the destination': { from: ['ACTC', 'INDOUBT'], to: ['RJCT'], by: 'destination' },
  Blocked: { from: ['ACTC', 'INDOUBT'], to: ['BLCK'], by: 'destination' },
  'Too late': { from: ['ACTC'], to: ['RJCT'], by: 'gateway', ruleId: 'TIM-1', priority: 'HIGH' },
  Unreachable: { from: ['ACTC', 'INDOUBT'], to: ['RJCT'], by: 'gateway', ruleId: 'TIM-3', priority: 'NORM' },
  'In doubt': { from: ['ACTC'], to: ['INDOUBT'], by: 'gateway', priority: 'NORM' },
  'Ended by people': { from: ['INDOUBT'], to: ['ACCC', 'RJCT', 'BLCK'], by: 'operator' },
} as const satisfies Record<string, PaymentChange>;

/** A final status, and how it came about. */
export interface Ending {
  readonly status: FinalStatus;
  readonly by: Decider;
  readonly ruleId: string | null;
  readonly priority: string;
}

/** Whether the table has such an end of a payment. */
export function isKnownEnd(isAccepted: boolean, { status, by, ruleId, priority }: Ending): boolean {
  const from = isAccepted ? ['ACTC', 'INDOUBT'] : ['RCVD'];
  return Object.values<PaymentChange>(paymentChanges).some(
    (change) =>
      change.from.some((state) => from.includes(state)) &&
      change.to.includes(status) &&
      change.by === by &&
      (change.ruleId === 'any' ? ruleId !== null : (change.ruleId ?? null) === ruleId) &&
      (change.priority === undefined || change.priority === priority),
  );
}
