// A separate port for metrics and health: /metrics for Prometheus, /health/live and /health/ready for the
// orchestrator. It needs no token, so bind it to an address that only these two can reach.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from '@prometheus-io/client';

export interface TelemetryOptions {
  readonly host: string;
  /** With 0, the operating system chooses a free port. */
  readonly port: number;
  readonly registry: Registry;
  /** Metrics from other sources, as text, appended to the registry's metrics. */
  readonly further?: () => Promise<string>;
  /** Whether the process is ready for work. */
  readonly isReady: () => Promise<boolean>;
}

export interface RunningTelemetry {
  readonly port: number;
  close(): Promise<void>;
}

export async function startTelemetry(options: TelemetryOptions): Promise<RunningTelemetry> {
  const { registry, further, isReady } = options;
  const pages: Readonly<Record<string, (response: ServerResponse) => Promise<void>>> = {
    '/metrics': async (response) => {
      const own = await registry.metrics();
      const others = (await further?.().catch(() => '')) ?? '';
      response.writeHead(200, { 'content-type': registry.contentType }).end(`${own}\n${others}`);
    },
    '/health/live': (response) => answer(response, true),
    '/health/ready': async (response) => answer(response, await isReady().catch(() => false)),
  };
  const server = createServer((request, response) => {
    const page = pages[request.url?.split('?', 1)[0] ?? ''];
    if (page === undefined || request.method !== 'GET') {
      response.writeHead(page === undefined ? 404 : 405).end();
      return;
    }
    page(response).catch(() => {
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(response: ServerResponse, isUp: boolean): Promise<void> {
  await Promise.resolve();
  response
    .writeHead(isUp ? 200 : 503, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    .end(JSON.stringify({ status: isUp ? 'up' : 'down' }));
}
