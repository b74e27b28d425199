// The clock of the database is set forward by an hour, as when one that was behind is put right. The sweep counts how
// far it looks back by the clock of its process (LIF-2).
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { movableClock } from '../harness/database-clock.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, storeOnly } from '../harness/payer.ts';
import { messagesAged } from '../harness/rewritten.ts';

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

test('a submission that was stored and not brought to anybody is judged without a leap of the clock', async () => {
  const message = instruction(await bestQuote(gateway));
  await storeOnly(gateway, message);
  await vi.waitFor(async () => expect(await isJudged(message.uetr)).toBe(true), 20_000);
}, 60_000);

test('and is, although the clock of the database leaps forward by an hour before the sweep has come to it', async () => {
  const message = instruction(await bestQuote(gateway));
  await storeOnly(gateway, message);
  await setAhead(3_600_000);
  await vi.waitFor(async () => expect(await isJudged(message.uetr)).toBe(true), {
    timeout: 40_000, // eighty sweeps
    interval: 250,
  });
}, 60_000);

test('a worker that begins after the clock was set back by an hour sweeps, although the lease of one that died ends in an hour', async () => {
  await setAhead(0);
  await gateway.stopWorker();
  await sql`
    insert into leases (name, holder, held_until)
    values ('sweep', 'one that died', clock_timestamp() + interval '1 hour')`.execute(db);
  await gateway.startWorker();
  const message = instruction(await bestQuote(gateway));
  await storeOnly(gateway, message); // too young for the first sweep
  await vi.waitFor(async () => expect(await isJudged(message.uetr)).toBe(true), {
    timeout: 40_000,
    interval: 250,
  });
}, 90_000);

test('a submission that was stored before the clock was set back by an hour is judged, although its time has not come yet', async () => {
  const message = instruction(await bestQuote(gateway));
  const messageId = await storeOnly(gateway, message);
  await messagesAged(db, sql`message_id = ${messageId}`, '-1 hour');
  await vi.waitFor(async () => expect(await isJudged(message.uetr)).toBe(true), {
    timeout: 20_000,
    interval: 250,
  });
}, 60_000);
