// Two operators change an endpoint, a key and a fee formula while payments run.
import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, expect, it } from 'vitest';
import { instruction } from '../../fixtures/instruction.ts';
import { testGateway } from '../harness/gateway.ts';
import { askQuotes, bestQuote, submit } from '../harness/payer.ts';
import { eventually } from '../harness/wait.ts';

const gateway = await testGateway();
const { db, sandbox } = gateway;

/** An address of the destination that passes everything on, and keeps when each request came. */
async function openAddress() {
  const goal = new URL(sandbox.destinationUrl('IPSO-TH'));
  const came: number[] = [];
  const server = createServer((incoming, outgoing) => {
    came.push(Date.now());
    const { method, headers, url } = incoming;
    const onward = request(
      { host: goal.hostname, port: goal.port, path: `${goal.pathname}${url ?? ''}`, method, headers },
      (answer: IncomingMessage) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      },
    );
    incoming.pipe(onward);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, came };
}

const asOperator = async (client: string, path: string, body?: object) => {
  const response = await fetch(`${gateway.url}${path}`, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${await gateway.token(client)}`, 'content-type': 'application/json' },
  });
  expect(response.status).toBe(200);
  return (await response.json()) as Record<string, unknown>;
};
const documentOf = async (kind: string, id: string) =>
  (await asOperator('operator', `/admin/scheme/${kind}/${id}`))['document'] as Record<string, unknown>;

/** One operator proposes, another approves. @returns the time of the approval */
async function change(objects: readonly { kind: string; document: object }[]): Promise<number> {
  const { changeId, state } = await asOperator('operator', '/admin/changes', {
    because: 'ticket 1',
    objects,
  });
  expect(state).toBe('pending');
  const isTried = async () => {
    const { probes } = await asOperator('operator2', `/admin/changes/${String(changeId)}`);
    return (probes as { outcome: string | null }[]).every(({ outcome }) => outcome === 'answered');
  };
  await expect.poll(isTried).toBe(true);
  await asOperator('operator2', `/admin/changes/${String(changeId)}/approval`, { because: 'agreed' });
  return Date.now();
}

it('nothing is lost, nothing goes to the old address, quotes that were given stand', async () => {
  const [old, fresh] = [await openAddress(), await openAddress()];
  const operator = await documentOf('operators', 'IPSO-TH');
  await change([{ kind: 'operators', document: { ...operator, endpointUrl: old.url } }]);
  await delay(1_000);

  const uetrs: string[] = [];
  let isPaying = true;
  const pay = async () => {
    while (isPaying) {
      const message = instruction(await bestQuote(gateway));
      const { report } = await submit(gateway, message);
      expect(report?.status).toBe('ACTC');
      uetrs.push(message.uetr);
    }
  };
  const payers = Promise.all([pay(), pay(), pay()]);
  await delay(1_500);
  const given = await bestQuote(gateway);
  const formula = await documentOf('fee-formulas', 'TH:THB');
  const { publicKey } = generateKeyPairSync('ed25519');
  const publicKeys = [
    { keyId: 'th-1', jwk: publicKey.export({ format: 'jwk' }), validFrom: '2026-01-01T00:00:00Z' },
  ];
  const creditorAgentFee = { nominalFeeAmount: '60.00', percentageFee: '0.1' };
  const approvedAt = await change([
    { kind: 'operators', document: { ...operator, endpointUrl: fresh.url, publicKeys } },
    { kind: 'fee-formulas', document: { ...formula, creditorAgentFee } },
  ]);
  await delay(2_500);
  await eventually(() => expect(uetrs.length).toBeGreaterThan(20)); // however fast the machine is
  isPaying = false;
  await payers;

  const late = instruction(given);
  expect((await submit(gateway, late)).report?.status).toBe('ACTC');
  uetrs.push(late.uetr);
  await expect
    .poll(
      async () =>
        (await db.selectFrom('decisions').select(['uetr', 'status']).where('uetr', 'in', uetrs).execute())
          .length,
    )
    .toBe(uetrs.length);
  const decided = await db.selectFrom('decisions').select('status').distinct().execute();
  expect(decided).toEqual([{ status: 'ACCC' }]);
  expect(old.came.length).toBeGreaterThan(0);
  expect(fresh.came.length).toBeGreaterThan(0);
  expect(old.came.filter((at) => at > approvedAt + 1_000)).toEqual([]);

  const fees = await db
    .selectFrom('payments')
    .select(['uetr', 'creditor_agent_fee'])
    .where('uetr', 'in', uetrs)
    .execute();
  const feeOf = (uetr: string) => fees.find((one) => one.uetr === uetr)?.creditor_agent_fee;
  expect(feeOf(late.uetr)).toBe('100'); // as it was quoted: 75 and 0.1 %
  expect(new Set(fees.map((one) => one.creditor_agent_fee))).toEqual(new Set(['100', '85']));
  expect(JSON.stringify(await askQuotes(gateway))).toContain('24915');
  expect(await documentOf('operators', 'IPSO-TH')).toMatchObject({ publicKeys: [{ keyId: 'th-1' }] });
});
