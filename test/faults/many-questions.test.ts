// One party sends hundreds of queries at once. Another party's payment is judged in its turn. The test counts
// answered queries, because a count does not depend on the machine.
import { Pool } from 'undici';
import { afterAll, expect, test } from 'vitest';
import { fromTheOther, other } from '../harness/another-payer.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, submit } from '../harness/payer.ts';

const gateway = await testGateway();
const connections = 200;
const fairShare = 60; // may be answered while one payment of another waits
const payments = 3; // the least of them counts: beside one of them the machine may have done something else
const pool = new Pool(gateway.url, { connections });
afterAll(() => pool.destroy());

const asker = 'SGDFAST';
const paid = instruction(await bestQuote(gateway));
await submit(gateway, paid);

async function payAsTheOther(): Promise<string | undefined> {
  return (await submit(gateway, await fromTheOther(gateway), { clientId: other })).report?.status;
}

const questions = {
  'of a payment’s record': { method: 'GET', path: `/payments/${paid.uetr}` },
  'for payments': { method: 'GET', path: '/payments' },
} as const;

test.each(Object.entries(questions))(
  'beside hundreds of questions %s the payment of another is judged in its turn (SEC-7, I-16)',
  async (_, question) => {
    await payAsTheOther(); // every part is warm
    const authorization = `Bearer ${await gateway.token(asker)}`;
    let isOn = true;
    let answered = 0;
    const flood = Array.from({ length: connections }, async () => {
      while (isOn) {
        const { statusCode, body } = await pool.request({
          ...question,
          headers: { authorization },
        });
        await body.dump();
        if (statusCode !== 429) answered += 1;
      }
    });
    await expect.poll(() => answered, { interval: 5 }).toBeGreaterThan(20);
    const meanwhile: number[] = [];
    for (let paying = 0; paying < payments; paying += 1) {
      const before = answered;
      expect(await payAsTheOther()).toBe('ACTC');
      meanwhile.push(answered - before);
    }
    isOn = false;
    await Promise.all(flood);
    expect(Math.min(...meanwhile)).toBeLessThanOrEqual(fairShare);
  },
);
