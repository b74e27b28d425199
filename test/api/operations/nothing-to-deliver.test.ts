// An operator asks for a redelivery where nothing is to be delivered, and is told why (CBK-1, PAY-9).
import { expect, test } from 'vitest';
import { endingIn, type Ending } from '../../../fixtures/endings.ts';
import { evidenceOf } from '../../harness/evidence.ts';
import { testGateway } from '../../harness/gateway.ts';
import { instruction } from '../../../fixtures/instruction.ts';
import { jsonRoutes } from '../../harness/json-routes.ts';
import { bestQuote, submit } from '../../harness/payer.ts';

const gateway = await testGateway();
const evidence = evidenceOf(gateway);
const ask = await jsonRoutes<{ readonly code?: string; readonly detail?: string }>(gateway);

async function paid(ending: Ending): Promise<string> {
  const message = instruction(await bestQuote(gateway), { ending });
  await submit(gateway, message);
  await evidence.arrival(message.uetr, 'source', 'pacs002');
  await evidence.closed(message.uetr);
  return message.uetr;
}

async function whyNot(uetr: string, ...kinds: readonly string[]): Promise<string | undefined> {
  const body = kinds.length === 0 ? {} : { kinds };
  const answer = await ask('POST', `/payments/${uetr}/redeliveries`, body);
  expect([answer.status, answer.body.code]).toEqual([409, 'nothing-to-deliver']);
  return answer.body.detail;
}

test('all was taken: when, and how one goes out again (CBK-1)', async () => {
  const uetr = await paid(endingIn.creditedAtOnce);
  expect(await whyNot(uetr)).toMatch(
    /^Everything was delivered: callback 20[-\dT:.]+Z, confirmation 20[-\dT:.]+Z, notification 20[-\dT:.]+Z\. To send one of them again, name it in `kinds` \(ops redeliver --kind\)\.$/,
  );
});

test('of a payment that Isthmus rejected at once its source alone is told (PAY-10)', async () => {
  const message = instruction(await bestQuote(gateway), { purpose: 'ZZZZ' });
  expect((await submit(gateway, message)).report?.status).toBe('RJCT');
  await evidence.closed(message.uetr);
  expect(await whyNot(message.uetr)).toMatch(/^Everything was delivered: callback [^ ]+Z\. /);
  expect(await whyNot(message.uetr, 'confirmation', 'notification')).toBe(
    'confirmation: nothing had left for the destination, which is told nothing; notification: only a credited payment with a quote has one (NOT-1).',
  );
});
