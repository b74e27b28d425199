// Traces (OBS-3): the spans of a process, and what goes on from one to the next. Whoever makes a span names it by a
// code and gives it ids and codes: never a text, an address, or a value of a message. Where no traces are
// configured, there are no spans, and none of OpenTelemetry's SDK is loaded.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span, SpanContext } from '@opentelemetry/api';
import type { Attributes, SpanToBegin, TraceSdk } from './trace-sdk.ts';

/** What is done, from its beginning to its end. */
export interface OpenSpan {
  readonly traceId: string;
  /** As in W3C Trace Context, for whoever goes on from here. */
  readonly traceparent: string;
  readonly set: (attributes: Attributes) => void;
  readonly rename: (name: string) => void;
  /** Only the first call counts. @param failure a code; undefined: it did not fail */
  readonly end: (failure?: string) => void;
  /** What the work does belongs to this span, also what it does later. */
  readonly run: <Result>(work: () => Result) => Result;
  readonly hasEnded: () => boolean;
}

export interface Traces {
  /** Without `from`: within what is being done, or in a trace of its own. */
  begin(name: string, options: SpanToBegin): OpenSpan;
  /** The same for work that ends by itself; where it throws, the code of its error is why. */
  within<Result>(
    name: string,
    options: SpanToBegin,
    work: (span: OpenSpan) => Promise<Result>,
  ): Promise<Result>;
  /** The span of what is being done here, unless that has ended. */
  active(): OpenSpan | undefined;
  /** Remembers where it was called: what it answers runs work there. */
  readonly capture: () => <Result>(work: () => Result) => Result;
  /** What lines of the log say of where they are. */
  readonly logFields: () => { readonly traceId?: string };
  /** A span that began earlier, elsewhere, and has ended now. */
  record(name: string, span: SpanToRecord): void;
  /** Exports what it has, for a second at most; then whatever is left is lost. Never throws. */
  close(): Promise<void>;
}

/** A span whose id is known to others already. */
export interface SpanToRecord extends Omit<SpanToBegin, 'from'> {
  readonly from: string;
  readonly traceparent: string;
  readonly startedAt: Date;
  readonly failure?: string | undefined;
}

/** Traces as the SDK makes and exports them. */
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

/** W3C Trace Context: version ff and ids of zeros are invalid, and only a later version may say more. */
const form = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** @returns undefined where it is none: what is malformed is as good as absent */
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

/** The kind of an error: what it says is not for traces. */
function codeOf(error: unknown): string {
  const { type, name } = (error ?? {}) as { readonly type?: unknown; readonly name?: unknown };
  const code = [type, name].find((one) => typeof one === 'string' && /^\w+$/.test(one));
  return typeof code === 'string' ? code : 'failed';
}
