// The worker with the sweep's lease cannot reach Temporal. Another worker takes the lease over.
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { paymentWorkflowId } from '../../contract/ids.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { faultProxy } from '../harness/fault-proxy.ts';
import { testGateway } from '../harness/gateway.ts';
import { undecided } from '../harness/reports.ts';
import { sweepThrough } from '../harness/sweeping.ts';
import { eventually } from '../harness/wait.ts';

const gateway = await testGateway({ worker: false, sweepEveryMs: 1_000, standstillMs: 1_000 });
const proxy = await faultProxy(gateway.temporalAddress);
const evidence = evidenceOf(gateway);
const { db, temporal } = gateway;

test('a payment whose execution is lost goes on, although the worker that sweeps has lost the engine', async () => {
  let cutShort = 0;
  const logger = pino({ level: 'warn' }, { write: () => void (cutShort += 1) });
  // a call to Temporal ends after 10 s, and the lease after 1.5 times `everyMs`: in proportion to the default of 30 s
  const times = { everyMs: 22_000, graceMs: 1_000, standstillMs: 1_000 };
  const stop = await sweepThrough(gateway, proxy.address, { ...times, logger, workerId: randomUUID() });
  try {
    await eventually(async () => {
      expect(await db.selectFrom('leases').selectAll().where('name', '=', 'sweep').execute()).toHaveLength(1);
    });
    await gateway.startWorker(); // reaches database and Temporal
    const { uetr } = await undecided(gateway);
    await proxy.blackHole();
    const execution = () => temporal.workflow.getHandle(paymentWorkflowId(uetr));
    const { runId: before } = await execution().describe();
    await execution().terminate('by mistake');
    await eventually(
      async () => {
        const { runId, status } = await execution().describe();
        expect({ isNew: runId !== before, status: status.name }).toEqual({
          isNew: true,
          status: 'RUNNING',
        });
      },
      { limitMs: 110_000, everyMs: 1_000 }, // three sweeps of the one with the lease, more than a hundred of the other
    ).catch((error: unknown) => {
      expect(cutShort).toBeGreaterThan(1);
      throw error;
    });
    expect(await evidence.audit(uetr)).toContain('sweep.started-again');
  } finally {
    await proxy.heal();
    await stop();
  }
});
