// Reports the steps of payments and resolutions. Each step writes a line to the log, and most steps also
// count in a metric. The lines hold only codes and ids, never personal data.
import type { Logger } from 'pino';
import { codeSets } from '../core/iso20022/external-codes.ts';
import type { WorkerMetrics } from '../telemetry/worker-metrics.ts';

/**
 * A destination may send any code. Unknown codes share one label, because each label creates a series of the
 * metric.
 */
const labelOf = (code: string | null): string | null =>
  code === null || codeSets().codes.statusReason.has(code) ? code : 'other';

interface Submission {
  readonly subjectId: string;
  readonly party: string;
}

export interface Steps {
  /** @param durationMs milliseconds since the submission was stored */
  accepted(
    payment: Submission & {
      readonly corridor: string;
      readonly priority: string;
      readonly durationMs: number;
    },
  ): void;
  rejected(
    payment: Submission & {
      readonly reasonCode: string;
      readonly ruleId: string;
      readonly durationMs: number;
    },
  ): void;
  refused(payment: Submission & { readonly reasonCode: string; readonly ruleId: string }): void;
  decided(decision: {
    readonly subjectId: string;
    readonly status: string;
    readonly reasonCode: string | null;
    readonly ruleId: string | undefined;
    readonly decidedBy: string;
    readonly corridor: string;
    readonly priority: string;
    readonly durationMs: number;
    /** Milliseconds between the deadline and the decision, if the deadline decided; otherwise undefined. */
    readonly deadlineErrorMs: number | undefined;
  }): void;
  attempted(attempt: {
    readonly subjectId: string;
    readonly kind: string;
    readonly party: string;
    readonly attempt: number;
    readonly outcome: string;
    readonly httpStatus: number | undefined;
    readonly errorClass: string | undefined;
    readonly durationMs: number;
    readonly next: string;
  }): void;
  resolutionRouted(resolution: {
    readonly subjectId: string;
    readonly party: string;
    readonly of: string;
  }): void;
  resolutionAnswered(resolution: {
    readonly subjectId: string;
    readonly verified: boolean;
    readonly reasonCode: string | null;
  }): void;
}

export function createSteps(logger: Logger, metrics: WorkerMetrics): Steps {
  return {
    accepted: (payment) => {
      logger.info(payment, 'accepted');
      metrics.judged('accepted');
    },
    rejected: (payment) => {
      logger.info({ ...payment, status: 'RJCT' }, 'rejected');
      metrics.judged('rejected', payment.reasonCode);
    },
    refused: (payment) => {
      logger.info(payment, 'repeat refused');
      metrics.judged('refused', payment.reasonCode);
    },
    decided: (decision) => {
      logger.info(decision, 'decided');
      const { status, reasonCode, decidedBy, corridor, priority, durationMs, deadlineErrorMs } = decision;
      metrics.decided({
        status,
        reasonCode: labelOf(reasonCode),
        decidedBy,
        corridor,
        priority,
        seconds: durationMs / 1_000,
        ...(deadlineErrorMs !== undefined && { deadlineErrorSeconds: deadlineErrorMs / 1_000 }),
      });
    },
    attempted: (attempt) => {
      logger.info(attempt, 'attempt');
      const { kind, party, outcome, httpStatus, errorClass, durationMs } = attempt;
      const isTaken =
        httpStatus !== undefined && httpStatus >= 200 && httpStatus <= 299 && errorClass === undefined;
      const failure = errorClass ?? `http-${httpStatus ?? ''}`;
      metrics.attempted({
        kind,
        party,
        outcome,
        seconds: durationMs / 1_000,
        ...(!isTaken && { failure }),
      });
    },
    resolutionRouted: (resolution) => logger.info(resolution, 'resolution routed'),
    resolutionAnswered: (resolution) => logger.info(resolution, 'resolution answered at once'),
  };
}
