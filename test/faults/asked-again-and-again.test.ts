// A source asks every six seconds how its payment stands, and nobody hears of it: its first question is overdue when it
// is older than what is left to the process that took it, whatever it has asked since (DUP-1, LIF-2).
import { expect, test } from 'vitest';
import { isSendOverdue } from '../../core/delivery-schedule.ts';
import { sendsOf } from '../../db/sweep.ts';
import { paymentWorkflowId } from '../../contract/ids.ts';
import { testGateway } from '../harness/gateway.ts';
import { submit } from '../harness/payer.ts';
import { heard, undecided } from '../harness/reports.ts';
import { untilPast } from '../harness/wait.ts';

const gateway = await testGateway();
const graceMs = 15_000; // LIF-2

test.each([
  ['once', 1],
  ['every six seconds', 5],
])(
  'what a source asks %s, and was never asked of the destination, is overdue after 24 s (DUP-1, LIF-2)',
  async (_, times) => {
    const message = await undecided(gateway);
    const { uetr } = message;
    await heard(gateway, uetr);
    await gateway.stopWorker();
    for (let asked = 0; asked < 5; asked += 1) {
      if (asked > 0) await untilPast(6_000);
      if (asked < times) expect((await submit(gateway, message)).report?.status).toBe('ACTC');
    }
    const sends = await sendsOf(gateway.db, uetr);
    expect(sends !== null && isSendOverdue(sends, graceMs)).toBe(true);
    await gateway.temporal.workflow
      .getHandle(paymentWorkflowId(uetr))
      .terminate('it has shown what it should');
    await gateway.startWorker();
  },
  60_000,
);
