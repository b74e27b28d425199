// Parties of a resolution that are slow, silent or wrong, a callback that is down, a worker that stops (RES-1, CBK-1).
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { setEndpoint } from '../harness/destination.ts';
import { distinct, expectSoundMessages } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { passedOn } from '../harness/listening.ts';
import { ask, proxyRequest, resolutionEvidence } from '../harness/asker.ts';

/** The operator of India, whose answers the tests write themselves. */
type Answer = (body: Buffer, headers: Record<string, string>) => Promise<{ status: number; body: string }>;
const operator: { answer: Answer; asked: number } = {
  answer: () => Promise.resolve({ status: 500, body: '' }),
  asked: 0,
};
const server = createServer((incoming, outgoing) => {
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.on('end', () => {
    operator.asked += 1;
    void operator.answer(Buffer.concat(chunks), passedOn(incoming)).then(({ status, body }) => {
      outgoing.writeHead(status, { 'content-type': 'application/xml' }).end(body);
    });
  });
});
await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const gateway = await testGateway({
  timings: { interimDelayMs: 1_500 },
  prepare: async (db) => {
    for (const [system, seconds] of [
      ['JPYZGIN', 3],
      ['HKDFPS', 60], // in which even a slow machine starts another worker
    ] as const) {
      await db
        .updateTable('clearing_systems')
        .set({ max_resolution_seconds: seconds })
        .where('clearing_system_id', '=', system)
        .execute();
    }
    await setEndpoint(db, 'IPSO-IN', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  },
});
const evidence = resolutionEvidence(gateway);

/** A request to India, with the deadline of the submitter: 3 s of JPYZGIN, or 8 s, in which even a slow machine asks twice. */
function askIndia(answer: Answer, clientId: string) {
  Object.assign(operator, { answer, asked: 0 });
  const request = proxyRequest('+919000010001', { destinationCountry: 'IN' });
  return { request, asked: ask(gateway, request, { clientId }) };
}

test('a directory may take longer than the 5 s of SEC-5, within the deadline of 8 s; a repeat waits with the first', async () => {
  const slowly: Answer = async (body, headers) => {
    await delay(5_400);
    const response = await fetch(`${gateway.sandbox.destinationUrl('IPSO-IN')}/iso20022/acmt023`, {
      method: 'POST',
      headers,
      body: new Uint8Array(body),
    });
    return { status: response.status, body: await response.text() };
  };
  const { request, asked } = askIndia(slowly, 'SGDFAST');
  const repeat = ask(gateway, request);
  const [first, second] = await Promise.all([asked, repeat]);
  expect(first.answer?.verified).toBe(true);
  expect(second.text).toBe(first.text);
  expect(operator.asked).toBe(1);
});

describe('a party that answers amiss', () => {
  const saying =
    (status: number, body: string): Answer =>
    () =>
      Promise.resolve({ status, body });

  test('an answer about another request is not believed; the deadline answers, and a person is told', async () => {
    const stray = await ask(gateway, proxyRequest('+66840010001'));
    const { request, asked } = askIndia(saying(200, stray.text), 'JPYZGIN');
    expect((await asked).answer).toMatchObject({ verified: false, reasonCode: 'AB08' });
    expect(await evidence.audit(request.messageIdentification)).toContain('resolution.answer-refused');
  });

  test('what is no valid acmt.024 is not believed', async () => {
    const { request, asked } = askIndia(saying(200, '<Document/>'), 'JPYZGIN');
    expect((await asked).answer).toMatchObject({ verified: false, reasonCode: 'AB08' });
    expect(await evidence.audit(request.messageIdentification)).toContain('resolution.answer-refused');
  });

  test('the same answer amiss is one alert, however often it comes, and says what is wrong (MSG-13)', async () => {
    const body = '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:acmt.024.001.04"><IdVrfctnRpt/></Document>';
    const { request, asked } = askIndia(saying(200, body), 'SGDFAST');
    await asked;
    expect(operator.asked).toBeGreaterThanOrEqual(2);
    const alerts = await gateway.db
      .selectFrom('audit_events')
      .select(['kind', 'detail'])
      .where('subject_id', '=', (await evidence.row(request.messageIdentification))?.resolution_id ?? '')
      .execute();
    expect(alerts).toEqual([
      {
        kind: 'resolution.answer-refused',
        detail: {
          reason: expect.stringMatching(
            /^not a valid acmt\.024: .*Assgnmt: mandatory element missing/,
          ) as string,
        },
      },
    ]);
  });

  test('HTTP 503 is asked again with the same bytes, until the deadline at most', async () => {
    const { request, asked } = askIndia(saying(503, ''), 'SGDFAST');
    expect((await asked).answer).toMatchObject({ verified: false, reasonCode: 'AB08' });
    expect(operator.asked).toBeGreaterThanOrEqual(2);
    const attempts = await evidence.attempts(request.messageIdentification, 'directory-enquiry');
    expect(attempts[0]).toMatchObject({ outcome: 'MAYBE_SENT', http_status: 503 });
  });
});

test('a dead callback does not hold up the answer; it gets the same bytes once it is back (CBK-1)', async () => {
  gateway.sandbox.source.refuse({ status: 503, times: 2, pathPrefix: '/callbacks/HKDFPS' });
  const request = proxyRequest('+66850000001');
  const asked = await ask(gateway, request, { clientId: 'HKDFPS' });
  expect(asked.answer?.verified).toBe(true);
  await evidence.callback(asked);
  await evidence.closed(request.messageIdentification, 'HKDFPS');
  expect(
    (await evidence.attempts(request.messageIdentification, 'callback')).map((one) => one.http_status),
  ).toEqual([503, 503, 200]);
});

test('a worker that stops in the middle is followed by another; the answer comes, and the legs are the same bytes', async () => {
  const request = proxyRequest('+66860000407');
  const asking = ask(gateway, request, { clientId: 'HKDFPS' });
  await gateway.sandbox.journal.waitFor(
    (entry) => entry.kind === 'acmt023' && Buffer.from(entry.bytes ?? '').includes('+66860000407'),
    60_000,
  );
  await gateway.stopWorker();
  await gateway.startWorker();
  const asked = await asking;
  expect(asked.answer).toMatchObject({ verified: true });
  await evidence.closed(request.messageIdentification, 'HKDFPS');
  const directory = evidence
    .about('+66860000407', 'acmt023')
    .filter((entry) => Buffer.from(entry.bytes ?? '').includes('TH-PROXY'));
  expect(distinct(directory)).toBe(1);
});

test('every message that any party saw is valid, and no party saw a rule broken (MSG-3)', () =>
  expectSoundMessages(gateway));
