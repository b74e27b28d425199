// An OpenTelemetry collector for a test: takes spans over OTLP (HTTP, protobuf), and keeps every byte that came.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import protobuf from 'protobufjs';
import { afterAll } from 'vitest';

/** A span as it was exported. */
export interface ExportedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty: it began its trace. */
  readonly parentSpanId: string;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** Trace ids. */
  readonly links: readonly string[];
  /** Epoch nanoseconds. */
  readonly from: bigint;
  readonly to: bigint;
  /** 2: failed. */
  readonly status: number;
  readonly statusMessage: string;
}

export interface Collector {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string;
  readonly spans: ExportedSpan[];
  readonly bodies: Buffer[];
  readonly headers: IncomingHttpHeaders[];
  spansOf(traceId: string): readonly ExportedSpan[];
  /** How it answers from now on; `silent`: never. */
  answer: number | 'silent';
}

// opentelemetry-proto 1.x, as far as it is read here
const { root } = protobuf.parse(`syntax = "proto3";
message Request { repeated ResourceSpans resource_spans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
message Resource { repeated KeyValue attributes = 1; }
message ScopeSpans { repeated Span spans = 2; }
message Span { bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5;
  fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9;
  repeated Link links = 13; Status status = 15; }
message Link { bytes trace_id = 1; bytes span_id = 2; }
message Status { string message = 2; int32 code = 3; }
message KeyValue { string key = 1; Value value = 2; }
message Value { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }`);
const requestType = root.lookupType('Request');

interface Attribute {
  readonly key: string;
  readonly value: {
    readonly stringValue?: string;
    readonly boolValue?: boolean;
    readonly intValue?: string;
    readonly doubleValue?: number;
  };
}
interface Request {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly RawSpan[] }[];
  }[];
}
interface RawSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly links: readonly { readonly traceId: string }[];
  readonly status: { readonly code: number; readonly message: string } | null;
}

const hex = (base64: string) => Buffer.from(base64, 'base64').toString('hex');

function valuesOf(attributes: readonly Attribute[]): ExportedSpan['attributes'] {
  return Object.fromEntries(
    attributes.map(({ key, value: { stringValue, boolValue, intValue, doubleValue } }) => [
      key,
      stringValue ?? boolValue ?? doubleValue ?? Number(intValue),
    ]),
  );
}

function read(body: Buffer): readonly ExportedSpan[] {
  const options = { bytes: String, longs: String, defaults: true, arrays: true } as const;
  const { resourceSpans } = requestType.toObject(requestType.decode(body), {
    ...options,
    defaults: false,
  }) as Request;
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap(({ spans }) => spans)
      .map((span) => ({
        service: String(valuesOf(resource.attributes)['service.name']),
        name: span.name,
        traceId: hex(span.traceId),
        spanId: hex(span.spanId),
        parentSpanId: hex((span.parentSpanId as string | undefined) ?? ''),
        attributes: valuesOf(span.attributes),
        links: span.links.map(({ traceId }) => hex(traceId)),
        from: BigInt(span.startTimeUnixNano),
        to: BigInt(span.endTimeUnixNano),
        status: span.status?.code ?? 0,
        statusMessage: span.status?.message ?? '',
      })),
  );
}

/** Call it at the top of a test file. */
export async function testCollector(): Promise<Collector> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (collector.answer === 'silent') return;
      response.writeHead(collector.answer).end();
      const isTaken = request.url === '/v1/traces' && collector.answer === 200;
      if (!isTaken) return;
      const body = Buffer.concat(chunks);
      collector.bodies.push(body);
      collector.headers.push(request.headers);
      collector.spans.push(...read(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    bodies: [],
    headers: [],
    spansOf: (traceId) => collector.spans.filter((span) => span.traceId === traceId),
    answer: 200,
  };
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return collector;
}
