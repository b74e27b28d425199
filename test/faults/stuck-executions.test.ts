// Executions whose workflow tasks fail again and again: they run by name only. The sweep finds that nobody works on
// their payments, ends them and goes on from the record (LIF-2, I-15).
import { expect, test, vi } from 'vitest';
import { buildPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { paymentWorkflowId, workflowTypes } from '../../contract/ids.ts';
import { paymentStart } from '../../contract/starts.ts';
import { evidenceOf, expectSoundMessages } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { endingIn } from '../../fixtures/endings.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, submitXml } from '../harness/payer.ts';
import { reportFinal } from '../harness/reports.ts';

const gateway = await testGateway({ sweepEveryMs: 500 });
const evidence = evidenceOf(gateway);
const { db, temporal } = gateway;

/**
 * A payment that its destination has got and says nothing of, in an execution as 0.1.0 started it: two messages that
 * come at once are judged at once there, and what that leaves in its history cannot be replayed, mostly.
 */
async function fragile(): Promise<{ readonly uetr: string; readonly xml: string }> {
  const message = instruction(await bestQuote(gateway), { ending: endingIn.silent });
  const { uetr } = message;
  const start = paymentStart({ uetr, sourceSystem: 'SGDFAST', messageId: '' }, gateway.taskQueuePrefix);
  await temporal.workflow.start(workflowTypes.payment, { ...start, args: [{ uetr }] });
  const xml = buildPacs008(message);
  const other = xml.replace('Canary Tan', 'Canary Goh'); // whichever comes first is the payment
  await Promise.all([xml, other].map((one) => submitXml(gateway, one)));
  await evidence.arrival(uetr, 'destination', 'pacs008');
  return { uetr, xml };
}

const alerted = async () => {
  const rows = await db
    .selectFrom('audit_events')
    .select('subject_id')
    .where('kind', '=', 'execution.stuck')
    .where('severity', '=', 'alert')
    .execute();
  return rows.map((row) => row.subject_id);
};

test('a payment whose execution cannot go on is taken from it, continues from the record, and somebody is told', async () => {
  const payments = [await fragile(), await fragile(), await fragile(), await fragile()];
  await gateway.stopWorker();
  await gateway.startWorker();
  await Promise.all(payments.map(({ xml }) => submitXml(gateway, xml.replace('Canary Tan', 'Canary Ng')))); // 503 for some
  await vi.waitFor(async () => expect((await alerted()).length).toBeGreaterThan(0), {
    timeout: 40_000,
    interval: 500,
  });
  for (const { uetr, xml } of payments) {
    // another message with its keys is judged, as long as the payment is open
    const answer = await vi.waitFor(
      async () => {
        const answered = await submitXml(gateway, xml.replace('Canary Tan', 'Canary Lim'));
        expect(answered.httpStatus).toBe(200);
        return answered;
      },
      { timeout: 40_000, interval: 1_000 },
    );
    expect(answer.report?.reasonCode).toBe('DUPL');
    expect(await reportFinal(gateway, uetr)).toBe(200);
    expect((await evidence.arrival(uetr, 'source', 'pacs002')).status).toBe('ACCC');
    await evidence.closed(uetr);
  }
  for (const uetr of await alerted()) {
    expect(payments.map((payment) => payment.uetr)).toContain(uetr);
    await vi.waitFor(async () => {
      const runs: string[] = [];
      const query = `WorkflowId = "${paymentWorkflowId(uetr ?? '')}"`;
      for await (const run of temporal.workflow.list({ query })) runs.push(run.status.name);
      expect(runs).toContain('TERMINATED');
      expect(runs).toContain('COMPLETED');
      expect(runs).not.toContain('RUNNING');
    }, 15_000);
  }
  await expectSoundMessages(gateway);
}, 120_000);
