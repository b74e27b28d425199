/**
 * Interceptors that pass the trace from the start of an execution on to its steps (cli/bundle-workflows.mjs).
 * They issue no command, wait for nothing and draw no random number. So a history replays the same way with
 * and without traces.
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

/** The Temporal worker calls the function with this name for each execution. */
export function interceptors(): WorkflowInterceptors {
  /** The traceparent of this run, used as the parent of its steps. */
  let run: string | undefined;
  let broughtIn: Map<string, string> | undefined;

  /**
   * A submission is judged in its own trace, even if it is a repeat. All other steps belong to the trace of
   * the execution. A step that a report caused also links to the trace of that report.
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

/** The random half of the run id. It is unique, and the same in each replay. */
function spanIdOfRun(): string {
  return workflowInfo().runId.replaceAll('-', '').slice(-16);
}

/** Notifies the worker when the run has ended. Returns the same promise, so that no command is delayed. */
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
