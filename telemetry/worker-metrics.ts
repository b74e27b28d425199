// The metrics of a worker, for Prometheus: outcomes of payments, sends by party, circuit breakers, and the
// sweep. Labels are codes of the scheme (payment systems, BICs, corridors, reasons) and names of gates. A
// gate is named by an address, or by a party and an address. No label is the id of a payment.
import { Counter, Gauge, Histogram, Registry } from '@prometheus-io/client';

/** The breaker state of a receiver in this worker. */
export interface BreakerState {
  readonly receiver: string;
  readonly breaker: 'closed' | 'open' | 'probing';
}

export interface DecidedPayment {
  readonly status: string;
  readonly reasonCode: string | null;
  readonly decidedBy: string;
  readonly corridor: string;
  readonly priority: string;
  /** Seconds from acceptance to the decision. */
  readonly seconds: number;
  /** Seconds between the deadline and the rejection, if a HIGH payment was rejected at its deadline. */
  readonly deadlineErrorSeconds?: number;
}

export interface Attempted {
  readonly kind: string;
  readonly party: string;
  readonly outcome: string;
  /** Such as `http-503` or `refused`; absent if the receiver acknowledged the message. */
  readonly failure?: string;
  readonly seconds: number;
}

export interface WorkerMetrics {
  readonly registry: Registry;
  /** @param reasonCode present unless the verdict is `accepted` */
  judged(verdict: 'accepted' | 'rejected' | 'refused', reasonCode?: string): void;
  decided(payment: DecidedPayment): void;
  attempted(attempt: Attempted): void;
  swept(kind: string, count: number): void;
  /** @param message the kind of message; `none` if unknown */
  checked(message: string, outcome: 'same' | 'differs' | 'dropped' | 'failed'): void;
  /** @param states called at each scrape */
  watchReceivers(states: () => readonly BreakerState[]): void;
}

const finalBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 60, 300, 3_600, 86_400];
const sendBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const deadlineBuckets = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30]; // Seconds. The objective is 0.25.

export function createWorkerMetrics(): WorkerMetrics {
  const registry = new Registry();
  const registers = [registry];
  const judged = new Counter({
    name: 'isthmus_submissions_judged_total',
    help: 'pacs.008 that were judged: accepted, rejected, or refused as a repeat (DUP-2)',
    labelNames: ['verdict', 'reason'],
    registers,
  });
  const decided = new Counter({
    name: 'isthmus_payments_decided_total',
    help: 'Accepted payments that have their final status (PAY-10)',
    labelNames: ['status', 'reason', 'decided_by', 'corridor', 'priority'],
    registers,
  });
  const timeToFinal = new Histogram({
    name: 'isthmus_payment_time_to_final_seconds',
    help: 'From acceptance to the final status',
    labelNames: ['status', 'priority'],
    buckets: finalBuckets,
    registers,
  });
  const deadlineError = new Histogram({
    name: 'isthmus_deadline_error_seconds',
    help: 'Delay between the deadline of a HIGH payment and its rejection for that (TIM-1)',
    buckets: deadlineBuckets,
    registers,
  });
  const attempts = new Counter({
    name: 'isthmus_delivery_attempts_total',
    help: 'Sends to parties, by outcome (TIM-3, CBK-4)',
    labelNames: ['kind', 'party', 'outcome', 'failure'],
    registers,
  });
  const attemptSeconds = new Histogram({
    name: 'isthmus_delivery_attempt_duration_seconds',
    help: 'From the beginning of a send to its answer or failure',
    labelNames: ['kind', 'party'],
    buckets: sendBuckets,
    registers,
  });
  const swept = new Counter({
    name: 'isthmus_sweep_found_total',
    help: 'Abandoned work that the sweep found and restarted (LIF-2); 0 in a healthy system (I-20)',
    labelNames: ['kind'],
    registers,
  });
  const checked = checksOfSecondEngine(registers);
  let receivers: () => readonly BreakerState[] = () => [];
  watchStates(registers, () => receivers());
  return {
    registry,
    judged: (verdict, reason = '') => judged.inc({ verdict, reason }),
    decided: ({ status, reasonCode, decidedBy, corridor, priority, seconds, deadlineErrorSeconds }) => {
      decided.inc({ status, reason: reasonCode ?? '', decided_by: decidedBy, corridor, priority });
      timeToFinal.observe({ status, priority }, seconds);
      if (deadlineErrorSeconds !== undefined) deadlineError.observe(deadlineErrorSeconds);
    },
    attempted: ({ kind, party, outcome, failure = '', seconds }) => {
      attempts.inc({ kind, party, outcome, failure });
      attemptSeconds.observe({ kind, party }, seconds);
    },
    swept: (kind, count) => swept.inc({ kind }, count),
    checked: (message, outcome) => checked.inc({ message, outcome }),
    watchReceivers: (states) => (receivers = states),
  };
}

const checksOfSecondEngine = (registers: Registry[]) =>
  new Counter({
    name: 'isthmus_second_engine_checks_total',
    help: 'Messages that the second XML engine was to check (MSG-8): same verdict, differs, dropped, failed',
    labelNames: ['message', 'outcome'],
    registers,
  });

const breakerValues = { closed: 0, probing: 1, open: 2 } as const;

function watchStates(registers: Registry[], states: () => readonly BreakerState[]): void {
  new Gauge({
    name: 'isthmus_receiver_breaker_state',
    help: 'Breaker of a receiver in this process: 0 closed, 1 probing, 2 open (CBK-3); only of those in use, or failing',
    labelNames: ['receiver'],
    registers,
    collect() {
      this.reset();
      for (const { receiver, breaker } of states()) this.set({ receiver }, breakerValues[breaker]);
    },
  });
}
