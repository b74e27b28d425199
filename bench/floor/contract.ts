/**
 * What the workflows, the worker and the client of the floor share. The time limits are those of
 * workflows/policies.ts, so that the server has as many timers to fire for the floor as for payments.
 */
import type { ActivityOptions, LocalActivityOptions } from '@temporalio/workflow';

/** The fixed floor keeps its shape for ever; the shaped floor has the shape of today's payment. */
export type FloorShape = 'fixedFloor' | 'shapedFloor';

export interface FloorRun {
  readonly id: string;
  /** Whether the destination answers at once. Otherwise the run waits for the second update. */
  readonly answersAtOnce: boolean;
  /** Where the client of the floor hears of ends. */
  readonly tellAt: { readonly host: string; readonly port: number };
}

export interface FloorActivities {
  validate(): Promise<void>;
  forward(): Promise<void>;
  decide(): Promise<void>;
  /** Tells the client of the floor that this run has ended. */
  deliver(run: FloorRun): Promise<void>;
  /** Does the rest of the run, if the destination answers at once. @returns whether it did */
  forwardToEnd(run: FloorRun): Promise<boolean>;
}

export const floorQueues = { payments: 'floor-payments', deliveries: 'floor-deliveries' } as const;
export const floorUpdates = { submit: 'submit', report: 'report' } as const;

export const floorLocalPolicy: LocalActivityOptions = {
  startToCloseTimeout: '4s',
  retry: { maximumAttempts: 1 },
};
export const floorSendPolicy: ActivityOptions = { startToCloseTimeout: '60s', heartbeatTimeout: '4s' };
/** Time of the first enquiry about a payment without a final status. */
export const floorWait = '60s';

/** What the bench asks of a client of the floor: one run for each element of `answersAtOnce`. */
export interface FloorRound {
  readonly shape: FloorShape;
  readonly answersAtOnce: readonly boolean[];
  readonly concurrency: number;
  /** Time until the destination's separate report, in milliseconds. */
  readonly answerDelayMs: number;
}
