// Two receivers that a payment system registered under one host, each with its path prefix (SEC-2): a dead one never
// slows the other (CBK-3).
import { expect, test, vi } from 'vitest';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { listening } from '../harness/listening.ts';
import { bestQuote, submit } from '../harness/payer.ts';

const arrived = { dead: 0, alive: 0 };
const url = await listening((request, response) => {
  const which = request.url?.startsWith('/dead/') ? 'dead' : 'alive';
  arrived[which] += 1;
  request.resume();
  request.once('end', () => response.writeHead(which === 'dead' ? 503 : 200).end());
});
const gateway = await testGateway({
  prepare: async (db) => {
    await db.deleteFrom('operator_callback_origins').where('operator_id', '=', 'IPSO-SG').execute();
    const origins = [`${url}/dead`, `${url}/alive`].map((origin) => ({ operator_id: 'IPSO-SG', origin }));
    await db.insertInto('operator_callback_origins').values(origins).execute();
  },
});

async function pay(prefix: 'dead' | 'alive'): Promise<void> {
  const { httpStatus, text } = await submit(gateway, instruction(await bestQuote(gateway)), {
    callbackUrl: `${url}/${prefix}/pacs002`,
  });
  if (httpStatus !== 200) throw new Error(text);
}

test('while one is dead, a callback reaches the other within 3 s', async () => {
  await pay('alive');
  await vi.waitFor(() => expect(arrived.alive).toBe(1), 15_000);
  for (let n = 0; n < 6; n += 1) await pay('dead');
  await vi.waitFor(() => expect(arrived.dead).toBeGreaterThan(5), { timeout: 30_000, interval: 50 });
  await pay('alive');
  await vi.waitFor(() => expect(arrived.alive).toBe(2), { timeout: 3_000, interval: 50 });
}, 90_000);
