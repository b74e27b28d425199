// What a payment leaves in the logs (OBS-1): one request can be followed from its id to every party, and an alert of the
// record is a line of level error, once.
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { writeEvent } from '../harness/events.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, submit } from '../harness/payer.ts';

interface Line {
  readonly level: number;
  readonly time: number;
  readonly msg: string;
  readonly [field: string]: string | number | boolean | object | null | undefined;
}
const lines: Line[] = [];
const logger = pino(
  { level: 'debug' },
  { write: (line: string) => void lines.push(JSON.parse(line) as Line) },
);
const gateway = await testGateway({ logger });
const evidence = evidenceOf(gateway);
const [info, warn, error] = [30, 40, 50];

const about = (field: string, value: string) => lines.filter((line) => line[field] === value);

async function submitAs(requestId: string, changes: Parameters<typeof instruction>[1] = {}) {
  const message = instruction(await bestQuote(gateway), changes);
  const { headers } = await submit(gateway, message, { headers: { 'x-request-id': requestId } });
  return { uetr: message.uetr, requestId: headers.get('x-request-id') };
}

describe('a payment', () => {
  test('is followed from the request to each party', async () => {
    const given = randomUUID();
    const { uetr, requestId } = await submitAs(given);
    expect(requestId).toBe(given);
    await evidence.closed(uetr);
    await expect.poll(() => about('requestId', given)).toHaveLength(1);
    const [request] = about('requestId', given);
    expect(request).toMatchObject({
      level: info,
      msg: 'request',
      route: '/iso20022/pacs008',
      method: 'POST',
      client: 'SGDFAST',
      subjectId: uetr,
      status: 200,
      durationMs: expect.any(Number) as number,
    });
    const steps = about('subjectId', uetr).map(({ msg, kind, party, status }) =>
      [msg, kind, party, status].filter((part) => typeof part === 'string').join(' '),
    );
    expect(steps.filter((step) => !step.startsWith('request')).sort()).toEqual([
      'accepted SGDFAST',
      'attempt callback SGDFAST',
      'attempt confirmation THBPPAY',
      'attempt instruction THBPPAY',
      'attempt notification MERISGS0',
      'decided ACCC',
    ]);
    const attempts = about('subjectId', uetr).filter(({ msg }) => msg === 'attempt');
    for (const attempt of attempts) {
      expect(attempt).toMatchObject({ level: info, outcome: 'ANSWERED', httpStatus: 200, attempt: 1 });
    }
  });

  test('that is rejected names the rule, in its request and in its step', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const { uetr } = await submitAs(traceId, { purpose: 'ZZZZ' });
    await expect.poll(() => about('subjectId', uetr).length).toBeGreaterThan(2);
    const [request] = about('requestId', traceId);
    const step = about('subjectId', uetr).find(({ msg }) => msg === 'rejected');
    expect(step).toMatchObject({
      level: info,
      party: 'SGDFAST',
      status: 'RJCT',
      reasonCode: expect.any(String) as string,
    });
    expect(request).toMatchObject({ status: 200, ruleId: step?.['ruleId'] });
  });
});

describe('a request', () => {
  test('has an id of ours where its sender gives none, or one that may name somebody (SEC-3)', async () => {
    for (const given of [
      undefined,
      'two words',
      'GB33BUKB20201555555555',
      'somchai',
      randomUUID().slice(1),
    ]) {
      const response = await fetch(`${gateway.url}/payments/${randomUUID()}`, {
        headers: given === undefined ? {} : { 'x-request-id': given },
      });
      const id = response.headers.get('x-request-id') ?? '';
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-z]+$/);
      await expect
        .poll(() => about('requestId', id))
        .toMatchObject([{ level: info, route: '/payments/{uetr}', status: 401, ruleId: 'SEC-1' }]);
    }
  });

  test('is logged without its path, its query and its body, wherever it ends', async () => {
    const canary = `canary${randomUUID().slice(0, 8)}`;
    const token = await gateway.token('operator');
    for (const path of [`/${canary}`, `/payments?party=${canary}`, `/countries/${canary}`]) {
      await (await fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${token}` } })).text();
    }
    await expect.poll(() => about('client', 'operator').length).toBeGreaterThan(1);
    expect(lines.filter((line) => line.msg === 'request' && line['route'] === undefined)).toMatchObject([
      { status: 404, method: 'GET' },
    ]);
    expect(JSON.stringify(lines)).not.toContain(canary);
  });

  test('about health is of level debug', async () => {
    await (await fetch(`${gateway.url}/health/live`)).text();
    await expect.poll(() => about('route', '/health/live')).toMatchObject([{ level: 20, status: 200 }]);
  });
});

test('an alert of the record is a line of level error, a security event of level warn, each once (OBS-1)', async () => {
  const subjectId = randomUUID();
  await writeEvent(gateway.db, { severity: 'alert', kind: 'payment.in-doubt', subjectId, party: 'THBPPAY' });
  await writeEvent(gateway.db, {
    severity: 'security',
    kind: 'report.unknown-payment',
    subjectId,
    party: 'X',
  });
  await writeEvent(gateway.db, { severity: 'info', kind: 'payment.interim', subjectId });
  await expect.poll(() => about('subjectId', subjectId).length).toBe(2);
  expect(about('subjectId', subjectId)).toMatchObject([
    { level: error, msg: 'alert', kind: 'payment.in-doubt', party: 'THBPPAY' },
    { level: warn, msg: 'security event', kind: 'report.unknown-payment' },
  ]);
  await gateway.stopWorker();
  await gateway.startWorker(); // another process does not log them again
  await writeEvent(gateway.db, { severity: 'alert', kind: 'later', subjectId });
  await expect.poll(() => about('kind', 'later').length).toBe(1);
  expect(about('subjectId', subjectId)).toHaveLength(3);
});

test('no fault of a client is an error of ours', () => {
  expect(lines.filter(({ level, msg }) => level >= error && msg !== 'alert')).toEqual([]);
});
