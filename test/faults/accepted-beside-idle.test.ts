// An execution runs under the name of a submission, and does nothing (idle-executions.test.ts), when the sweep judges it
// (LIF-2). Whoever accepts it promises to act on it: what was accepted with most of its time left is not for the
// deadline to end.
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { paymentWorkflowId, resolutionWorkflowId, workflowTypes } from '../../contract/ids.ts';
import { recordReceived } from '../../db/records/messages.ts';
import { buildAcmt023 } from '../../fixtures/acmt023.ts';
import { proxyRequest } from '../harness/asker.ts';
import { testGateway } from '../harness/gateway.ts';
import { runBrokenWorker } from '../harness/broken-worker.ts';
import { instruction, ownExchange } from '../../fixtures/instruction.ts';
import { storeOnly } from '../harness/payer.ts';
import { messagesAged } from '../harness/rewritten.ts';

const gateway = await testGateway({
  sweepEveryMs: 500,
  standstillMs: 1_000,
  maxExecutionSeconds: 40,
  prepare: async (db) => {
    await db.updateTable('clearing_systems').set({ max_resolution_seconds: 40 }).execute();
  },
});
const { db, temporal } = gateway;
const taskQueue = await runBrokenWorker(gateway, 'idle');

const idle = (workflowId: string) =>
  temporal.workflow.start(workflowTypes.payment, { workflowId, taskQueue });

const age = (messageId: string) => messagesAged(db, sql`message_id = ${messageId}`, '3 seconds');

async function firstSend(subjectId: string): Promise<void> {
  const asked = async () => {
    const { rows } = await sql<{ kind: string; attempts: number }>`
      select kind, attempts from deliveries
      where subject_id = ${subjectId} and kind in ('instruction', 'directory-enquiry')`.execute(db);
    return rows[0]?.attempts;
  };
  await vi.waitFor(async () => expect(await asked()).toBe(0), { timeout: 15_000, interval: 20 }); // the sweep accepted it
  await vi.waitFor(async () => expect(await asked()).toBe(1), { timeout: 25_000, interval: 250 });
}

test('a HIGH payment that the sweep accepts leaves well before its deadline, although its execution does nothing', async () => {
  const message = instruction(ownExchange(), { priority: 'HIGH' });
  await idle(paymentWorkflowId(message.uetr));
  await age(await storeOnly(gateway, message));
  await firstSend(message.uetr);
}, 90_000);

test('the party that a resolution needs is asked well before its deadline, although its execution does nothing', async () => {
  const request = proxyRequest('+66800000001');
  const { messageIdentification } = request;
  await idle(resolutionWorkflowId('SGDFAST', messageIdentification));
  const { messageId } = await recordReceived(db, {
    type: 'acmt023',
    messageIdentification,
    leg: 'source',
    party: 'SGDFAST',
    answerUrl: gateway.sandbox.callbackUrl('SGDFAST', 'acmt024'),
    body: Buffer.from(buildAcmt023(request)),
  });
  await age(messageId);
  await firstSend(messageId);
}, 90_000);
