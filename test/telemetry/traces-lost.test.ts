// A collector that takes no spans: the queue is bounded, lost spans are counted, and a log line says so at most
// once a minute.
import { pino, type Logger } from 'pino';
import { expect, test, vi } from 'vitest';
import { openTraces } from '../../telemetry/open-traces.ts';
import type { Traces } from '../../telemetry/traces.ts';
import { testCollector } from '../harness/collector.ts';
import { reading } from '../harness/listening.ts';

const collector = await testCollector();

interface Lost {
  readonly level: number;
  readonly lost: number;
  readonly reason: string;
}

async function open(settings: { url?: string; sampler?: string; ratio?: number } = {}) {
  const lines: Lost[] = [];
  const logger: Logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as Lost) });
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

test('a collector that takes nothing costs 8,192 spans of memory, two lines of the log, and a second at the end', async () => {
  collector.answer = 'silent';
  const { traces, lines } = await open();
  make(traces, 30_000);
  const [first] = await vi.waitFor(() => {
    expect(lines).not.toEqual([]);
    return lines;
  });
  expect(first).toMatchObject({ level: 40, reason: 'too-many' });
  expect(lines).toHaveLength(1); // further losses are logged after a minute or at the end
  expect(await closeMs(traces)).toBeLessThan(2_000);
  expect(lines).toHaveLength(2);
  expect(lines.reduce((sum, { lost }) => sum + lost, 0)).toBe(30_000);
  collector.answer = 200;
});

test('a collector that refuses is named by its status, never by its text', async () => {
  collector.answer = 400;
  const { traces, lines } = await open();
  make(traces, 10);
  await traces.close();
  expect(lines).toMatchObject([{ level: 40, lost: 10, reason: 'http-400' }]);
  collector.answer = 200;
});

// ExportTraceServiceResponse { partial_success { rejected_spans: 4, error_message: "quota" } }
const partial = Buffer.from([0x0a, 0x09, 0x08, 4, 0x12, 5, ...Buffer.from('quota')]);

test.each([
  ['that it rejects some', partial, [{ level: 40, lost: 4, reason: 'rejected' }]],
  ['nothing', Buffer.alloc(0), []],
])(
  'of a collector that says with its 200 %s, what it did not take is counted (OBS-3)',
  async (_, body, lost) => {
    const url = await reading((response) => {
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end(body);
    });
    const { traces, lines } = await open({ url });
    make(traces, 10);
    await traces.close();
    expect(lines).toMatchObject(lost);
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
