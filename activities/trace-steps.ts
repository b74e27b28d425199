// The spans of activities and of their workflow executions. They hold only names of activities, ids and
// codes.
import { ApplicationFailure } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import type { ActivityInterceptorsFactory, InjectedSinks } from '@temporalio/worker';
import { paymentWorkflowId } from '../contract/ids.ts';
import { traceOf, type EndedRun } from '../contract/trace.ts';
import type { Traces } from '../telemetry/traces.ts';

/**
 * Creates a span for each try of an activity, local or not. If the execution has no trace, each span begins
 * one.
 */
export function traceActivities(traces: Traces): ActivityInterceptorsFactory {
  return ({ info: { activityType, attempt, isLocal, workflowExecution } }) => ({
    inbound: {
      execute: (input, next) => {
        const { traceparent = null, alsoFrom } = traceOf(input.headers) ?? {};
        const name = `${isLocal ? 'local activity' : 'activity'} ${activityType}`;
        const subjectId = subjectOf(input.args, workflowExecution?.workflowId);
        const attributes = { attempt, subjectId };
        const options = { kind: 'internal', from: traceparent, alsoFrom, attributes } as const;
        return traces.within(name, options, async (span) => {
          // An activity that waits for its next try has not failed. Its span ends with a code, not with an
          // error.
          try {
            return await next(input);
          } catch (error) {
            if (isExpected(error)) {
              span.set({ outcome: error.type ?? undefined });
              span.end();
            }
            throw error;
          }
        });
      },
    },
  });
}

function isExpected(error: unknown): error is ApplicationFailure {
  return error instanceof ApplicationFailure && error.category === ApplicationFailureCategory.BENIGN;
}

const paymentPrefix = paymentWorkflowId('');

/** UETR of the payment, or id of the resolution, as in the log. */
function subjectOf([about]: readonly unknown[], workflowId = ''): string | undefined {
  const ids = (about ?? {}) as Partial<Record<'uetr' | 'subjectId' | 'resolutionId', string>>;
  const known = ids.uetr ?? ids.subjectId ?? ids.resolutionId;
  return known ?? (workflowId.startsWith(paymentPrefix) ? workflowId.slice(paymentPrefix.length) : undefined);
}

type TraceSinks = InjectedSinks<{ traces: { ended(run: EndedRun): void } }>;

/**
 * The sink through which workflows report ended runs that had a trace. It must exist even if tracing is off,
 * because a run that was started with a trace may end after tracing was turned off.
 */
export function traceRuns(traces: Traces | undefined): TraceSinks {
  return {
    traces: {
      ended: {
        fn: ({ workflowType, startTime }, { from, traceparent, outcome, subjectId }) =>
          traces?.record(`workflow ${workflowType}`, {
            kind: 'internal',
            from,
            traceparent,
            startedAt: startTime,
            attributes: { outcome, subjectId },
            failure: outcome === 'failed' ? outcome : undefined,
          }),
      },
    },
  };
}
