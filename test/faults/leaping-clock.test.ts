// The database's clock leaps forward by an hour. The sweep measures how far it looks back by the clock of its
// process.
import { expect, test } from 'vitest';
import { movableClock } from '../harness/database-clock.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, storeOnly } from '../harness/payer.ts';
import { eventually } from '../harness/wait.ts';

let setAhead: (aheadMs: number) => Promise<void> = () => Promise.resolve();
const gateway = await testGateway({
  sweepEveryMs: 500,
  standstillMs: 500,
  prepare: async (db) => {
    setAhead = await movableClock(db);
  },
});
const { db } = gateway;
const isJudged = async (uetr: string) =>
  (await db.selectFrom('payments').select('uetr').where('uetr', '=', uetr).execute()).length === 1;

test('and is, although the clock of the database leaps forward by an hour before the sweep has come to it', async () => {
  const message = instruction(await bestQuote(gateway));
  await storeOnly(gateway, message);
  await setAhead(3_600_000);
  await eventually(async () => expect(await isJudged(message.uetr)).toBe(true), {
    everyMs: 250,
  });
});
