// What is sent has the time of the database (CBK-2): a worker whose clock is wrong would else be refused by every receiver.
import { afterEach, expect, test, vi } from 'vitest';
import { createDecidePayment } from '../../activities/decide-payment.ts';
import { createDeliver } from '../../activities/deliver.ts';
import { createForwardPayment } from '../../activities/forward-payment.ts';
import { setEndpoint } from '../harness/destination.ts';
import { reading } from '../harness/listening.ts';
import { dueIn } from '../harness/rewritten.ts';
import { inActivity, workbench } from './workbench.ts';

const { deps, accepted } = await workbench();
const times: number[] = [];
const url = await reading((response, _, { headers }) => {
  times.push(Number(headers['webhook-timestamp']));
  response.writeHead(202).end();
});
afterEach(() => vi.useRealTimers());

test('an instruction and a callback of a worker whose clock is an hour late', async () => {
  await setEndpoint(deps.db, 'IPSO-TH', url);
  await vi.waitFor(() => expect(deps.reference().operators.get('IPSO-TH')?.endpointUrl).toBe(url), 10_000);
  const { uetr, deliveryId } = await accepted({}, url);
  const before = Math.floor(Date.now() / 1_000);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
  await inActivity(() => createForwardPayment(deps)({ uetr, deliveryId }));
  await dueIn(deps.db, [uetr], 0);
  await createDecidePayment(deps)({ uetr, cause: { by: 'deadline' } });
  await inActivity(() => createDeliver(deps)({ subjectId: uetr })).catch(() => undefined); // the confirmation may be due again
  vi.useRealTimers();
  expect(times.length).toBeGreaterThanOrEqual(2);
  for (const time of times) {
    expect(time).toBeGreaterThanOrEqual(before);
    expect(time).toBeLessThanOrEqual(Date.now() / 1_000);
  }
});
