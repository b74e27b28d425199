// An engine that comes back after the time of enquiries: the executions that it kept go on, and the sweep ends none of them, although
// what it read of a payment may be some seconds old when it looks at its execution (LIF-2, I-20).
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { testGateway } from '../harness/gateway.ts';
import { endingIn } from '../harness/endings.ts';
import { instruction } from '../harness/instruction.ts';
import { ownTemporal } from '../harness/own-temporal.ts';
import { bestQuote, submit } from '../harness/payer.ts';

const engine = await ownTemporal();
const gateway = await testGateway({
  sweepEveryMs: 500,
  temporalAddress: engine.address,
  standstillMs: 8_000, // as in production
});

test('payments that waited while the engine was away keep their executions', async () => {
  const startedAt = Date.now();
  const after = (ms: number) => delay(Math.max(0, ms - (Date.now() - startedAt)));
  for (let round = 0; round < 12; round += 1) {
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        await submit(gateway, instruction(await bestQuote(gateway), { ending: endingIn.silent }));
      }),
    );
  }
  await after(50_000);
  await engine.kill();
  await after(95_000); // every first enquiry is some 30 s late
  await engine.startAgain();
  await delay(40_000);
  const ended = await gateway.db
    .selectFrom('audit_events')
    .select('subject_id')
    .where('kind', '=', 'execution.stuck')
    .execute();
  expect(ended).toEqual([]);
}, 250_000);
