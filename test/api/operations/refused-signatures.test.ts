// A payment system sees how many messages were refused for their signature in its name, and why.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { listParties } from '../../../cli/ops/commands.ts';
import { opsOn } from '../../cli/ops-context.ts';
import { testGateway } from '../../harness/gateway.ts';
import { jsonRoutes } from '../../harness/json-routes.ts';

const gateway = await testGateway();
const { lines, context } = opsOn(gateway);

interface Body {
  readonly parties: readonly { readonly party: string; readonly signaturesRefused: object }[];
}
const ask = await jsonRoutes<Body>(gateway);

/** As the client sees it; the default is the payment system itself. */
async function signaturesRefused(party: string, client = party): Promise<object | undefined> {
  const { body } = await ask('GET', '/parties', undefined, client);
  return body.parties.find((one) => one.party === party)?.signaturesRefused;
}

async function post(headers: Readonly<Record<string, string>> = {}): Promise<number> {
  const response = await fetch(`${gateway.url}/iso20022/pacs002`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await gateway.token('SGDFAST')}`,
      'content-type': 'application/xml',
      ...headers,
    },
    body: '<x/>',
  });
  await response.arrayBuffer();
  return response.status;
}

const none = { today: 0, lastAt: null, lastWhy: null };
const lastAt = expect.any(String) as string;

test('messages that were refused for their signature show for their payment system, and for no other (OBS-7)', async () => {
  expect(await signaturesRefused('SGDFAST')).toEqual(none);
  await sql`update operators set signs_messages = true where operator_id = (
    select operator_id from clearing_systems where clearing_system_id = 'SGDFAST')`.execute(gateway.db);
  await expect.poll(() => post()).toBe(401);
  const unsigned = 'The operator of this payment system has its messages signed, and this one is not.';
  await expect.poll(() => signaturesRefused('SGDFAST')).toEqual({ today: 1, lastAt, lastWhy: unsigned });

  expect(await post({ 'signature-input': '(', signature: '(' })).toBe(401);
  const unreadable = 'Signature-Input or Signature cannot be read (RFC 8941).';
  const both = { today: 2, lastAt, lastWhy: unreadable };
  await expect.poll(() => signaturesRefused('SGDFAST')).toEqual(both);
  expect(await signaturesRefused('SGDFAST', 'operator')).toEqual(both);
  expect(await signaturesRefused('THBPPAY')).toEqual(none);

  await listParties(context(), { minutes: '10' });
  expect(lines.filter((line) => line.includes('refused for their signature'))).toEqual([
    expect.stringMatching(
      /^SGDFAST: messages refused for their signature today \(UTC\): 2, the last at 2.{18}\. Signature-Input or/,
    ),
  ]);
});
