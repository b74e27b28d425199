// Traces of api and worker, built and run by node alone. Without a collector the OpenTelemetry SDK is not loaded. A
// dead or silent collector costs spans only.
import { spawn, type ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { entries } from '../../cli/entries.mjs';
import { buildImage } from '../../cli/image.ts';
import { testCollector } from '../harness/collector.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { ownTemporal } from '../harness/own-temporal.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { quietPort } from '../harness/quiet-port.ts';
import { testWorkflowBundle } from '../harness/temporal.ts';
import { killProcess } from '../harness/worker-process.ts';
import { eventually } from '../harness/wait.ts';

const root = resolve(import.meta.dirname, '..', '..');
const image = mkdtempSync(join(tmpdir(), 'isthmus-traces-'));
afterAll(() => rmSync(image, { recursive: true }));
const { api: apiEntry, worker: workerEntry } = entries;
await buildImage(root, image, { api: apiEntry, worker: workerEntry });
// lists the OpenTelemetry packages that the process loads
writeFileSync(
  join(image, 'loaded.cjs'),
  `const loaded = new Set();
   require('node:module').registerHooks({
     resolve: (specifier, context, next) => {
       const found = next(specifier, context);
       for (const name of /@opentelemetry\\/[\\w-]+/.exec(found.url) ?? []) loaded.add(name);
       return found;
     },
   });
   process.on('exit', () => void process.stderr.write(JSON.stringify([...loaded].sort())));`,
);

const collector = await testCollector();
const { codePath } = await testWorkflowBundle();
const temporal = await ownTemporal();
const gateway = await testGateway({ worker: false, temporalAddress: temporal.address });
const evidence = evidenceOf(gateway);

/** traceparent headers of all requests to servers of this process. */
const toldTraces: string[] = [];
const hear = (message: unknown) => {
  const { traceparent } = (message as { readonly request: IncomingMessage }).request.headers;
  if (typeof traceparent === 'string') toldTraces.push(traceparent);
};
subscribe('http.server.request.start', hear);
afterAll(() => void unsubscribe('http.server.request.start', hear));

interface Running {
  readonly child: ChildProcess;
  /** Lines of its log. */
  readonly log: () => readonly Readonly<Record<string, unknown>>[];
  readonly stderr: () => string;
}
const running: Running[] = [];
afterEach(() => Promise.all(running.splice(0).map(({ child }) => killProcess(child))));

async function start(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Running> {
  const child = spawn(process.execPath, ['--require', join(image, 'loaded.cjs'), ...args], {
    cwd: image,
    env: {
      PATH: process.env['PATH'] ?? '',
      DATABASE_URL: gateway.databaseUrl,
      TEMPORAL_ADDRESS: temporal.address,
      PUBLIC_URL: gateway.config.publicUrl,
      AUTH: 'builtin',
      DEMO: '1',
      ALLOW_LOOPBACK_CALLBACKS: '1',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [said, errors] = ['', ''];
  child.stdout.on('data', (data: Buffer) => (said += data.toString()));
  child.stderr.on('data', (data: Buffer) => (errors += data.toString()));
  const log = () =>
    said
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  const one = { child, log, stderr: () => errors };
  running.push(one);
  await eventually(() => {
    if (child.exitCode !== null) throw new Error(errors);
    expect(log().map(({ msg }) => msg)).toContain(
      args[0] === 'dist/api.js' ? 'api is listening' : 'worker is running',
    );
  });
  return one;
}

async function startBoth(env: Readonly<Record<string, string>>) {
  const port = await quietPort();
  const [api, worker] = await Promise.all([
    start(['dist/api.js'], { ...env, PORT: String(port) }),
    start(['dist/worker.js', codePath], env),
  ]);
  return { api, worker, through: { ...gateway, url: `http://127.0.0.1:${port}` } };
}

/** @returns milliseconds until it has ended, and how */
async function stop({ child }: Running): Promise<{ readonly code: number | null; readonly afterMs: number }> {
  const begunAt = performance.now();
  const ended = once(child, 'close');
  child.kill('SIGTERM');
  await ended;
  return { code: child.exitCode, afterMs: performance.now() - begunAt };
}

async function pay(through: typeof gateway): Promise<{ readonly uetr: string; readonly ms: number }> {
  const message = instruction(await bestQuote(through));
  const begunAt = performance.now();
  expect((await submit(through, message)).httpStatus).toBe(200);
  const ms = performance.now() - begunAt;
  await evidence.closed(message.uetr);
  expect(await evidence.decision(message.uetr)).toMatchObject({ status: 'ACCC' });
  return { uetr: message.uetr, ms };
}

const packagesOf = ({ stderr }: Running) => JSON.parse(stderr()) as readonly string[];
/** Prometheus's client loads it in every process; it is no SDK. */
const always = ['@opentelemetry/api'];

test('without a collector none of the SDK is loaded, no line of the log has a trace, and no party is told of one (OBS-3)', async () => {
  const { api, worker, through } = await startBoth({
    OTEL_TRACES_SAMPLER: 'always_on',
    OTEL_SERVICE_NAME: 'any',
  });
  await pay(through);
  for (const one of [api, worker]) {
    expect(await stop(one)).toMatchObject({ code: 0 });
    expect(packagesOf(one)).toEqual(always);
    expect(one.log().filter((line) => 'traceId' in line)).toEqual([]);
  }
  expect(toldTraces).toEqual([]);
});

test('with a collector both export what they did, also what they did last (OBS-3)', async () => {
  const { api, worker, through } = await startBoth({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b',
  });
  const { uetr } = await pay(through);
  for (const one of [api, worker]) {
    expect(await stop(one)).toMatchObject({ code: 0 });
    expect(packagesOf(one)).toEqual(
      expect.arrayContaining(['@opentelemetry/exporter-trace-otlp-proto', '@opentelemetry/sdk-trace']),
    );
  }
  const request = api.log().find(({ msg, subjectId }) => msg === 'request' && subjectId === uetr);
  const spans = collector.spansOf(String(request?.['traceId']));
  expect(new Set(spans.map(({ service }) => service))).toEqual(new Set(['isthmus-api', 'isthmus-worker']));
  expect(spans.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['workflow payment', 'POST callback', 'POST /iso20022/pacs008']),
  );
  expect(collector.headers[0]).toMatchObject({ 'x-key': 'a b' });
  // the worker's log lines have the trace of the request
  const steps = worker.log().filter(({ traceId }) => traceId === request?.['traceId']);
  expect(steps.map(({ msg }) => msg)).toEqual(expect.arrayContaining(['accepted', 'attempt', 'decided']));
});

test.each([
  ['refuses connections', () => 'http://127.0.0.1:9'],
  ['takes what comes and never answers', () => ((collector.answer = 'silent'), collector.url)],
])(
  'a collector that %s harms no payment, is told of in one line, and keeps no process from its end (OBS-3, OBS-4)',
  async (_, url) => {
    const { api, worker, through } = await startBoth({ OTEL_EXPORTER_OTLP_ENDPOINT: url() });
    const paid = [];
    for (let count = 0; count < 5; count += 1) paid.push(await pay(through));
    expect(Math.max(...paid.map(({ ms }) => ms))).toBeLessThan(5_000);
    for (const one of [api, worker]) {
      const { code, afterMs } = await stop(one);
      expect(code).toBe(0);
      expect(afterMs).toBeLessThan(15_000);
      const told = one.log().filter(({ level }) => Number(level) >= 40);
      expect(told).toMatchObject([{ level: 40, msg: 'spans of traces could not be exported, and are lost' }]);
      expect(packagesOf(one)).toContain('@opentelemetry/sdk-trace'); // standard error holds nothing else
    }
  },
);
