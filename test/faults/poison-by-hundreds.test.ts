// A worker starts with hundreds of messages that no worker can answer. It tries each once, and a lost execution is
// restarted meanwhile.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { paymentWorkflowId } from '../../contract/ids.ts';
import { testGateway } from '../harness/gateway.ts';
import { ownExchange, instruction } from '../../fixtures/instruction.ts';
import { storeOnly } from '../harness/payer.ts';
import { poisonedEngine, poisonedMessageId } from '../harness/poison.ts';
import { undecided } from '../harness/reports.ts';
import { messagesAged } from '../harness/rewritten.ts';
import { eventually } from '../harness/wait.ts';

const gateway = await testGateway({
  sweepEveryMs: 500,
  standstillMs: 500,
  sweepPieceMs: 300,
  workerEngine: poisonedEngine(),
});
const { db, temporal } = gateway;
const many = 400;

test('a payment whose execution is lost goes on, although hundreds that nobody can answer are still to be tried', async () => {
  const { uetr } = await undecided(gateway);
  await gateway.stopWorker();
  await db.deleteFrom('leases').execute();
  for (let stored = 0; stored < many; stored += 20) {
    const some = Array.from({ length: 20 }, () =>
      instruction(ownExchange(), { messageIdentification: poisonedMessageId() }),
    );
    await Promise.all(some.map((message) => storeOnly(gateway, message)));
  }
  await messagesAged(db, sql`direction = 'in'`, '5 seconds');
  await gateway.startWorker();
  const tried = async () => {
    const { rows } = await sql<{ tried: number }>`
      select count(*)::int as tried from audit_events where kind = 'message.unanswerable'`.execute(db);
    return rows[0]?.tried ?? 0;
  };
  await eventually(async () => expect(await tried()).toBeGreaterThan(0));
  const execution = () => temporal.workflow.getHandle(paymentWorkflowId(uetr));
  await execution().terminate('by mistake');
  await eventually(async () => expect((await execution().describe()).status.name).toBe('RUNNING'), {
    everyMs: 100,
  });
  expect(await tried()).toBeLessThan(many);
  await eventually(async () => expect(await tried()).toBe(many), { limitMs: 60_000 });
});
