// The trace span of a request. It continues the sender's trace (`traceparent`, W3C Trace Context), or starts
// one. It contains only route patterns, codes and ids. `tracestate` and `baggage` are neither read nor passed
// on, because they contain text of other parties.
import type { IncomingMessage } from 'node:http';
import type { Traces } from '../telemetry/traces.ts';
import type { RequestTrace } from './http/access-log.ts';

/** Health probes arrive every second, so they start no trace. */
const isProbe = (path = '') => path.startsWith('/health/');

/** @returns a function that starts the span of a request, or returns undefined for a health probe */
export function traceRequests(traces: Traces): (request: IncomingMessage) => RequestTrace | undefined {
  return ({ method = '', url, headers }) => {
    if (isProbe(url)) return undefined;
    const { traceparent } = headers;
    const from = typeof traceparent === 'string' ? traceparent : null;
    const span = traces.begin(method, {
      kind: 'server',
      from,
      attributes: { 'http.request.method': method },
    });
    return {
      traceId: span.traceId,
      run: span.run,
      end: ({ route, client, subjectId, ruleId }, status) => {
        if (route !== undefined) span.rename(`${method} ${route}`);
        span.set({
          'http.route': route,
          'http.response.status_code': status ?? undefined,
          client,
          subjectId,
          ruleId,
        });
        span.end(status === null ? 'cut' : status >= 500 ? String(status) : undefined);
      },
    };
  };
}
