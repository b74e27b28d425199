// The proxy directories and creditor agents of the sandbox: what they know by rule, and what they hold against the
// gateway.
import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { buildForwardedAcmt023, readAcmt023 } from '../../core/iso20022/acmt023.ts';
import { buildAcmt023 } from '../../fixtures/acmt023.ts';
import { readAcmt024 } from '../../core/iso20022/acmt024.ts';
import type { AgentIdentification } from '../../core/iso20022/parties.ts';
import { accountNumberOf, agentBicOf, ownerOf } from '../../sandbox/resolution-behaviours.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { accountRequest, proxyRequest } from '../harness/asker.ts';
import { validTree } from '../xml/fixtures.ts';

const system = {
  clearingSystemId: 'THBPPAY',
  operatorId: 'IPSO-TH',
  currencyCode: 'THB',
  maxExecutionSeconds: 20,
};
const sandbox = await startSandbox({
  clearingSystems: [system],
  tokens: { tokenFor: () => Promise.resolve(''), forget: () => undefined },
});
afterAll(() => sandbox.close());

test.each([
  ['+6580000001', 'SG', '6580000001', 'LOTUSGS0', 'Somchai Jaidee'],
  ['+66810010002', 'TH', '66810010002', 'BANYTHS0', 'Nurul Hassan'],
  ['+66810020003', 'TH', '66810020003', 'FERNTHS0', 'Maria Santos'],
  ['maria.0001@example.com', 'PH', '9900000001', 'LOTUPHS0', 'Somchai Jaidee'],
  ['maria@example.com', 'PH', '9900000000', 'LOTUPHS0', 'Mei Lin Tan'],
])('%s of %s is account %s at %s, held by %s', (proxy, country, account, bic, owner) => {
  expect(accountNumberOf(proxy)).toBe(account);
  expect(agentBicOf(account, country)).toBe(bic);
  expect(ownerOf({ otherId: account }).partyName).toBe(owner);
});

/** As the gateway forwards it: to this assignee, with this MsgId. */
async function forward(original: string, assignee: AgentIdentification, messageId: string): Promise<string> {
  const reading = readAcmt023(await validTree('acmt023', original));
  if (!reading.ok) throw new Error(reading.refusal.text);
  const creationDateTime = new Date().toISOString();
  return buildForwardedAcmt023(reading.value, {
    messageIdentification: messageId,
    creationDateTime,
    assignee,
    country: 'TH',
  });
}

const newId = () => randomUUID().replaceAll('-', '');

async function post(body: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`${sandbox.destinationUrl('IPSO-TH')}/iso20022/acmt023`, {
    method: 'POST',
    headers: { 'content-type': 'application/xml' },
    body,
  });
  return { status: response.status, text: await response.text() };
}

describe('an answer', () => {
  test('of the directory shows the account, its agent and a short name', async () => {
    const asked = await forward(buildAcmt023(proxyRequest('+66810010001')), { otherId: 'TH-PROXY' }, newId());
    const { status, text } = await post(asked);
    expect(status).toBe(200);
    const reading = readAcmt024(await validTree('acmt024', text));
    expect(reading).toMatchObject({
      ok: true,
      value: {
        verified: true,
        found: {
          account: { otherId: '66810010001', proxy: { id: '+66810010001' } },
          accountName: 'S. JAIDEE',
          agent: { bicfi: 'BANYTHS0' },
        },
      },
    });
  });

  test('of the creditor agent names the owner', async () => {
    const asked = await forward(buildAcmt023(accountRequest('6680000004')), { bicfi: 'LOTUTHS0' }, newId());
    const reading = readAcmt024(await validTree('acmt024', (await post(asked)).text));
    expect(reading).toMatchObject({
      ok: true,
      value: { verified: true, found: { partyName: 'Arjun Mehta' } },
    });
  });
});

test.each([
  ['an account', accountRequest('6680000001'), { otherId: 'TH-PROXY' }],
  ['a proxy alone', proxyRequest('+66810000001'), { bicfi: 'LOTUTHS0' }],
  ['an agent that takes none', accountRequest('6680000001'), { bicfi: 'BANYTHS0' }],
])('%s asked of the wrong party is refused and journaled (RES-2)', async (_, request, assignee) => {
  const messageId = newId();
  const { status } = await post(await forward(buildAcmt023(request), assignee, messageId));
  expect(status).toBe(422);
  const entry = sandbox.journal.entries().find((one) => one.messageId === messageId);
  expect(entry?.violation).toMatch(/^RES-2/);
});

test('other bytes under a MsgId that was seen are refused and journaled (MSG-8)', async () => {
  const messageId = newId();
  const to = { otherId: 'TH-PROXY' };
  expect((await post(await forward(buildAcmt023(proxyRequest('+66810000001')), to, messageId))).status).toBe(
    200,
  );
  expect((await post(await forward(buildAcmt023(proxyRequest('+66810000002')), to, messageId))).status).toBe(
    409,
  );
});
