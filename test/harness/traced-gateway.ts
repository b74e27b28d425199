// A gateway with traces for a test file, and what comes of them: the spans at a collector, the trace ids in the lines of the
// log and in the requests that parties get (OBS-3).
import { randomBytes } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { pino, type Logger } from 'pino';
import { afterAll, expect } from 'vitest';
import { openTraces } from '../../telemetry/open-traces.ts';
import { testCollector, type ExportedSpan } from './collector.ts';
import { testGateway } from './gateway.ts';
import { instruction, type Changes } from '../../fixtures/instruction.ts';
import { bestQuote, submit } from './payer.ts';
import { eventually } from './wait.ts';

export interface TracedLine {
  readonly msg: string;
  readonly traceId?: string;
  readonly subjectId?: string;
}

/** What a party got. */
export interface ReceivedRequest {
  readonly traceparent: string | undefined;
  /** Names and values. */
  readonly headers: string;
}

/** A trace that somebody else has begun. */
export function foreignTrace(flags = '01') {
  const traceId = randomBytes(16).toString('hex');
  const spanId = randomBytes(8).toString('hex');
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-${flags}` };
}

export const namesIn = (spans: readonly ExportedSpan[]) => [...new Set(spans.map(({ name }) => name))];

/** Call it at the top of a test file; api and worker have spans of their own, as two processes have. */
export async function tracedGateway() {
  const lines: TracedLine[] = [];
  const collector = await testCollector();
  const settings = {
    url: `${collector.url}/v1/traces`,
    headers: { 'x-collector-key': 'k-1' },
    sampler: 'parentbased_always_on',
    ratio: 1,
  };
  const [api, worker] = await Promise.all(
    ['isthmus-api', 'isthmus-worker'].map((service) => openTraces(settings, service, () => logger)),
  );
  const logger: Logger = pino(
    { level: 'debug', mixin: () => ({ ...api?.logFields(), ...worker?.logFields() }) },
    { write: (line: string) => void lines.push(JSON.parse(line) as TracedLine) },
  );
  const gateway = await testGateway({ logger, traces: { api, worker } });
  afterAll(() => Promise.all([api?.close(), worker?.close()]));

  const received: ReceivedRequest[] = [];
  const notParties = [gateway.url, collector.url].map((url) => Number(new URL(url).port));
  const hear = (message: unknown) => {
    const { headers, rawHeaders, socket } = (message as { readonly request: IncomingMessage }).request;
    if (notParties.includes(socket.localPort ?? 0)) return;
    const { traceparent } = headers;
    const told = typeof traceparent === 'string' ? traceparent : undefined;
    received.push({ traceparent: told, headers: rawHeaders.join('\n') });
  };
  subscribe('http.server.request.start', hear);
  afterAll(() => void unsubscribe('http.server.request.start', hear));

  return {
    gateway,
    collector,
    lines,
    received,
    /** Posts a pacs.008 with these headers. */
    submit: async (headers: Readonly<Record<string, string>>, changes: Changes = {}) => {
      const message = instruction(await bestQuote(gateway), changes);
      const { httpStatus, text } = await submit(gateway, message, { headers });
      return { message, uetr: message.uetr, status: httpStatus, text };
    },
    /** The spans of a payment, once all have come: those of its request and of its workflow end last. */
    wholeTrace: (traceId: string): Promise<readonly ExportedSpan[]> =>
      eventually(
        () => {
          const spans = collector.spansOf(traceId);
          expect(namesIn(spans)).toEqual(
            expect.arrayContaining(['workflow payment', 'POST /iso20022/pacs008']),
          );
          return spans;
        },
        { everyMs: 100 },
      ),
  };
}
