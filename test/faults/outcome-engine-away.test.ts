// Two operators settle a payment in doubt while Temporal is frozen, with and without a final at the same time.
import { expect, test } from 'vitest';
import { writeEvent } from '../harness/events.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { jsonRoutes } from '../harness/json-routes.ts';
import { ownTemporal } from '../harness/own-temporal.ts';
import { reportFinal, sendsEnded, undecided } from '../harness/reports.ts';

const engine = await ownTemporal({});
const gateway = await testGateway({ temporalAddress: engine.address, sweepEveryMs: 1_000 });
const evidence = evidenceOf(gateway);

const ask = await jsonRoutes<{
  readonly outcomeId?: string;
  readonly decision?: { readonly status: string } | null;
}>(gateway);

async function recorded(status: string) {
  const { uetr } = await undecided(gateway, { priority: 'NORM' });
  await sendsEnded(gateway, uetr);
  await writeEvent(gateway.db, { severity: 'alert', kind: 'payment.in-doubt', subjectId: uetr });
  const path = `/payments/${uetr}/outcomes`;
  const { body } = await ask('POST', path, { status, evidence: 'their desk' });
  return { uetr, path: `${path}/${body.outcomeId ?? ''}/confirmation` };
}

test('an outcome that is confirmed while the engine stands still decides once it is back; who confirms is told no more than is so (LIF-4)', async () => {
  const { uetr, path } = await recorded('BLCK');
  engine.freeze();
  try {
    const startedAt = performance.now();
    const { status, body } = await ask('POST', path, { status: 'BLCK' }, 'operator2');
    const decision = await evidence.decision(uetr);
    expect([status, body.decision?.status]).toEqual([200, decision?.status]);
    expect(performance.now() - startedAt).toBeLessThan(12_000);
  } finally {
    engine.thaw();
  }
  expect((await evidence.arrival(uetr, 'source', 'pacs002')).status).toBe('BLCK');
});

test('a final that is stored behind the confirmation, before the engine is back, decides or contradicts, never both (LIF-4, PAY-7)', async () => {
  const { uetr, path } = await recorded('BLCK');
  engine.freeze();
  try {
    await Promise.all([ask('POST', path, { status: 'BLCK' }, 'operator2'), reportFinal(gateway, uetr)]);
  } finally {
    engine.thaw();
  }
  expect((await evidence.arrival(uetr, 'source', 'pacs002')).status).toBe('ACCC');
  expect(await evidence.decision(uetr)).toMatchObject({ status: 'ACCC', decided_by: 'destination' });
});
