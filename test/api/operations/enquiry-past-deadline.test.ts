// An operator asks for the status of a HIGH payment whose deadline is past, before the gateway has decided it (TIM-1).
import { expect, test } from 'vitest';
import { testGateway } from '../../harness/gateway.ts';
import { jsonRoutes } from '../../harness/json-routes.ts';
import { problemTexts } from '../../harness/problem-texts.ts';
import { undecided } from '../../harness/reports.ts';
import { dueIn } from '../../harness/rewritten.ts';

const gateway = await testGateway();
const ask = await jsonRoutes<{ readonly code?: string; readonly detail?: string }>(gateway);

test('nothing leaves for the destination any more, and the operator is told why (TIM-1)', async () => {
  const { uetr } = await undecided(gateway, { priority: 'HIGH' });
  await gateway.stopWorker();
  await dueIn(gateway.db, [uetr], -1);
  const { status, body } = await ask('POST', `/payments/${uetr}/enquiries`, {});
  expect([status, body.code, body.detail]).toEqual([
    409,
    'deadline-past',
    problemTexts['deadline-past'].told,
  ]);
});
