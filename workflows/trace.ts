/**
 * Interceptors that pass the trace of an execution's start on to its steps (cli/bundle-workflows.mjs). They issue no
 * command, wait for nothing and draw no random number. So a history replays the same with traces and without.
 */
import {
  ContinueAsNew,
  proxySinks,
  workflowInfo,
  type Sinks,
  type WorkflowInterceptors,
} from '@temporalio/workflow';
import { searchAttributes } from '../contract/ids.ts';
import { traceOf, within, withTrace, type EndedRun, type Traced } from '../contract/trace.ts';

interface TraceSinks extends Sinks {
  readonly traces: { ended(run: EndedRun): void };
}

interface About {
  readonly messageId?: string;
  readonly reportMessageId?: string;
  readonly cause?: { readonly reportMessageId?: string };
}

/** The worker calls it by this name for each execution. */
export function interceptors(): WorkflowInterceptors {
  /** The traceparent of this run, as the parent of its steps. */
  let run: string | undefined;
  let broughtIn: Map<string, string> | undefined;

  /**
   * A submission is judged in its own trace, even if it is a repeat; all other steps belong to the execution's trace. A
   * step that a report caused also names the report's trace.
   */
  function traceOfStep([about]: readonly unknown[]): Traced | undefined {
    if (run === undefined && broughtIn === undefined) return undefined;
    const { messageId = '', reportMessageId, cause } = (about ?? {}) as About;
    const submitted = broughtIn?.get(messageId) ?? run;
    const reported = broughtIn?.get(reportMessageId ?? cause?.reportMessageId ?? '');
    if (submitted === undefined) return reported === undefined ? undefined : { traceparent: reported };
    return { traceparent: submitted, ...(reported !== undefined && { alsoFrom: reported }) };
  }

  return {
    inbound: [
      {
        execute: (input, next) => {
          const from = traceOf(input.headers)?.traceparent;
          if (from === undefined) return next(input);
          run = within(from, spanIdOfRun());
          return telling(next(input), { from, traceparent: run });
        },
        handleUpdate: (input, next) => {
          const from = traceOf(input.headers)?.traceparent;
          const [about] = input.args as [About?];
          const id = about?.messageId ?? about?.reportMessageId;
          if (from !== undefined && id !== undefined) (broughtIn ??= new Map()).set(id, from);
          return next(input);
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(withTraceOf(input, traceOfStep(input.args))),
        scheduleLocalActivity: (input, next) => next(withTraceOf(input, traceOfStep(input.args))),
        continueAsNew: (input, next) =>
          next(withTraceOf(input, run === undefined ? undefined : { traceparent: run })),
      },
    ],
  };
}

function withTraceOf<Input extends { readonly headers: Parameters<typeof withTrace>[0] }>(
  input: Input,
  traced: Traced | undefined,
): Input {
  return traced === undefined ? input : { ...input, headers: withTrace(input.headers, traced) };
}

/** The random half of the run's id: the same in each replay, and unique. */
function spanIdOfRun(): string {
  return workflowInfo().runId.replaceAll('-', '').slice(-16);
}

/** Tells the worker when the run has ended. Returns the same promise, so that no command comes later. */
function telling(result: Promise<unknown>, run: Traced & Pick<EndedRun, 'from'>): Promise<unknown> {
  const ended = (outcome: EndedRun['outcome']) => {
    const subjectId = workflowInfo().typedSearchAttributes.get(searchAttributes.uetr);
    proxySinks<TraceSinks>().traces.ended({ ...run, outcome, subjectId });
  };
  result.then(
    () => ended('completed'),
    (error: unknown) => ended(error instanceof ContinueAsNew ? 'continued' : 'failed'),
  );
  return result;
}
