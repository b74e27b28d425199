/**
 * Hands the trace that an execution was started in on to its steps. It gives no command, waits for nothing and
 * draws no random number, so that a history replays the same with traces and without: executions that were started
 * without a trace run through it untouched. It is no workflow, but a module of interceptors
 * (cli/bundle-workflows.mjs).
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

/** What an update or a step is about: a stored message. */
interface About {
  readonly messageId?: string;
  readonly reportMessageId?: string;
  readonly cause?: { readonly reportMessageId?: string };
}

/** For each execution; the worker calls it by its name. */
export function interceptors(): WorkflowInterceptors {
  /** This run, as the parent of its steps. */
  let run: string | undefined;
  /** The traces in which messages were brought, by their ids. */
  let broughtIn: Map<string, string> | undefined;

  /**
   * A submission is judged in its own trace, be it a repeat; whatever else is done belongs to the execution's. What a
   * report has led to also names the report's.
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

/** The same in each replay, and of nobody else: the random half of the run's id. */
function spanIdOfRun(): string {
  return workflowInfo().runId.replaceAll('-', '').slice(-16);
}

/** Tells the worker when the run has ended; the promise is the same, so that nothing comes later than it did. */
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
