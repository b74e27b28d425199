// Traces (OBS-3): the spans of a process, and how they continue in other processes. The span name is a code,
// and the attributes are ids and codes. A span never holds a text, an address or a value of a message. If
// tracing is off, there are no spans, and the OpenTelemetry SDK is not loaded.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span, SpanContext } from '@opentelemetry/api';
import type { Attributes, SpanToBegin, TraceSdk } from './trace-sdk.ts';

/** A span that has begun. */
export interface OpenSpan {
  readonly traceId: string;
  /** The `traceparent` header of W3C Trace Context, for the next process. */
  readonly traceparent: string;
  readonly set: (attributes: Attributes) => void;
  readonly rename: (name: string) => void;
  /**
   * Ends the span. Only the first call counts.
   * @param failure a code; undefined if the work succeeded
   */
  readonly end: (failure?: string) => void;
  /** Runs work in this span. The span also covers asynchronous work that it starts. */
  readonly run: <Result>(work: () => Result) => Result;
  readonly hasEnded: () => boolean;
}

export interface Traces {
  /**
   * Begins a span. Its parent is `from`, or else the active span. Without either, the span begins a new
   * trace.
   */
  begin(name: string, options: SpanToBegin): OpenSpan;
  /**
   * Runs work in a span, which ends with the work. If the work throws, the span fails with the error's code.
   */
  within<Result>(
    name: string,
    options: SpanToBegin,
    work: (span: OpenSpan) => Promise<Result>,
  ): Promise<Result>;
  /** The active span, unless it has ended. */
  active(): OpenSpan | undefined;
  /** Captures the async context. Returns a function that runs work in it. */
  readonly capture: () => <Result>(work: () => Result) => Result;
  /** Fields that name the active trace in log lines. */
  readonly logFields: () => { readonly traceId?: string };
  /** Records a span that began in another process and has now ended. */
  record(name: string, span: SpanToRecord): void;
  /** Exports the remaining spans for at most a second, then drops the rest. Never throws. */
  close(): Promise<void>;
}

/** A span whose id other processes already know. */
export interface SpanToRecord extends Omit<SpanToBegin, 'from'> {
  readonly from: string;
  readonly traceparent: string;
  readonly startedAt: Date;
  readonly failure?: string | undefined;
}

/** Creates traces on top of the OpenTelemetry SDK. */
export function createTraces(sdk: TraceSdk): Traces {
  const active = new AsyncLocalStorage<OpenSpan>();

  function opened(span: Span): OpenSpan {
    const { traceId, spanId, traceFlags } = span.spanContext();
    let hasEnded = false;
    const open: OpenSpan = {
      traceId,
      traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
      set: (attributes) => span.setAttributes(attributes),
      rename: (name) => span.updateName(name),
      end: (failure) => {
        if (hasEnded) return;
        hasEnded = true;
        if (failure !== undefined) span.setAttribute('error.type', failure).setStatus(sdk.failed);
        span.end();
      },
      run: (work) => active.run(open, work),
      hasEnded: () => hasEnded,
    };
    return open;
  }

  function begin(name: string, { from, alsoFrom, ...options }: SpanToBegin): OpenSpan {
    const parent = from === undefined ? within(active.getStore()) : parsed(from);
    return opened(sdk.begin(name, { ...options, from: parent, alsoFrom: parsed(alsoFrom) }));
  }

  return {
    begin,
    within: async (name, options, work) => {
      const span = begin(name, options);
      try {
        const result = await span.run(() => work(span));
        span.end();
        return result;
      } catch (error) {
        span.end(codeOf(error));
        throw error;
      }
    },
    active: () => {
      const span = active.getStore();
      return span?.hasEnded() === true ? undefined : span;
    },
    capture: () => AsyncLocalStorage.snapshot(),
    logFields: () => {
      const traceId = active.getStore()?.traceId;
      return traceId === undefined ? {} : { traceId };
    },
    record: (name, { from, traceparent, startedAt, failure, ...options }) => {
      const own = parsed(traceparent);
      if (own === undefined) return;
      const span = sdk.begin(
        name,
        { ...options, from: parsed(from), alsoFrom: parsed(options.alsoFrom) },
        { spanId: own.spanId, startedAt },
      );
      opened(span).end(failure);
    },
    close: sdk.close,
  };
}

/**
 * W3C Trace Context: version ff and all-zero ids are invalid, and only later versions may have more fields.
 */
const form = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** @returns undefined if the header is absent or malformed */
function parsed(traceparent: string | null | undefined): SpanContext | undefined {
  const [, version, traceId, spanId, flags = '', more] = form.exec(traceparent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || (version === '00' && more !== undefined))
    return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

function within(span: OpenSpan | undefined): SpanContext | undefined {
  const context = parsed(span?.traceparent);
  return context && { ...context, isRemote: false };
}

/** The type or name of an error. Its message is not exported, because it may hold data. */
function codeOf(error: unknown): string {
  const { type, name } = (error ?? {}) as { readonly type?: unknown; readonly name?: unknown };
  const code = [type, name].find((one) => typeof one === 'string' && /^\w+$/.test(one));
  return typeof code === 'string' ? code : 'failed';
}

/**
 * Creates spans of database statements. They have the name of the statement, without its text and parameters.
 * A statement gets a span only inside another span, because the periodic queries of the process belong to no
 * submission.
 * @returns a function to call when a statement begins; it returns a function to call when the statement ends
 */
export function traceStatements(traces: Traces): (name: string) => ((error?: unknown) => void) | undefined {
  return (name) => {
    if (traces.active() === undefined) return undefined;
    const attributes = { 'db.system.name': 'postgresql', 'db.operation.name': name };
    const span = traces.begin(name, { kind: 'client', attributes });
    return (error) => span.end(error === undefined ? undefined : sqlCodeOf(error));
  };
}

/** The SQLSTATE, or the error code of a broken connection. */
function sqlCodeOf(error: unknown): string {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' && /^\w+$/.test(code) ? code : 'failed';
}
