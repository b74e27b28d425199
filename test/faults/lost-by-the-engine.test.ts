// Temporal cannot describe one execution, because its shard or history is lost. Other payments go on, and this
// payment's final decides from the record.
import { Client, Connection } from '@temporalio/client';
import { expect, test } from 'vitest';
import { paymentWorkflowId } from '../../contract/ids.ts';
import { engineGap } from '../harness/engine-gap.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { storeReport, undecided } from '../harness/reports.ts';
import { testTemporal } from '../harness/temporal.ts';
import { eventually } from '../harness/wait.ts';

const { address } = await testTemporal();
const engine = await engineGap(address);
const gateway = await testGateway({
  temporalAddress: engine.address,
  sweepEveryMs: 500,
  standstillMs: 500,
  sweepPieceMs: 2_000, // one such call to Temporal takes longer
});
const evidence = evidenceOf(gateway);
const { db } = gateway;
const direct = new Client({ connection: await Connection.connect({ address }), namespace: 'default' });

test('a payment whose execution was lost goes on, although the engine cannot tell how those of older payments stand', async () => {
  const older = [await undecided(gateway), await undecided(gateway)];
  const { uetr } = await undecided(gateway);
  for (const one of older) engine.lose(paymentWorkflowId(one.uetr));
  await eventually(() => expect(engine.asked()).toBeGreaterThan(0));
  const execution = () => direct.workflow.getHandle(paymentWorkflowId(uetr));
  await execution().terminate('by mistake');
  await eventually(async () => expect((await execution().describe()).status.name).toBe('RUNNING'), {
    everyMs: 500,
    limitMs: 75_000,
  });
});

test('and a final of a payment decides from the record, although the engine can no longer tell how its own execution stands', async () => {
  const { uetr } = await undecided(gateway);
  await direct.workflow.getHandle(paymentWorkflowId(uetr)).terminate('lost');
  engine.lose(paymentWorkflowId(uetr));
  gateway.reported.push(uetr);
  await storeReport(db, uetr);
  await eventually(async () => expect((await evidence.decision(uetr))?.status).toBe('ACCC'), {
    everyMs: 500,
    limitMs: 90_000,
  });
});
