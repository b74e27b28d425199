// `Prefer: wait` (PAY-1): who waits is answered with what becomes of its own message, and of no other's.
import { expect, test } from 'vitest';
import { endingIn } from '../../../fixtures/endings.ts';
import { testGateway } from '../../harness/gateway.ts';
import { instruction, newMessageId } from '../../../fixtures/instruction.ts';
import { bestQuote, submit } from '../../harness/payer.ts';

const gateway = await testGateway();
const prefer = 'wait=25'; // longer than a test may take: what is answered in time did not wait for its end

test('a rejection is answered at once', async () => {
  const message = instruction(await bestQuote(gateway), { purpose: 'ZZZZ' });
  const { report, headers } = await submit(gateway, message, { prefer });
  expect([report?.status, headers.get('preference-applied')]).toEqual(['RJCT', 'wait']);
}, 15_000);

test('a refused repeat of a payment that has no final yet is answered at once, and not with what becomes of the payment', async () => {
  const message = instruction(await bestQuote(gateway), { ending: endingIn.silent });
  expect((await submit(gateway, message)).report?.status).toBe('ACTC');
  const repeat = { ...message, messageIdentification: newMessageId() };
  expect((await submit(gateway, repeat, { prefer })).report?.reasonCode).toBe('DUPL');
  expect((await submit(gateway, repeat, { prefer })).report?.reasonCode).toBe('DUPL');
}, 15_000);

test('many that wait each have the final of their own payment', async () => {
  const quote = () => bestQuote(gateway);
  const messages = await Promise.all(
    Array.from({ length: 8 }, async (_, index) =>
      instruction(await quote(), { ending: index % 2 === 0 ? endingIn.interim : endingIn.rejected }),
    ),
  );
  const answers = await Promise.all(messages.map((message) => submit(gateway, message, { prefer })));
  expect(answers.map(({ report }) => report?.original.uetr)).toEqual(messages.map(({ uetr }) => uetr));
  expect(answers.map(({ report }) => report?.status)).toEqual(
    messages.map((_, index) => (index % 2 === 0 ? 'ACCC' : 'RJCT')),
  );
}, 15_000);

test('who waited in vain is answered ACTC when the time is over', async () => {
  const message = instruction(await bestQuote(gateway), { ending: endingIn.silent });
  const { report, headers } = await submit(gateway, message, { prefer: 'wait=1' });
  expect([report?.status, headers.get('preference-applied')]).toEqual(['ACTC', 'wait']);
}, 15_000);
