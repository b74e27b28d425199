// What is on record of a UETR under which two operators were refused (DUP-2): each sees its own, and nothing of the other's.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { OriginalPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { testGateway } from '../harness/gateway.ts';
import { bestQuote, instruction, submit } from '../harness/payer.ts';

const gateway = await testGateway();

const systems = {
  THBPPAY: { source: 'TH', sourceCurrency: 'THB' },
  MYRRPP: { source: 'MY', sourceCurrency: 'MYR' },
} as const;

/** To Singapore, from the system's country. */
async function message(
  clientId: keyof typeof systems,
  changes: Partial<OriginalPacs008> = {},
): Promise<OriginalPacs008> {
  const { source, sourceCurrency } = systems[clientId];
  const trip = { source, sourceCurrency, destination: 'SG', destinationCurrency: 'SGD' };
  const quote = await bestQuote(gateway, trip);
  const psp = { bicfi: `LOTU${source}S0` };
  const made = instruction(quote, { clearingSystemId: clientId, debtorAgent: psp, ...changes });
  const creditorAgent = { bicfi: 'LOTUSGS0' };
  const [own, theirs] = made.charges;
  return {
    ...made,
    instructingAgent: psp,
    creditorAgent,
    charges: [
      { ...own, agent: psp },
      { ...theirs, agent: creditorAgent },
    ],
  };
}

async function evidence(clientId: string, uetr: string) {
  const authorization = `Bearer ${await gateway.token(clientId)}`;
  const response = await fetch(`${gateway.url}/payments/${uetr}`, { headers: { authorization } });
  const body = (await response.json()) as { status: unknown; messages?: { party: string }[] };
  return { http: response.status, status: body.status, parties: body.messages?.map(({ party }) => party) };
}

test('whoever was refused under a UETR sees that, also where another was refused under it before (DUP-2)', async () => {
  const uetr = randomUUID();
  for (const clientId of ['THBPPAY', 'MYRRPP'] as const) {
    const first = await message(clientId);
    expect((await submit(gateway, first, { clientId })).report?.status).toBe('ACTC');
    const second = await message(clientId, { messageId: first.messageId, uetr });
    expect((await submit(gateway, second, { clientId })).report?.reasonCode).toBe('DU01');
  }
  const refused = (party: string) => ({ http: 200, status: 'REFUSED', parties: [party, party] });
  expect(await evidence('THBPPAY', uetr)).toEqual(refused('THBPPAY'));
  expect(await evidence('MYRRPP', uetr)).toEqual(refused('MYRRPP'));
}, 30_000);
