// One trace leads from the source's request to the last delivery, as a collector and the parties see it.
import { describe, expect, test } from 'vitest';
import type { ExportedSpan } from '../harness/collector.ts';
import { endingIn } from '../../fixtures/endings.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { newMessageId } from '../../fixtures/instruction.ts';
import { foreignTrace, namesIn, tracedGateway } from '../harness/traced-gateway.ts';
import { eventually } from '../harness/wait.ts';

const { gateway, collector, lines, received, submit, wholeTrace } = await tracedGateway();
const evidence = evidenceOf(gateway);

const childrenOf = ({ spanId }: ExportedSpan, spans: readonly ExportedSpan[]) =>
  spans.filter(({ parentSpanId }) => parentSpanId === spanId).map(({ name }) => name);

function requestLine(uetr: string) {
  return eventually(() => {
    const line = lines.find(({ msg, subjectId }) => msg === 'request' && subjectId === uetr);
    expect(line).toBeDefined();
    return line!;
  });
}

describe('a submission', () => {
  test('is one trace through api, workflow, activities, database and parties (OBS-3)', async () => {
    const source = foreignTrace();
    const before = received.length;
    const { uetr, status } = await submit({ traceparent: source.traceparent, tracestate: 'vendor=secret' });
    expect(status).toBe(200);
    await evidence.closed(uetr);
    const spans = await wholeTrace(source.traceId);

    const find = (name: string) => {
      const found = spans.filter((span) => span.name === name);
      expect(found, name).toHaveLength(1);
      return found[0]!;
    };
    const request = find('POST /iso20022/pacs008');
    expect(request).toMatchObject({
      service: 'isthmus-api',
      parentSpanId: source.spanId,
      status: 0,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/iso20022/pacs008',
        'http.response.status_code': 200,
        client: 'SGDFAST',
        subjectId: uetr,
      },
    });
    const engine = find('start payment, update submit');
    expect(childrenOf(request, spans)).toContain(engine.name);
    const workflow = find('workflow payment');
    expect(workflow).toMatchObject({
      service: 'isthmus-worker',
      parentSpanId: engine.spanId,
      attributes: { outcome: 'completed', subjectId: uetr },
    });
    const judged = find('local activity validatePayment');
    expect([engine.spanId, workflow.spanId]).toContain(judged.parentSpanId);
    expect(childrenOf(workflow, spans)).toContain('activity forwardPayment');
    const posts = spans.filter(({ name }) => name.startsWith('POST ') && name !== request.name);
    expect(
      posts.map(({ name, attributes }) => [name, attributes['party'], attributes['outcome']]).sort(),
    ).toEqual([
      ['POST callback', 'SGDFAST', 'ANSWERED'],
      ['POST confirmation', 'THBPPAY', 'ANSWERED'],
      ['POST instruction', 'THBPPAY', 'ANSWERED'],
      ['POST notification', 'MERISGS0', 'ANSWERED'],
    ]);
    expect(childrenOf(find('activity forwardPayment'), spans)).toEqual(
      expect.arrayContaining(posts.map(({ name }) => name)),
    );
    // SQL statements of both processes
    const statements = spans.filter(({ attributes }) => attributes['db.system.name'] === 'postgresql');
    expect(new Set(statements.map(({ service }) => service))).toEqual(
      new Set(['isthmus-api', 'isthmus-worker']),
    );
    expect(childrenOf(judged, spans).length).toBeGreaterThan(0);
    // each span's parent is in the trace, or is the source's span
    const known = new Set([source.spanId, ...spans.map(({ spanId }) => spanId)]);
    expect(spans.filter(({ parentSpanId }) => !known.has(parentSpanId)).map(({ name }) => name)).toEqual([]);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
    for (const { from, to } of spans) expect(to >= from).toBe(true);
    // each party got the trace and the span of its request
    const told = received.slice(before);
    const ofTrace = told.filter(({ traceparent }) => traceparent?.includes(source.traceId));
    expect(ofTrace.map(({ traceparent }) => traceparent?.split('-')[2]).sort()).toEqual(
      posts.map(({ spanId }) => spanId).sort(),
    );
    expect(told.some(({ headers }) => headers.includes('vendor=secret'))).toBe(false);
    expect(collector.headers[0]).toMatchObject({
      'x-collector-key': 'k-1',
      'content-type': 'application/x-protobuf',
    });
  });

  test('without a traceparent begins a trace, which its lines of the log name, as the parties see it (OBS-1)', async () => {
    const before = received.length;
    const { uetr } = await submit({ 'x-request-id': 'own-trace' });
    await evidence.closed(uetr);
    const about = () => lines.filter(({ subjectId }) => subjectId === uetr);
    await eventually(() => expect(about().map(({ msg }) => msg)).toContain('request'));
    const traceIds = new Set(about().map(({ traceId }) => traceId));
    expect(about().map(({ msg }) => msg)).toEqual(
      expect.arrayContaining(['request', 'accepted', 'attempt', 'decided']),
    );
    expect(traceIds.size).toBe(1);
    const [traceId = ''] = traceIds;
    expect(traceId).toMatch(/^[\da-f]{32}$/);
    expect(namesIn(await wholeTrace(traceId))).toContain('POST callback');
    expect(received.slice(before).filter(({ traceparent }) => traceparent?.includes(traceId))).toHaveLength(
      4,
    );
  });

  test.each([
    ['no trace at all', 'garbage'],
    ['two in one', `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01, 00-${'c'.repeat(32)}-${'d'.repeat(16)}-01`],
  ])('whose traceparent is malformed (%s) is taken as if there were none', async (_, traceparent) => {
    const { uetr, status } = await submit({ traceparent });
    expect(status).toBe(200);
    await evidence.closed(uetr);
    const line = await requestLine(uetr);
    expect(line.traceId).toMatch(/^(?!0{32})[\da-f]{32}$/);
    expect(['a', 'A', 'c'].map((one) => one.repeat(32))).not.toContain(line.traceId);
    const [request] = (await wholeTrace(line.traceId ?? '')).filter(
      ({ name }) => name === 'POST /iso20022/pacs008',
    );
    expect(request?.parentSpanId).toBe('');
  });

  test('whose sender keeps no trace is not exported, and the parties are told its trace all the same', async () => {
    const source = foreignTrace('00');
    const { uetr } = await submit({ traceparent: source.traceparent });
    await evidence.closed(uetr);
    const told = () =>
      received.filter(
        ({ traceparent }) => traceparent?.includes(source.traceId) && traceparent.endsWith('-00'),
      );
    await eventually(() => expect(told()).toHaveLength(4));
    const { uetr: another } = await submit({});
    const later = await requestLine(another);
    await wholeTrace(later.traceId ?? '');
    expect(collector.spansOf(source.traceId)).toEqual([]);
  });

  test('that repeats another, while that one waits, is judged in its own trace', async () => {
    const source = foreignTrace();
    const { message, uetr } = await submit(
      { traceparent: source.traceparent },
      { ending: endingIn.creditedLater },
    );
    const repeat = foreignTrace();
    await submit({ traceparent: repeat.traceparent }, { ...message, messageIdentification: newMessageId() });
    await evidence.closed(uetr);
    await wholeTrace(source.traceId);
    const judged = collector.spans.filter(({ name }) => name === 'local activity validatePayment');
    const ofBoth = judged.filter(({ attributes }) => attributes['subjectId'] === uetr);
    expect(ofBoth.map(({ traceId }) => traceId)).toEqual([source.traceId, repeat.traceId]);
  });
});
