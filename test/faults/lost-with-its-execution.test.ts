// A worker dies with the destination's HTTP answer unread, and the execution is lost too. The final that came by
// the other way is confirmed all the same.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { paymentWorkflowId } from '../../contract/ids.ts';
import { bothWays } from '../harness/both-ways.ts';
import { messagesAged } from '../harness/rewritten.ts';
import { killProcess } from '../harness/worker-process.ts';
import { eventually } from '../harness/wait.ts';

const { gateway, told, start, reportedMeanwhile } = await bothWays();
const { temporal } = gateway;

test('an answer that was lost with its worker is confirmed, although the execution was lost as well (LIF-3)', async () => {
  const worker = await start();
  const { uetr, answer } = await reportedMeanwhile();
  await killProcess(worker);
  answer();
  await temporal.workflow.getHandle(paymentWorkflowId(uetr)).terminate('by mistake');
  // older than what a sweep leaves alone
  await messagesAged(gateway.db, sql`true`, '20 seconds');
  await sql`update delivery_attempts set started_at = started_at - interval '20 seconds'`.execute(gateway.db);
  await start(); // its first sweep looks at everything
  await eventually(() => expect(told).toContain(uetr), { everyMs: 500, limitMs: 75_000 });
});
