// What a person types behind `isthmus ops`, against a whole gateway: identifiers as other tools show them, and what the
// gateway does not take is a mistake in the options (exit code 2), as what the command itself does not take.
import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { commandFolder } from './command.ts';

const gateway = await testGateway();
const place = await commandFolder();
afterAll(() => place.remove());
const operator = {
  ISTHMUS_URL: gateway.url,
  ISTHMUS_CLIENT_ID: 'operator',
  ISTHMUS_CLIENT_SECRET: 'demo-operator',
};
async function ops(...args: readonly string[]) {
  const command = place.runWith(operator, 'ops', ...args);
  const code = await command.ended;
  return { code, output: command.output() };
}
const message = instruction(await bestQuote(gateway));
await submit(gateway, message);
const capitals = message.uetr.toUpperCase();

test.each([
  ['show', capitals],
  ['note', capitals, '--note', 'as another tool shows it'],
  ['list', '--uetr', capitals, '--json'],
])('%s takes a UETR in capitals, too', { timeout: 30_000 }, async (...args) => {
  const { code, output } = await ops(...args);
  expect([output.includes('No payment'), code], output).toEqual([false, 0]);
});

test.each([
  [['list', '--state', 'lost'], 2],
  [['alerts', '--severity', 'grave'], 2],
  [['show', randomUUID()], 1],
])('%j ends with %i', { timeout: 30_000 }, async (args, wanted) => {
  const { code, output } = await ops(...args);
  expect(code, output).toBe(wanted);
});

test('alerts --kind with a word that is no kind says so: nothing found is not good news (OBS-6)', async () => {
  const known = await ops('alerts', '--kind', 'payment.contradiction');
  expect(known.output.trim()).toBe('No alert with kind payment.contradiction is open or taken.');
  const mistaken = await ops('alerts', '--kind', 'payment.contradicton');
  expect(mistaken.output).toContain('This version raises no alert of kind payment.contradicton');
}, 30_000);
