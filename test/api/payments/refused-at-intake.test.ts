// A pacs.008 is refused before it is stored (PAY-3). Nobody is told that it never came, and its log line names the
// UETR (PAY-2, OBS-1).
import { pino } from 'pino';
import { beforeEach, expect, test } from 'vitest';
import { buildPacs008 } from '../../../core/iso20022/build-pacs008.ts';

import { testGateway } from '../../harness/gateway.ts';
import { instruction, ownExchange } from '../../../fixtures/instruction.ts';
import { jsonRoutes } from '../../harness/json-routes.ts';

interface Line {
  readonly status?: number;
  readonly subjectId?: string;
}
const lines: Line[] = [];
const write = (line: string) => void lines.push(JSON.parse(line) as Line);
const gateway = await testGateway({ worker: false, logger: pino({}, { write }) });
const ask = await jsonRoutes<{ readonly code?: string; readonly detail?: string }>(gateway);
beforeEach(() => void lines.splice(0));

const message = () => buildPacs008(instruction(ownExchange()));
const uetrOf = (xml: string) => /UETR>([0-9a-f-]{36})</.exec(xml)?.[1] ?? '';

async function post(path: string, xml: string, client: string): Promise<number> {
  const response = await fetch(`${gateway.url}/iso20022/${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await gateway.token(client)}`,
      'content-type': 'application/xml',
    },
    body: xml,
  });
  await response.arrayBuffer();
  return response.status;
}
const submit = (xml: string, callback = gateway.sandbox.callbackUrl('SGDFAST')) =>
  post(`pacs008?pacs002Endpoint=${encodeURIComponent(callback)}`, xml, 'SGDFAST');
const linesOf = (status: number) => lines.filter((line) => line.status === status);

const withoutMessageId = (xml: string) => xml.replace(/<MsgId>.*?<\/MsgId>/, '<MsgId>a  b</MsgId>');

test.each([
  ['with an address that is not registered', 422, message(), 'https://elsewhere.example/callback'],
  ['without a MsgId that could be answered', 400, withoutMessageId(message()), undefined],
])(
  'of a pacs.008 %s nobody says that nothing came, and the logs know its UETR (PAY-2, PAY-3, OBS-1)',
  async (_, status, xml, callback) => {
    const uetr = uetrOf(xml);
    expect(await submit(xml, callback)).toBe(status);
    await expect.poll(() => linesOf(status)).toMatchObject([{ subjectId: uetr }]);
    for (const path of ['', '/enquiries', '/redeliveries', '/entries']) {
      const { body } = await ask(path === '' ? 'GET' : 'POST', `/payments/${uetr}${path}`, ...bodyOf(path));
      expect([path, body.code]).toEqual([path, 'unknown-payment']);
      expect(body.detail).toContain(`There is no payment ${uetr}: nothing was taken in under it.`);
      expect(body.detail).not.toMatch(/nothing came/);
    }
  },
);

/** A GET has none. */
const bodyOf = (path: string): [object?] =>
  path === '' ? [] : [path === '/entries' ? { action: 'take' } : {}];
