// The OpenTelemetry SDK, loaded only if tracing is on. It creates spans and exports them over OTLP. Nothing
// waits for the export. Spans that the collector does not accept in time are lost, and a warning reports this
// at most once a minute.
import type * as Api from '@opentelemetry/api';
import type { Link, Span, SpanContext, SpanKind, SpanStatus } from '@opentelemetry/api';
import type * as Sdk from '@opentelemetry/sdk-trace';
import type { Sampler } from '@opentelemetry/sdk-trace';

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanToBegin {
  /** `server`: a request from another party; `client`: a request from Isthmus; `internal`: other work. */
  readonly kind: Lowercase<keyof typeof SpanKind>;
  /** The `traceparent` of the parent. Null means no parent; a malformed value is ignored. */
  readonly from?: string | null | undefined;
  /** The `traceparent` of another trace that led to this span. The span links to that trace. */
  readonly alsoFrom?: string | undefined;
  readonly attributes?: Attributes;
}

export interface TraceSdk {
  readonly failed: SpanStatus;
  readonly begin: (
    name: string,
    span: Omit<SpanToBegin, 'from' | 'alsoFrom'> & {
      readonly from: SpanContext | undefined;
      readonly alsoFrom: SpanContext | undefined;
    },
    known?: { readonly spanId: string; readonly startedAt: Date },
  ) => Span;
  /** Exports the remaining spans for at most a second, then drops the rest. Never throws. */
  readonly close: () => Promise<void>;
}

export interface TraceSdkOptions {
  /** URL of an OTLP receiver over HTTP. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly sampler: string;
  /** Share of the traces to keep, from 0 to 1. Used only by a ratio-based sampler. */
  readonly ratio: number;
  readonly serviceName: string;
  /** Called when spans were lost, at most once a minute. */
  readonly onLost: () => void;
}

// Spans. They take a few MB, and cover about a second at a hundred payments per second.
const mostWaiting = 8_192;
const exportMs = 5_000; // Milliseconds for one batch, including retries.
const batchMs = 1_000; // Short, so that the trace of a failed payment is soon visible to operators.
const sayMs = 60_000;
const closeMs = 1_000; // Milliseconds. Runs in parallel with the other work of a shutdown.

export async function openTraceSdk(options: TraceSdkOptions): Promise<TraceSdk> {
  // Dynamic imports, because a bundler leaves them in place but hoists static imports to the top.
  const [api, sdk, resources, otlp] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/exporter-trace-otlp-proto'),
  ]);
  const { url, headers } = options;
  const tellLost = sparingly(options.onLost);
  listenForLost(api, tellLost);
  const processor = new sdk.BatchSpanProcessor({
    exporter: new otlp.OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: exportMs }),
    maxQueueSize: mostWaiting,
    maxExportBatchSize: 1_024,
    scheduledDelayMillis: batchMs,
    // The exporter's own timeout covers only silence, not a slowly arriving response.
    exportTimeoutMillis: exportMs,
  });
  const random = new sdk.RandomIdGenerator();
  let nextSpanId: string | undefined;
  const provider = new sdk.TracerProvider({
    resource: resources.resourceFromAttributes({ 'service.name': options.serviceName }),
    sampler: samplerOf(sdk, options),
    spanProcessors: [processor],
    idGenerator: {
      generateTraceId: () => random.generateTraceId(),
      generateSpanId: () => nextSpanId ?? random.generateSpanId(),
    },
  });
  const tracer = provider.getTracer('isthmus');
  const root = api.ROOT_CONTEXT;
  return {
    failed: { code: api.SpanStatusCode.ERROR },
    begin: (name, { kind, from, alsoFrom, attributes = {} }, known) => {
      const links: Link[] = alsoFrom === undefined ? [] : [{ context: alsoFrom }];
      nextSpanId = known?.spanId;
      try {
        return tracer.startSpan(
          name,
          {
            kind: api.SpanKind[kind.toUpperCase() as keyof typeof SpanKind],
            attributes,
            links,
            ...(known && { startTime: known.startedAt }),
          },
          from === undefined ? root : api.trace.setSpanContext(root, from),
        );
      } finally {
        nextSpanId = undefined;
      }
    },
    close: async () => {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((_, reject) => (timer = setTimeout(reject, closeMs)));
      await Promise.race([provider.shutdown(), late]).catch(tellLost);
      clearTimeout(timer);
    },
  };
}

/** Limits calls to one a minute. */
function sparingly(tell: () => void): () => void {
  let toldAtMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() - toldAtMs < sayMs) return;
    toldAtMs = performance.now();
    tell();
  };
}

/**
 * The SDK reports failed exports, dropped spans and OTLP partial success only to its diagnostics logger. Its
 * messages may contain text from a collector, so they are not logged.
 */
function listenForLost({ diag, DiagLogLevel }: typeof Api, tellLost: () => void): void {
  const silent = () => undefined;
  const warn = (message: string) => {
    if (/^(Received Partial Success|Dropped \d+ spans)/.test(message)) tellLost();
  };
  const logger = { error: tellLost, warn, info: silent, debug: silent, verbose: silent };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}

function samplerOf(sdk: typeof Sdk, { sampler, ratio }: TraceSdkOptions): Sampler {
  const name = sampler.replace('parentbased_', '');
  const root =
    name === 'always_on'
      ? new sdk.AlwaysOnSampler()
      : name === 'always_off'
        ? new sdk.AlwaysOffSampler()
        : new sdk.TraceIdRatioBasedSampler(ratio);
  return name === sampler ? root : new sdk.ParentBasedSampler({ root });
}
