// An alert names the party that is to be called, where one is known (OBS-6, TIM-2).
import { expect, test } from 'vitest';
import { createReportInDoubt } from '../../../activities/payments/decide-payment.ts';
import { listAlerts } from '../../../db/records/cases.ts';
import { workbench } from '../workbench.ts';

const { deps, accepted } = await workbench();

test('a payment in doubt is told with the destination that says nothing, and is found by it (TIM-2)', async () => {
  const { uetr } = await accepted();
  const reportInDoubt = createReportInDoubt(deps);
  for (let times = 0; times < 2; times += 1) await reportInDoubt({ uetr });
  const filter = { states: ['open'], party: 'THBPPAY' } as const;
  const { alerts } = await listAlerts(deps.db, filter, { limit: 10 });
  expect(alerts).toMatchObject([{ kind: 'payment.in-doubt', subjectId: uetr, party: 'THBPPAY' }]);
});
