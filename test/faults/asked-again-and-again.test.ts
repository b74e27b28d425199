// A source asks every six seconds how its payment stands, and nobody hears of it: its first question is overdue when it
// is older than what is left to the process that took it, whatever it has asked since (DUP-1, LIF-2).
import { expect, test } from 'vitest';
import { isSendOverdue } from '../../core/payments/enquiry-schedule.ts';
import { sendsOf } from '../../db/records/sweep.ts';
import { paymentWorkflowId } from '../../contract/ids.ts';
import { testGateway } from '../harness/gateway.ts';
import { submit } from '../harness/payer.ts';
import { heard, undecided } from '../harness/reports.ts';
import { untilPast } from '../harness/wait.ts';

const gateway = await testGateway();
const graceMs = 15_000; // LIF-2

test('what a source asks every six seconds, and was never asked of the destination, is overdue after 18 s (DUP-1, LIF-2)', async () => {
  const message = await undecided(gateway);
  const { uetr } = message;
  await heard(gateway, uetr);
  await gateway.stopWorker();
  for (let asked = 0; asked < 4; asked += 1) {
    if (asked > 0) await untilPast(6_000);
    expect((await submit(gateway, message)).report?.status).toBe('ACTC');
  }
  const sends = await sendsOf(gateway.db, uetr);
  expect(sends !== null && isSendOverdue(sends, graceMs)).toBe(true);
  await gateway.temporal.workflow.getHandle(paymentWorkflowId(uetr)).terminate('it has shown what it should');
  await gateway.startWorker();
}, 60_000);
