// The spans of calls to Temporal, and their trace in the headers of what they start or tell (OBS-3). By Temporal's own
// interceptors, which are registered where there are traces and not else.
import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { Headers } from '@temporalio/common';
import { withTrace } from '../contract/trace.ts';
import type { OpenSpan, Traces } from '../telemetry/traces.ts';

export function traceEngineCalls(traces: Traces): WorkflowClientInterceptor {
  const client = { kind: 'client' } as const;
  const under = ({ traceparent }: OpenSpan, headers: Headers) => withTrace(headers, { traceparent });
  return {
    startUpdateWithStart: (input, next) =>
      traces.within(`start ${input.workflowType}, update ${input.updateName}`, client, (span) =>
        next({
          ...input,
          workflowStartHeaders: under(span, input.workflowStartHeaders),
          updateHeaders: under(span, input.updateHeaders),
        }),
      ),
    startUpdate: (input, next) =>
      traces.within(`update ${input.updateName}`, client, (span) =>
        next({ ...input, headers: under(span, input.headers) }),
      ),
    signalWithStart: (input, next) =>
      traces.within(`start ${input.workflowType}, signal ${input.signalName}`, client, (span) =>
        next({ ...input, headers: under(span, input.headers) }),
      ),
  };
}
