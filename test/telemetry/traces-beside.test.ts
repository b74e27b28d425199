// Traces of reports, retries and resolutions, and personal data that must not be in them.
import { expect, test } from 'vitest';
import { buildAcmt023 } from '../../fixtures/acmt023.ts';
import { proxyRequest } from '../harness/asker.ts';
import { endingIn } from '../../fixtures/endings.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { reportOn } from '../harness/reports.ts';
import { foreignTrace, namesIn, tracedGateway } from '../harness/traced-gateway.ts';
import { eventually } from '../harness/wait.ts';

const { gateway, collector, submit, wholeTrace } = await tracedGateway();
const evidence = evidenceOf(gateway);

test("a destination's own report has its own trace, with the payment's id, and a link leads to it from the payment's", async () => {
  const source = foreignTrace();
  const { uetr } = await submit({ traceparent: source.traceparent }, { ending: endingIn.silent });
  const destination = foreignTrace();
  const { messageId: messageIdentification = '' } = await evidence.arrival(uetr, 'destination', 'pacs008');
  gateway.reported.push(uetr);
  const response = await fetch(`${gateway.url}/iso20022/pacs002`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await gateway.token('THBPPAY')}`,
      'content-type': 'application/xml',
      traceparent: destination.traceparent,
    },
    body: reportOn({ messageIdentification, uetr }),
  });
  expect(response.status).toBe(200);
  await evidence.closed(uetr);
  const spans = await wholeTrace(source.traceId);
  const decided = spans.filter(({ name }) => name === 'local activity decidePayment');
  expect(decided.flatMap(({ links }) => links)).toContain(destination.traceId);
  const requests = () =>
    collector.spansOf(destination.traceId).filter(({ name }) => name === 'POST /iso20022/pacs002');
  await expect
    .poll(requests)
    .toMatchObject([
      { parentSpanId: destination.spanId, attributes: { subjectId: uetr, client: 'THBPPAY' } },
    ]);
});

test('what is tried again, by another worker too, is told the same trace each time', async () => {
  gateway.sandbox.source.refuse({ status: 503, times: 2, pathPrefix: '/callbacks/SGDFAST' });
  const source = foreignTrace();
  const { uetr } = await submit({ traceparent: source.traceparent });
  const callbacks = () => collector.spansOf(source.traceId).filter(({ name }) => name === 'POST callback');
  await eventually(() => expect(callbacks()).not.toEqual([]));
  await gateway.stopWorker();
  await gateway.startWorker();
  await evidence.closed(uetr);
  await wholeTrace(source.traceId);
  const attempts = callbacks().map(({ status, attributes }) => [
    attributes['http.response.status_code'],
    attributes['error.type'],
    status,
  ]);
  expect(attempts.sort()).toEqual([
    [200, undefined, 0],
    [503, '503', 2],
    [503, '503', 2],
  ]);
  // a delivery that waits for its next attempt has not failed
  const delivers = collector.spansOf(source.traceId).filter(({ name }) => name === 'activity deliver');
  expect(delivers.map(({ status, attributes }) => [attributes['outcome'], status])).toEqual(
    expect.arrayContaining([
      ['NotYetDelivered', 0],
      [undefined, 0],
    ]),
  );
});

test('a resolution is one trace too, with each party that is asked', async () => {
  const source = foreignTrace();
  const request = proxyRequest('+66810000001');
  const callback = encodeURIComponent(gateway.sandbox.callbackUrl('SGDFAST', 'acmt024'));
  const response = await fetch(`${gateway.url}/iso20022/acmt023?acmt024Endpoint=${callback}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await gateway.token('SGDFAST')}`,
      'content-type': 'application/xml',
      traceparent: source.traceparent,
    },
    body: buildAcmt023(request),
  });
  expect(response.status).toBe(200);
  const expected = [
    'POST /iso20022/acmt023',
    'start resolution, update resolve',
    'workflow resolution',
    'local activity judgeResolution',
    'POST directory-enquiry',
    'POST account-enquiry',
  ];
  // each process exports its spans at its own time
  await eventually(() =>
    expect(namesIn(collector.spansOf(source.traceId))).toEqual(expect.arrayContaining(expected)),
  );
  expect(Buffer.concat(collector.bodies).toString('latin1')).not.toContain('66810000001');
});

test('no byte of what is exported names a person, an account, an address or a text of a message (SEC-3, I-14)', async () => {
  const canaries = ['Quetzalcoatl', 'Quetzalina', 'CANARY-DBTR', 'CANARY-CDTR', 'CANARY-TEXT'];
  const source = foreignTrace();
  const { uetr } = await submit(
    { traceparent: source.traceparent, 'user-agent': 'CANARY-TEXT-1', baggage: 'who=CANARY-TEXT-2' },
    {
      debtor: { name: 'Quetzalcoatl Tan', townName: 'Singapore', country: 'SG' },
      creditor: { name: 'Quetzalina Somchai', townName: 'Bangkok', country: 'TH' },
      debtorAccount: { otherId: 'CANARY-DBTR-7781' },
      creditorAccount: { otherId: 'CANARY-CDTR-0001' },
      remittanceInformation: 'CANARY-TEXT-3',
    },
  );
  await evidence.closed(uetr);
  // and an invalid request
  await fetch(`${gateway.url}/fees-and-amounts/CANARY-TEXT-4?name=CANARY-TEXT-5`, {
    headers: { authorization: `Bearer ${await gateway.token('LOTUSGS0')}`, traceparent: source.traceparent },
  });
  await wholeTrace(source.traceId);
  await eventually(() =>
    expect(collector.spansOf(source.traceId).filter(({ name }) => name.startsWith('GET'))).toHaveLength(1),
  );
  const bytes = Buffer.concat(collector.bodies).toString('latin1');
  const host = new URL(gateway.sandbox.callbackUrl('SGDFAST')).host;
  for (const canary of [...canaries, host, ' where ', ' values '])
    expect(bytes.includes(canary), canary).toBe(false);
  expect(bytes).toContain(uetr);
  expect(collector.spans.filter(({ statusMessage }) => statusMessage !== '')).toEqual([]);
});
