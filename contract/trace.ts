/**
 * How the trace of a submission goes through the engine: in the headers of starts, updates, signals and
 * activities, under the name that Temporal's own interceptors use. Ids only. What it is used for must not
 * change what an execution does.
 */
import { defaultPayloadConverter, type Headers } from '@temporalio/common';

const headerName = '_tracer-data';

/** Where in which trace somebody is. */
export interface Traced {
  /** As in W3C Trace Context: 00-<trace id>-<span id>-<flags>. */
  readonly traceparent: string;
  /** A `traceparent` of what else led here, in another trace. */
  readonly alsoFrom?: string;
}

/** One run of an execution, when it has ended. */
export interface EndedRun extends Traced {
  /** The `traceparent` that it was started with. */
  readonly from: string;
  readonly outcome: 'completed' | 'continued' | 'failed';
  /** UETR of the payment, or id of the resolution. */
  readonly subjectId: string | undefined;
}

export function withTrace(headers: Headers, traced: Traced): Headers {
  return { ...headers, [headerName]: defaultPayloadConverter.toPayload(traced) };
}

const form = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;

/** Undefined where there is none, or one that cannot be read: never an error, which would halt the execution. */
export function traceOf(headers: Headers): Traced | undefined {
  const payload = headers[headerName];
  if (payload === undefined) return undefined;
  try {
    const { traceparent, alsoFrom } = defaultPayloadConverter.fromPayload<Partial<Traced>>(payload);
    if (!isTraceparent(traceparent)) return undefined;
    return isTraceparent(alsoFrom) ? { traceparent, alsoFrom } : { traceparent };
  } catch {
    return undefined;
  }
}

function isTraceparent(value: unknown): value is string {
  return typeof value === 'string' && form.test(value);
}

/** The `traceparent` of what is done within `from`, under a span id of its own: 16 hexadecimal digits. */
export function within(from: string, spanId: string): string {
  return `${from.slice(0, -19)}${spanId}${from.slice(-3)}`;
}
