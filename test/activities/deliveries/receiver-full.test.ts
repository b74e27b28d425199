// More messages for one receiver than it takes at once: those that wait ask when their turn is likely, and all are told
// (CBK-3, TIM-1).
import { setTimeout as delay } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import { beforeEach, expect, test } from 'vitest';
import { createDecidePayment } from '../../../activities/payments/decide-payment.ts';
import { createDeliver } from '../../../activities/deliveries/deliver.ts';
import { reading } from '../../harness/listening.ts';
import { inActivity, workbench } from '../workbench.ts';
import { dueIn } from '../../harness/rewritten.ts';

const { deps, accepted } = await workbench();
const { db } = deps;
const deliver = createDeliver(deps);
const decidePayment = createDecidePayment(deps);

let told = 0;
const slow = await reading((response) => {
  told += 1;
  setTimeout(() => response.writeHead(200).end(), 400);
});
beforeEach(() => {
  told = 0;
});

/** HIGH payments of one source that are past their deadline, and decided. */
async function decided(count: number): Promise<readonly string[]> {
  const uetrs: string[] = [];
  for (let made = 0; made < count; made += 1) {
    const { uetr } = await accepted({}, `${slow}/callback`);
    uetrs.push(uetr);
  }
  await dueIn(db, uetrs, -1);
  await Promise.all(uetrs.map((uetr) => decidePayment({ uetr, cause: { by: 'deadline' } })));
  return uetrs;
}

test('two hundred that wait for a slow receiver ask a few times each (CBK-3)', async () => {
  const waits: number[] = [];
  /** As the engine does it. */
  const untilTold = async (uetr: string) => {
    for (;;) {
      try {
        await inActivity(() => deliver({ subjectId: uetr }));
        return;
      } catch (error) {
        if (!(error instanceof ApplicationFailure)) throw error;
        waits.push(Number(error.nextRetryDelay));
        await delay(waits.at(-1));
      }
    }
  };
  await Promise.all((await decided(200)).map(untilTold));
  expect(told).toBeGreaterThanOrEqual(200); // more where the machine is slower than the limits of the workbench
  expect(waits.length).toBeGreaterThan(100);
  // they came back every 200 ms, 2,653 times in all
  expect(waits.reduce((sum, ms) => sum + ms, 0) / waits.length).toBeGreaterThan(400);
});
