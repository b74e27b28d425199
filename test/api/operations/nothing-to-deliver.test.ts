// Who asks for deliveries again where there is nothing to deliver hears why: all was taken, nothing is decided yet, or
// it was told in an HTTP answer (CBK-1, PAY-9).
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

test('its confirmation was the HTTP answer to the report of the destination (PAY-9)', async () => {
  const uetr = await paid(endingIn.creditedLater);
  expect(await whyNot(uetr, 'confirmation')).toBe(
    'confirmation: it was the HTTP answer to the report of the destination, which gets it again by posting its final status again (PAY-9).',
  );
  expect(await whyNot(uetr)).toMatch(/^Everything was delivered: callback [^ ]+Z, notification /);
});

test('it is not decided yet: nobody is to be told', async () => {
  const message = instruction(await bestQuote(gateway), { ending: endingIn.silent });
  await submit(gateway, message);
  const said = 'It has no final status yet: nobody is to be told one.';
  expect(await whyNot(message.uetr)).toBe(said);
  expect(await whyNot(message.uetr, 'callback')).toBe(said);
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

test('a payment that was not credited has no trade to book (NOT-1)', async () => {
  const uetr = await paid(endingIn.rejected);
  expect(await whyNot(uetr, 'notification')).toBe(
    'notification: only a credited payment with a quote has one (NOT-1).',
  );
});
