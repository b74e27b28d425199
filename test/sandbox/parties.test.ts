// Callbacks of source operators, notifications of FX providers, and requests that all parties refuse.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildFxtr017 } from '../../core/iso20022/fxtr017.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { endingIn } from '../../fixtures/endings.ts';
import {
  forwardedPacs008,
  post,
  startGatewayStub,
  startTestSandbox,
  statementOf,
  type GatewayStub,
} from './fixture.ts';
import { trade } from '../harness/trade.ts';

let gateway: GatewayStub;
let sandbox: Sandbox;

beforeEach(async () => {
  gateway = await startGatewayStub();
  sandbox = await startTestSandbox(gateway);
});

afterEach(async () => {
  await sandbox.close();
  await gateway.close();
});

const payment = () => ({ uetr: randomUUID(), messageId: 'SRC1', text: '' });
const xml = { 'content-type': 'application/xml' };
const json = { 'content-type': 'application/json' };

function notification(uetr: string, messageId = 'FX1'): string {
  return buildFxtr017({ ...trade, messageIdentification: messageId, uetr, quoteId: randomUUID() });
}

describe('source operator', () => {
  test('a callback is answered 200 and journaled byte for byte, with its signature headers', async () => {
    const of = payment();
    const statement = statementOf(of, 'RJCT');
    const headers = { ...xml, 'webhook-id': 'M1', 'webhook-signature': 'v1a,c2ln' };
    expect((await post(sandbox.callbackUrl('SGDFAST'), statement, headers)).status).toBe(200);
    const [entry] = sandbox.journal.entries();
    expect(entry).toMatchObject({
      party: 'source/SGDFAST',
      direction: 'received',
      kind: 'pacs002',
      uetr: of.uetr,
      status: 'RJCT',
      reasonCode: 'AB03',
      httpStatus: 200,
      headers: { 'webhook-id': 'M1', 'webhook-signature': 'v1a,c2ln' },
    });
    expect(Buffer.from(entry!.bytes!).toString()).toBe(statement);
  });

  test('the same final again is a repeat; another final, or an interim status, is held against the gateway', async () => {
    const of = payment();
    const statement = statementOf(of, 'ACCC');
    for (const body of [statement, statement, statementOf(of, 'RJCT'), statementOf(payment(), 'ACTC')]) {
      expect((await post(sandbox.callbackUrl('SGDFAST'), body)).status).toBe(200);
    }
    expect(sandbox.journal.entries().map(({ note, violation }) => [note, violation?.slice(0, 5)])).toEqual([
      [undefined, undefined],
      ['repeat', undefined],
      ['repeat', 'I-3: '],
      [undefined, 'PAY-1'],
    ]);
  });

  test('refuses so many times as it is told to, in process or by POST /control, and then comes back', async () => {
    const statement = statementOf(payment(), 'ACCC');
    sandbox.source.refuse({ status: 503, times: 2 });
    const statuses = [];
    for (let attempt = 0; attempt < 3; attempt += 1) {
      statuses.push((await post(sandbox.callbackUrl('SGDFAST'), statement)).status);
    }
    expect(statuses).toEqual([503, 503, 200]);
    const control = `${sandbox.source.url}/control`;
    const refusal = { status: 410, times: 1, pathPrefix: '/callbacks/THBPPAY', retryAfterSeconds: 7 };
    expect((await post(control, JSON.stringify(refusal), json)).status).toBe(204);
    expect((await post(sandbox.callbackUrl('SGDFAST'), statement)).status).toBe(200);
    const refused = await post(sandbox.callbackUrl('THBPPAY'), statement);
    expect(refused).toMatchObject({ status: 410, headers: { 'retry-after': '7' } });
    expect((await post(control, JSON.stringify({ status: 500 }), json)).status).toBe(204);
    expect((await post(sandbox.callbackUrl('SGDFAST'), statement)).status).toBe(500);
    expect((await post(control, 'null', json)).status).toBe(204);
    expect((await post(sandbox.callbackUrl('SGDFAST'), statement)).status).toBe(200);
    const journaled = sandbox.journal.entries().map(({ party, httpStatus }) => [party, httpStatus]);
    expect(journaled.filter(([party]) => party === 'refused')).toEqual(
      [503, 503, 410, 500].map((one) => ['refused', one]),
    );
  });

  const page = 'https://evil.example';
  test.each<[string, Record<string, string>, number]>([
    ['a page elsewhere', { ...json, origin: page }, 403],
    ['a page whose name was made to lead here', { ...json, host: 'evil.example:9101' }, 403],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
  ])('POST /control takes nothing from %s', async (_, headers, status) => {
    for (const party of [sandbox.source, sandbox.destination, sandbox.fxProvider]) {
      const answer = await post(`${party.url}/control`, JSON.stringify({ status: 503 }), headers);
      expect([answer.status, answer.headers['content-type']]).toEqual([status, 'application/problem+json']);
    }
    expect((await post(sandbox.callbackUrl('SGDFAST'), statementOf(payment(), 'ACCC'))).status).toBe(200);
  });
});

describe('FX provider', () => {
  test('a notification is answered 200 and journaled; the same again is no second one', async () => {
    const uetr = randomUUID();
    const body = notification(uetr);
    expect((await post(sandbox.notificationUrl('MERISGS0'), body)).status).toBe(200);
    expect((await post(`${sandbox.fxpBaseUrl('MERISGS0')}/iso20022/fxtr017`, body)).status).toBe(200);
    expect(sandbox.journal.entries()).toMatchObject([
      { party: 'fxp/MERISGS0', kind: 'fxtr017', uetr, messageId: 'FX1', amount: '25000', currency: 'THB' },
      { party: 'fxp/MERISGS0', kind: 'fxtr017', uetr, messageId: 'FX1' },
    ]);
    expect(sandbox.journal.entries().flatMap(({ violation }) => violation ?? [])).toEqual([]);
  });

  test('a second, different notification of one payment is held against the gateway (NOT-1)', async () => {
    const uetr = randomUUID();
    await post(sandbox.notificationUrl('MERISGS0'), notification(uetr));
    await post(sandbox.notificationUrl('MERISGS0'), notification(uetr, 'FX2'));
    expect(sandbox.journal.entries()[1]?.violation).toMatch(/^NOT-1/);
  });

  test('a notification that names another FX provider is refused', async () => {
    expect((await post(sandbox.notificationUrl('ZENIHKS0'), notification(randomUUID()))).status).toBe(422);
    expect(sandbox.journal.entries()[0]?.violation).toMatch(/^NOT-2/);
  });
});

describe('every party', () => {
  const instruction = () => forwardedPacs008({ ending: endingIn.creditedAtOnce });
  const th = () => `${sandbox.destinationUrl('IPSO-TH')}/iso20022`;
  const endpoint = (uri: string) =>
    `${th()}/pacs008?${new URLSearchParams({ pacs002Endpoint: uri }).toString()}`;

  test.each([
    ['no XML', 400, 'hello'],
    ['a document type', 400, '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
    ['an empty message', 422, '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pacs.008.001.13"/>'],
  ])(
    '%s is answered %i, journaled as it came, and told without a value of the message',
    async (_, status, body) => {
      const answer = await post(endpoint(gateway.pacs002Endpoint), body);
      expect(answer.status).toBe(status);
      expect(answer.headers['content-type']).toBe('application/problem+json');
      const [entry] = sandbox.journal.entries();
      expect(entry).toMatchObject({ party: 'destination/IPSO-TH', httpStatus: status });
      expect(Buffer.from(entry!.bytes!).equals(Buffer.from(body))).toBe(true);
      expect(entry?.violation).toBeDefined();
    },
  );

  test.each([['another clearing system', { clearingSystemId: 'SGDFAST' }]])(
    'a forwarded message for %s is 422 (MSG-10)',
    async (_, wrong) => {
      const { text } = forwardedPacs008({ ending: endingIn.creditedAtOnce, ...wrong });
      expect((await post(endpoint(gateway.pacs002Endpoint), text)).status).toBe(422);
      expect(sandbox.journal.entries()).toMatchObject([
        { violation: expect.stringContaining('MSG-10') as string },
      ]);
    },
  );

  test('a message as the source submitted it, not converted, is 422 (MSG-10)', async () => {
    const { text } = instruction();
    const unconverted = text.replaceAll('PrvsInstgAgt1', 'IntrmyAgt1');
    const moved = unconverted.replace(/<IntrmyAgt1>.*<\/IntrmyAgt1Acct>/, '');
    const [leg = ''] = /<IntrmyAgt1>.*<\/IntrmyAgt1Acct>/.exec(unconverted) ?? [];
    const answer = await post(
      endpoint(gateway.pacs002Endpoint),
      moved.replace('<IntrmyAgt2>', `${leg}<IntrmyAgt2>`),
    );
    expect(answer.status).toBe(422);
    expect(answer.bytes.toString()).toContain('IntrmyAgt1');
  });

  test.each(['', 'nowhere', 'ftp://127.0.0.1/x', 'http://user:secret@127.0.0.1/x'])(
    'pacs002Endpoint %j is 400',
    async (uri) => {
      expect((await post(endpoint(uri), instruction().text)).status).toBe(400);
    },
  );

  test.each([
    ['destination', '/IPSO-XX/iso20022/pacs008'],
    ['source', '/callbacks/UNKNOWN/pacs002'],
    ['fxProvider', '/not-a-bic/iso20022/fxtr017'],
  ] as const)('%s has nothing at %s', async (server, path) => {
    expect((await post(`${sandbox[server].url}${path}`, '<a/>')).status).toBe(404);
  });
});
