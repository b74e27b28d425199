// OpenTelemetry's SDK, loaded only if traces are configured. Makes spans and exports them over OTLP. Spans that a
// collector does not accept in time are lost, counted, and reported once a minute. Nothing waits for the export.
import type { Agent } from 'node:http';
import type * as Api from '@opentelemetry/api';
import type { Link, Span, SpanContext, SpanKind, SpanStatus } from '@opentelemetry/api';
import type * as Sdk from '@opentelemetry/sdk-trace';
import type { Sampler, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace';

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
  /**
   * Called at most once a minute, with the number of spans lost since the last call, and a code of the latest reason.
   */
  readonly onLost: (lost: number, reason: string) => void;
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
  const lost = countingLost(options.onLost);
  const { url, headers } = options;
  const { agentOf, cut } = cuttable();
  const limits = { timeoutMillis: exportMs, httpAgentOptions: agentOf };
  const exporter = inTime(
    new otlp.OTLPTraceExporter({ url, headers: { ...headers }, ...limits }),
    exportMs,
    cut,
  );
  listenForRejected(api);
  const { processor, unfinished } = boundedExport(exporter, lost.add, (counted) => {
    const limits = { maxQueueSize: mostWaiting, maxExportBatchSize: 1_024, scheduledDelayMillis: batchMs };
    return new sdk.BatchSpanProcessor({ exporter: counted, ...limits });
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
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, closeMs)));
      const done = provider.shutdown().catch(() => undefined); // losses were counted already
      await Promise.race([done, late]);
      clearTimeout(timer);
      lost.end(unfinished());
    },
  };
}

/**
 * The batch processor silently drops spans beyond its limit, so this never gives it more.
 * @param batching makes the processor with the given exporter, which counts
 * @returns the processor, and a function that counts the spans that are neither exported nor lost
 */
function boundedExport(
  exporter: SpanExporter,
  addLost: (lost: number, reason: string) => void,
  batching: (exporter: SpanExporter) => SpanProcessor,
): { readonly processor: SpanProcessor; readonly unfinished: () => number } {
  let waiting = 0; // spans whose export has not begun
  let exporting = 0;
  const batches = batching({
    export: (spans, done) => {
      waiting -= spans.length;
      exporting += spans.length;
      exporter.export(spans, (result) => {
        exporting -= spans.length;
        const rejected = Math.min(takeRejected(), spans.length);
        if (!isTaken(result.code)) addLost(spans.length, reasonOf(result.error));
        else if (rejected > 0) addLost(rejected, 'rejected');
        done(result);
      });
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  });
  const processor: SpanProcessor = {
    onStart: () => undefined,
    onEnd: (span) => {
      if (waiting >= mostWaiting) {
        addLost(1, 'too-many');
        return;
      }
      waiting += 1;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
  return { processor, unfinished: () => waiting + exporting };
}

/** Makes HTTP agents for an exporter, and can destroy their connections. */
function cuttable() {
  let agent: Agent | undefined;
  const agentOf = async (protocol: string): Promise<Agent> => {
    const http = await (protocol === 'https:' ? import('node:https') : import('node:http'));
    return (agent = new http.Agent({ keepAlive: true }));
  };
  return { agentOf, cut: () => agent?.destroy() };
}

/**
 * Limits the whole export. The exporter's own timeout covers silence only: a slow, dripping answer would last for ever.
 */
function inTime(exporter: SpanExporter, mostMs: number, cut: () => void): SpanExporter {
  return {
    export: (spans, done) => {
      let isOver = false;
      const finish: typeof done = (result) => {
        if (isOver) return;
        isOver = true;
        clearTimeout(timer);
        done(result);
      };
      const timer = setTimeout(() => {
        finish({ code: failedCode, error: Object.assign(new Error('too late'), { code: 'too-late' }) });
        cut();
      }, mostMs);
      exporter.export(spans, finish);
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}

let rejectedLately = 0;

/**
 * Catches OTLP's partial success in the answer that is being read. The exporter reports it to the diagnostics logger
 * only, and counts the export as a success.
 */
function listenForRejected({ diag, DiagLogLevel }: typeof Api): void {
  const silent = () => undefined;
  const warn = (message: string, said: unknown) => {
    if (!message.startsWith('Received Partial Success') || typeof said !== 'string') return;
    const { rejectedSpans } = JSON.parse(said) as { readonly rejectedSpans?: unknown };
    rejectedLately = Number(rejectedSpans) || 0;
  };
  const logger = { error: silent, warn, info: silent, debug: silent, verbose: silent };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}

/** Reads and resets the count. The exporter calls back in the same turn, so no other batch comes between. */
function takeRejected(): number {
  const rejected = rejectedLately;
  rejectedLately = 0;
  return rejected;
}

type ResultCode = Parameters<Parameters<SpanExporter['export']>[1]>[0]['code'];
const failed: unknown = 1; // ExportResultCode.FAILED; we do not depend on its package
const failedCode = failed as ResultCode;
const isTaken = (code: number) => code === 0; // ExportResultCode.SUCCESS

/** A code. Never contains text from a collector. */
function reasonOf(error: Error | undefined): string {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  if (typeof code === 'number') return `http-${code}`;
  return typeof code === 'string' && /^[\w-]+$/.test(code) ? code : 'failed';
}

function countingLost(say: (lost: number, reason: string) => void) {
  let lost = 0;
  let lastReason = '';
  let silence: NodeJS.Timeout | undefined;
  const tell = () => {
    if (lost === 0) return;
    say(lost, lastReason);
    lost = 0;
    silence = setTimeout(() => {
      silence = undefined;
      tell();
    }, sayMs).unref();
  };
  return {
    add: (count: number, reason: string) => {
      lost += count;
      lastReason = reason;
      if (silence === undefined) tell();
    },
    end: (unfinished: number) => {
      lost += unfinished;
      if (unfinished > 0) lastReason = 'too-late';
      tell();
      clearTimeout(silence);
    },
  };
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
