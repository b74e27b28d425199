// What `npm run ops` says when a worker has just gone: each says every 5 s that it is there (OBS-7), so that two words
// missed are told before the 30 s after which it counts as gone.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { listParties, show } from '../../cli/ops/commands.ts';
import { buildPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { writeReceiverStates } from '../../db/deliveries/party-health.ts';
import { takePacs008 } from '../../db/payments/submissions.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote } from '../harness/payer.ts';
import { opsOn } from './ops-context.ts';

const gateway = await testGateway({ worker: false });
const { lines, context } = opsOn(gateway);
beforeEach(() => void lines.splice(0));

const worker = randomUUID();
async function lastWord(secondsAgo: number): Promise<void> {
  await writeReceiverStates(gateway.db, worker, []);
  await sql`update worker_states set at = clock_timestamp() - ${secondsAgo} * interval '1 second'`.execute(
    gateway.db,
  );
}

test('parties, and a payment that nobody judges, say that no worker has given word for a while', async () => {
  const message = instruction(await bestQuote(gateway));
  const { uetr, messageIdentification } = message;
  const callbackUrl = gateway.sandbox.callbackUrl('SGDFAST');
  const body = Buffer.from(buildPacs008(message));
  await takePacs008(gateway.db, {
    uetr,
    messageIdentification,
    sourceSystem: 'SGDFAST',
    callbackUrl,
    body,
    mayAsk: () => true,
  });
  const perhaps = (line: string | undefined) =>
    /No worker has reported for 1[2-9] s; each reports every 5 s\. Perhaps none runs: then nothing is judged or sent\.$/.test(
      line ?? '',
    );
  const none = 'No worker has reported for 30 s: nothing is judged or sent until one runs.';

  await lastWord(0);
  await listParties(context(), { minutes: '10' });
  await show(context(), uetr, {});
  expect(lines.join('\n')).not.toContain('No worker');

  await lastWord(12);
  lines.splice(0);
  await listParties(context(), { minutes: '10' });
  expect(perhaps(lines[0])).toBe(true);
  lines.splice(0);
  await show(context(), uetr, {});
  expect(lines.some(perhaps)).toBe(true);

  await lastWord(31);
  lines.splice(0);
  await listParties(context(), { minutes: '10' });
  expect(lines[0]).toBe(none);
  lines.splice(0);
  await show(context(), uetr, {});
  expect(lines).toContain(`! ${none}`);
});
