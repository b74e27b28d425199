/**
 * Carries the trace of a submission through Temporal, in the headers of starts, updates, signals and activities, under
 * the name that Temporal's own interceptors use. It carries ids only. A workflow must not depend on it: replay must
 * give the same result with or without a trace.
 */
import { defaultPayloadConverter, type Headers } from '@temporalio/common';

const headerName = '_tracer-data';

/** A position in a trace, as sent in a header. */
export interface Traced {
  /** The form of W3C Trace Context: 00-<trace id>-<span id>-<flags>. */
  readonly traceparent: string;
  /** The `traceparent` of a second cause, in another trace. */
  readonly alsoFrom?: string;
}

/** One run of an execution that has ended. */
export interface EndedRun extends Traced {
  /** The `traceparent` with which the run was started. */
  readonly from: string;
  readonly outcome: 'completed' | 'continued' | 'failed';
  /** UETR of the payment, or id of the resolution. */
  readonly subjectId: string | undefined;
}

export function withTrace(headers: Headers, traced: Traced): Headers {
  return { ...headers, [headerName]: defaultPayloadConverter.toPayload(traced) };
}

const form = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;

/** Undefined if the header is absent or malformed. It never throws, because an error would halt the execution. */
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

/** The `traceparent` of a child span of `from`. `spanId`: 16 hexadecimal digits. */
export function within(from: string, spanId: string): string {
  return `${from.slice(0, -19)}${spanId}${from.slice(-3)}`;
}
