// The case of a payment that has no alert: what is over is over, and what is not is not reopened (OBS-6).
import { expect, test } from 'vitest';
import { testGateway } from '../../harness/gateway.ts';
import { instruction } from '../../../fixtures/instruction.ts';
import { jsonRoutes } from '../../harness/json-routes.ts';
import { bestQuote, submit } from '../../harness/payer.ts';

const gateway = await testGateway();
const ask = await jsonRoutes<{ readonly code?: string }>(gateway);

async function acting() {
  const { uetr, ...rest } = instruction(await bestQuote(gateway));
  await submit(gateway, { uetr, ...rest });
  return async (action: string, client?: string) => {
    const { status, body } = await ask('POST', `/payments/${uetr}/entries`, { action, note: 'word' }, client);
    return [status, body.code];
  };
}

test('a case that nobody has closed is not reopened (OBS-6)', async () => {
  const act = await acting();
  expect(await act('reopen')).toEqual([409, 'alert-not-closed']);
});

test('a case that was closed is reopened before somebody takes it (OBS-6)', async () => {
  const act = await acting();
  expect((await act('close'))[0]).toBe(200);
  expect(await act('take', 'operator2')).toEqual([409, 'alert-closed']);
  expect((await act('reopen'))[0]).toBe(200);
  expect((await act('take', 'operator2'))[0]).toBe(200);
});
