// OpenTelemetry's SDK, loaded only if traces are configured. Makes spans and exports them over OTLP. Nothing waits for
// the export: spans that a collector does not accept in time are lost, and a warning says so, at most once a minute.
import type * as Api from '@opentelemetry/api';
import type { Link, Span, SpanContext, SpanKind, SpanStatus } from '@opentelemetry/api';
import type * as Sdk from '@opentelemetry/sdk-trace';
import type { Sampler } from '@opentelemetry/sdk-trace';

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanToBegin {
  /** server: a request to us; client: a request by us; internal: other work. */
  readonly kind: Lowercase<keyof typeof SpanKind>;
  /** The `traceparent` of the parent. Null: no parent. A malformed one is ignored. */
  readonly from?: string | null | undefined;
  /** The `traceparent` of another trace that led to this span. It becomes a link. */
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
  /** Exports for at most a second what is left; the rest is lost. Never throws. */
  readonly close: () => Promise<void>;
}

export interface TraceSdkOptions {
  /** Address of an OTLP receiver over HTTP. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly sampler: string;
  /** Share of traces to keep, from 0 to 1, if the sampler is ratio-based. */
  readonly ratio: number;
  readonly serviceName: string;
  /** Called at most once a minute, when spans were lost. */
  readonly onLost: () => void;
}

const mostWaiting = 8_192; // spans: a few MB, about a second at a hundred payments per second
const exportMs = 5_000; // for one batch, retries included
const batchMs = 1_000; // so that somebody who looks for a failed payment finds its trace soon
const sayMs = 60_000;
const closeMs = 1_000; // in parallel with the other work of a shutdown

export async function openTraceSdk(options: TraceSdkOptions): Promise<TraceSdk> {
  // dynamic imports: a bundler leaves them in place, unloaded, but hoists static imports to the top
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
    exportTimeoutMillis: exportMs, // the exporter's own timeout covers silence only, not a slow, dripping answer
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

/** Passes on a call at most once a minute. */
function sparingly(tell: () => void): () => void {
  let toldAtMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() - toldAtMs < sayMs) return;
    toldAtMs = performance.now();
    tell();
  };
}

/**
 * The SDK reports failed exports, dropped spans and OTLP's partial success to its diagnostics logger only. Their words
 * may come from a collector, so they are not passed on.
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
