// Sources ask how their payments stand while the destination is down and the breaker holds every send but its probes
// (CBK-3): the executions wait for the breaker, so nothing was lost, and the sweep finds nothing (LIF-2, I-20).
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { setEndpoint } from '../harness/destination.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { quietPort } from '../harness/quiet-port.ts';
import { heard, undecided } from '../harness/reports.ts';

const gateway = await testGateway({ sweepEveryMs: 500 });
const evidence = evidenceOf(gateway);

test('an enquiry that the breaker holds is not taken for one of which the word was lost (LIF-2, DUP-1)', async () => {
  const asked = [];
  for (let count = 0; count < 5; count += 1) asked.push(await undecided(gateway));
  for (const { uetr } of asked) await heard(gateway, uetr);
  await setEndpoint(gateway.db, 'IPSO-TH', `http://127.0.0.1:${await quietPort()}`);
  for (let count = 0; count < 8; count += 1) await submit(gateway, instruction(await bestQuote(gateway)));
  await delay(2_000); // the breaker opens on those
  const sends = async (uetr: string) => (await evidence.attempts(uetr, 'instruction')).length;
  const before = await Promise.all(asked.map(({ uetr }) => sends(uetr)));
  for (const message of asked) expect((await submit(gateway, message)).report?.status).toBe('ACTC');
  await delay(20_000); // the grace of 15 s, and some sweeps
  const after = await Promise.all(asked.map(({ uetr }) => sends(uetr)));
  expect(after.some((count, index) => count === before[index])).toBe(true); // some were held all the time
  const found = await Promise.all(asked.map(({ uetr }) => evidence.audit(uetr)));
  expect(found.flat()).not.toContain('sweep.started-again');
}, 60_000);
