// A collector that takes no spans: a log line says so at most once a minute, and nothing waits for it.
import { pino, type Logger } from 'pino';
import { expect, test } from 'vitest';
import { openTraces } from '../../telemetry/open-traces.ts';
import type { Traces } from '../../telemetry/traces.ts';
import { testCollector } from '../harness/collector.ts';
import { reading } from '../harness/listening.ts';

const collector = await testCollector();

async function open(settings: { url?: string; sampler?: string; ratio?: number } = {}) {
  const lines: string[] = [];
  const logger: Logger = pino({}, { write: (line: string) => void lines.push(line) });
  const url = `${collector.url}/v1/traces`;
  const all = { url, headers: {}, sampler: 'always_on', ratio: 1, ...settings };
  const traces = await openTraces(all, 'isthmus-test', () => logger);
  if (traces === undefined) throw new Error('there are settings');
  return { traces, lines };
}

function make(traces: Traces, count: number, from: string | null = null): void {
  for (let made = 0; made < count; made += 1) traces.begin('one', { kind: 'internal', from }).end();
}

async function closeMs(traces: Traces): Promise<number> {
  const begunAt = performance.now();
  await traces.close();
  return performance.now() - begunAt;
}

const lostOnce = [expect.stringMatching(/"level":40.*spans of traces could not be exported/)];

test('a collector that takes nothing costs one line of the log, and a second at the end', async () => {
  collector.answer = 'silent';
  const { traces, lines } = await open();
  make(traces, 30_000);
  expect(await closeMs(traces)).toBeLessThan(8_000);
  expect(lines).toEqual(lostOnce);
  collector.answer = 200;
});

test('a collector that refuses costs one line of the log', async () => {
  collector.answer = 400;
  const { traces, lines } = await open();
  make(traces, 10);
  await traces.close();
  expect(lines).toEqual(lostOnce);
  collector.answer = 200;
});

// ExportTraceServiceResponse { partial_success { rejected_spans: 4, error_message: "quota" } }
const partial = Buffer.from([0x0a, 0x09, 0x08, 4, 0x12, 5, ...Buffer.from('quota')]);

test.each([
  ['that it rejects some', partial, lostOnce],
  ['nothing', Buffer.alloc(0), []],
])(
  'of a collector that says with its 200 %s, what it did not take is told (OBS-3)',
  async (_, body, lost) => {
    const url = await reading((response) => {
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end(body);
    });
    const { traces, lines } = await open({ url });
    make(traces, 10);
    await traces.close();
    expect(lines).toEqual(lost);
  },
);

const parent = (flags: string) => `00-${'a'.repeat(32)}-${'b'.repeat(16)}-${flags}`;

test.each([
  ['always_on', 1, null, 20],
  ['traceidratio', 0, null, 0],
  ['traceidratio', 0, parent('01'), 0],
  ['parentbased_always_off', 1, parent('01'), 20],
  ['parentbased_always_on', 1, parent('00'), 0],
])('sampler %s with %d, within %s: %i of 20 are exported', async (sampler, ratio, from, exported) => {
  const { traces } = await open({ sampler, ratio });
  const before = collector.spans.length;
  make(traces, 20, from);
  await traces.close();
  expect(collector.spans.length - before).toBe(exported);
});
