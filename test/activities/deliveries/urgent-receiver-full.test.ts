// More HIGH payments for one destination than it takes at once: they ask when their turn is likely, so that others notice
// nothing of it (CBK-3), and all go before their deadline (TIM-1).
import { setTimeout as delay } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import { expect, test, vi } from 'vitest';
import { createForwardPayment } from '../../../activities/payments/forward-payment.ts';
import { setEndpoint } from '../../harness/destination.ts';
import { reading } from '../../harness/listening.ts';
import { inActivity, workbench } from '../workbench.ts';
import { dueIn } from '../../harness/rewritten.ts';

const { deps, accepted } = await workbench();
const forwardPayment = createForwardPayment(deps);
let taken = 0;
const slow = await reading((response) => {
  taken += 1;
  setTimeout(() => response.writeHead(202).end(), 400);
});
await setEndpoint(deps.db, 'IPSO-TH', slow);
const count = 200;

test('two hundred HIGH payments that wait for a slow destination ask a few times each (CBK-3)', async () => {
  await vi.waitFor(() => expect(deps.reference().operators.get('IPSO-TH')?.endpointUrl).toBe(slow));
  const payments: { readonly uetr: string; readonly deliveryId: string }[] = [];
  for (let made = 0; made < count; made += 1) payments.push(await accepted({ priority: 'HIGH' }));
  const uetrs = payments.map(({ uetr }) => uetr);
  await dueIn(deps.db, uetrs, 20_000); // however long it took to make them
  const waits: number[] = [];
  const since = performance.now();
  /** As the engine does it. */
  const untilSent = async ({ uetr, deliveryId }: (typeof payments)[number]) => {
    for (;;) {
      try {
        await inActivity(() => forwardPayment({ uetr, deliveryId, destinationSystem: 'THBPPAY' }));
        return;
      } catch (error) {
        if (!(error instanceof ApplicationFailure)) throw error;
        if (error.type === 'Held') waits.push(Number(error.nextRetryDelay));
        await delay(Number(error.nextRetryDelay));
      }
    }
  };
  await Promise.all(payments.map(untilSent));
  const ms = performance.now() - since;
  expect(taken).toBeGreaterThanOrEqual(count);
  expect(ms).toBeLessThan(15_000);
  expect(waits.reduce((sum, one) => sum + one, 0) / waits.length).toBeGreaterThan(400); // as of those that are told (many-wait.test.ts)
}, 60_000);
