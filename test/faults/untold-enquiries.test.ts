// A source asks for the status, and the signal never reaches the execution. The sweep has the destination asked,
// and terminates no healthy execution.
import { expect, test } from 'vitest';
import { paymentWorkflowId } from '../../contract/ids.ts';
import { askStatus } from '../../db/payments/asks.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { heard, undecided } from '../harness/reports.ts';
import { eventually } from '../harness/wait.ts';

const gateway = await testGateway({ sweepEveryMs: 500 });
const evidence = evidenceOf(gateway);
const { db, temporal } = gateway;

test('an enquiry whose signal was lost is made by the execution that runs, and raises no alert', async () => {
  const { uetr } = await undecided(gateway);
  await heard(gateway, uetr);
  const runOf = async () => (await temporal.workflow.getHandle(paymentWorkflowId(uetr)).describe()).runId;
  const before = await runOf();
  expect(await askStatus(db, uetr, () => true)).toBe(true);
  await eventually(() => expect(evidence.received(uetr, 'destination', 'pacs008')).toHaveLength(2), {
    everyMs: 100,
  });
  expect({ run: await runOf(), audit: await evidence.audit(uetr) }).toMatchObject({ run: before });
  expect(await evidence.audit(uetr)).not.toContain('execution.stuck');
});
