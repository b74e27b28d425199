// Executions whose workflow tasks fail again and again. The sweep terminates them and continues from the record.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { startWorker } from '../../activities/start.ts';
import { bundleWorkflows } from '../../cli/bundle-workflows.mjs';
import { buildPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { paymentWorkflowId } from '../../contract/ids.ts';
import { evidenceOf, expectSoundMessages } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { endingIn } from '../../fixtures/endings.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, submitXml } from '../harness/payer.ts';
import { reportFinal } from '../harness/reports.ts';
import { eventually } from '../harness/wait.ts';

const gateway = await testGateway({ worker: false, sweepEveryMs: 500 });
const evidence = evidenceOf(gateway);
const { workerConfig, db, taskQueuePrefix, temporal } = gateway;

/** Undecided payments, in executions that a worker with other workflow code started. */
async function begunByOtherCode(): Promise<readonly { readonly uetr: string; readonly xml: string }[]> {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-other-code-'));
  const codePath = join(folder, 'workflow-bundle.js');
  await bundleWorkflows(codePath, join(import.meta.dirname, '..', 'harness', 'timed-workflow.ts'));
  const logger = pino({ level: process.env['TEST_LOG'] ?? 'silent' });
  const workflowBundle = { codePath };
  const sweep = { everyMs: null };
  const other = await startWorker(workerConfig, { logger, workflowBundle, taskQueuePrefix, sweep });
  const begin = async () => {
    const message = instruction(await bestQuote(gateway), { ending: endingIn.silent });
    const xml = buildPacs008(message);
    expect((await submitXml(gateway, xml)).report?.status).toBe('ACTC');
    await evidence.arrival(message.uetr, 'destination', 'pacs008');
    return { uetr: message.uetr, xml };
  };
  const payments = [await begin(), await begin()];
  await other.shutdown();
  rmSync(folder, { recursive: true });
  return payments;
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
  const payments = await begunByOtherCode();
  await gateway.startWorker();
  await Promise.all(payments.map(({ xml }) => submitXml(gateway, xml.replace('Canary Tan', 'Canary Ng')))); // 503 for some
  const uetrs = payments.map(({ uetr }) => uetr);
  await eventually(async () => expect((await alerted()).toSorted()).toEqual(uetrs.toSorted()), {
    everyMs: 500,
  });
  for (const { uetr, xml } of payments) {
    // another message with its ids is judged while the payment is open
    const answer = await eventually(
      async () => {
        const answered = await submitXml(gateway, xml.replace('Canary Tan', 'Canary Lim'));
        expect(answered.httpStatus).toBe(200);
        return answered;
      },
      { everyMs: 1_000 },
    );
    expect(answer.report?.reasonCode).toBe('DUPL');
    expect(await reportFinal(gateway, uetr)).toBe(200);
    expect((await evidence.arrival(uetr, 'source', 'pacs002')).status).toBe('ACCC');
    await evidence.closed(uetr);
  }
  expect((await alerted()).toSorted()).toEqual(uetrs.toSorted()); // once each
  for (const uetr of uetrs) {
    await eventually(async () => {
      const runs: string[] = [];
      const query = `WorkflowId = "${paymentWorkflowId(uetr)}"`;
      for await (const run of temporal.workflow.list({ query })) runs.push(run.status.name);
      expect(runs).toContain('TERMINATED');
      expect(runs).toContain('COMPLETED');
      expect(runs).not.toContain('RUNNING');
    });
  }
  await expectSoundMessages(gateway);
});
