// When a resolution is answered (RES-1): at the deadline after the source asked, whatever takes long inside, and
// whatever the clocks of database, engine and worker show.
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { movableClock } from '../harness/database-clock.ts';
import { testGateway } from '../harness/gateway.ts';
import { accountRequest, ask, proxyRequest, resolutionEvidence, type Asked } from '../harness/asker.ts';

const deadlineMs = 3_000;
const heldMs = 1_200; // how long judging takes in the test where it takes long; the database is waited for no longer than 2 s
let moveClock: (aheadMs: number) => Promise<void> = () => Promise.resolve();
const gateway = await testGateway({
  prepare: async (db) => {
    await db
      .updateTable('clearing_systems')
      .set({ max_resolution_seconds: deadlineMs / 1_000 })
      .execute();
    moveClock = await movableClock(db);
  },
});
const evidence = resolutionEvidence(gateway);

const latestMs = deadlineMs + heldMs - 100; // 250 ms on an idle machine; the tests' is not

/**
 * Asks until an answer comes in time, at most three times: a machine that stands still delays one answer, a deadline
 * that starts too late delays all.
 */
async function expectInTime(asking: () => Promise<Asked>): Promise<void> {
  let tookMs = Infinity;
  for (let attempt = 1; attempt <= 3 && tookMs >= latestMs; attempt += 1) {
    const startedAt = performance.now();
    const { answer } = await asking();
    tookMs = performance.now() - startedAt;
    expect(answer).toMatchObject({ verified: false, reasonCode: 'AB08' });
    expect(tookMs).toBeGreaterThan(deadlineMs - 150); // from when it was received
  }
  expect(tookMs).toBeLessThan(latestMs);
}

test('a silent creditor agent: the answer comes at the deadline after the source asked, though judging took long', async () => {
  await ask(gateway, proxyRequest('+66880000001')); // everything is warm
  await expectInTime(async () => {
    const asking = gateway.db.transaction().execute(async (held) => {
      await sql`lock table resolutions in access exclusive mode`.execute(held);
      const asked = ask(gateway, accountRequest('6688000408'));
      await delay(heldMs);
      return { asked }; // not awaited within the transaction
    });
    return (await asking).asked;
  });
});

describe.each([
  ['ahead', 3_600_000],
  ['behind', -3_600_000],
])("the database's clock an hour %s of all others", (direction, aheadMs) => {
  const digit = direction === 'ahead' ? '1' : '2';

  test('takes nothing from the time to answer, and adds nothing to it', async () => {
    await moveClock(aheadMs);
    const found = await ask(gateway, proxyRequest(`+6688${digit}000001`));
    expect(found.answer).toMatchObject({ verified: true });
    let request = proxyRequest(`+6688${digit}000408`);
    await expectInTime(() => ask(gateway, (request = proxyRequest(`+6688${digit}000408`))));
    expect(await evidence.attempts(request.messageIdentification, 'directory-enquiry')).toMatchObject([
      { outcome: 'MAYBE_SENT' },
    ]);
    await moveClock(0);
  });
});
