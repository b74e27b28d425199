// A repeat that cannot be answered, because of a defect of ours, does not disturb the payment with the same UETR.
import { expect, test } from 'vitest';
import { paymentWorkflowId } from '../../contract/ids.ts';
import { setEndpoint } from '../harness/destination.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { reading } from '../harness/listening.ts';
import { bestQuote, submit, storeOnly } from '../harness/payer.ts';
import { poisonedEngine, poisonedMessageId } from '../harness/poison.ts';
import { eventually } from '../harness/wait.ts';

const unwilling = await reading((response) => void response.writeHead(503).end());
const gateway = await testGateway({
  sweepEveryMs: 500,
  standstillMs: 2_500,
  workerEngine: poisonedEngine(),
  prepare: (db) => setEndpoint(db, 'IPSO-MY', unwilling),
});
const evidence = evidenceOf(gateway);
const { db, temporal } = gateway;

test('a repeat that nobody can answer ends no healthy execution, and lets nothing more leave for the destination', async () => {
  const trip = { destination: 'MY', destinationCurrency: 'MYR' };
  const message = instruction(await bestQuote(gateway, trip));
  expect((await submit(gateway, message)).report?.status).toBe('ACTC');
  const { uetr } = message;
  const runOf = async () => (await temporal.workflow.getHandle(paymentWorkflowId(uetr)).describe()).runId;
  const before = await runOf();
  const repeat = { ...message, messageIdentification: poisonedMessageId() };
  await storeOnly(gateway, repeat);
  await eventually(
    async () => {
      const { judged_at: acceptedAt } = await db
        .selectFrom('payments')
        .select('judged_at')
        .where('uetr', '=', uetr)
        .executeTakeFirstOrThrow();
      expect(Date.now() - acceptedAt.getTime()).toBeGreaterThan(11_000); // several sweeps; its first enquiry is due at 60 s
    },
    { everyMs: 1_000 },
  );
  expect({
    run: await runOf(),
    sends: (await evidence.attempts(uetr, 'instruction')).length,
    alerts: (await evidence.audit(uetr)).filter((kind) => kind === 'execution.stuck').length,
  }).toEqual({ run: before, sends: 4, alerts: 0 });
});
