// `npm run ops -- tail` against a whole gateway shows every change of the payments that it follows.
import { afterEach, expect, test } from 'vitest';
import { tail } from '../../cli/ops/tail.ts';
import { endingIn } from '../../fixtures/endings.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { reportFinal } from '../harness/reports.ts';
import { opsOn } from './ops-context.ts';

const gateway = await testGateway();
const evidence = evidenceOf(gateway);
const { lines, context, interrupt } = opsOn(gateway);

let following: Promise<void> | undefined;
/** Clears the output and starts to follow. */
function follow(
  ...[query, options = {}]: [query: Parameters<typeof tail>[1], options?: { json?: true }]
): void {
  lines.splice(0);
  following = tail(context(), query, options);
}
afterEach(async () => {
  interrupt();
  await following;
});

async function pay(ending: keyof typeof endingIn, destination = 'TH', currency = 'THB'): Promise<string> {
  const quote = await bestQuote(gateway, { destination, destinationCurrency: currency });
  const message = instruction(quote, { ending: endingIn[ending] });
  expect((await submit(gateway, message)).httpStatus).toBe(200);
  return message.uetr;
}
const linesOf = (uetr: string) => lines.filter((line) => line.includes(uetr)).join('\n');

test('a payment when it is judged, and when it has ended; of one party only', async () => {
  follow({ party: 'PHPINST' });
  const other = await pay('creditedAtOnce');
  const uetr = await pay('silent', 'PH', 'PHP');
  const isShown = (form: RegExp) => expect.poll(() => linesOf(uetr), { timeout: 15_000 }).toMatch(form);
  await isShown(/^judged  20.*ACTC +waiting$/);
  expect(await reportFinal(gateway, uetr, 'PHPINST')).toBe(200);
  await isShown(/^judged  20.*ACTC +waiting\n(.*\n)?decided 20.*ACCC +done$/);
  expect(linesOf(other)).toBe('');
}, 45_000);

test('with --json, each as the gateway answered it, and nothing else', async () => {
  const uetr = await pay('creditedAtOnce');
  await evidence.closed(uetr);
  const token = await gateway.token('operator');
  const answer = await fetch(`${gateway.url}/payments?uetr=${uetr}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const [, payment = ''] = /^\{"payments":\[(.*)\],"next":null\}$/.exec(await answer.text()) ?? [];
  follow({ uetr }, { json: true });
  await expect.poll(() => lines, { timeout: 15_000 }).toEqual([payment]);
}, 30_000);
