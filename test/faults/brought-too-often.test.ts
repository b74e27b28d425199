// What could not be answered is brought again under an outcome of its own each time, and two workers may do it at once (SEC-9,
// DUP-1, I-12).
import { randomUUID } from 'node:crypto';
import { NativeConnection } from '@temporalio/worker';
import { pino } from 'pino';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { openExecutions } from '../../activities/executions.ts';
import { startSweep } from '../../activities/sweep.ts';
import { endingIn } from '../harness/endings.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction, type Changes } from '../harness/instruction.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { poisonedEngine, poisonedMessageId } from '../harness/poison.ts';

let isMended = false;
const workerEngine = poisonedEngine(() => isMended);
const gateway = await testGateway({ sweepEveryMs: 500, standstillMs: 1_000, workerEngine });
const evidence = evidenceOf(gateway);
const { db } = gateway;

const untilPast = async (ms: number) => {
  const until = Date.now() + ms;
  await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(until), { timeout: ms + 5_000, interval: 100 });
};

async function unanswered(changes: Changes = {}) {
  isMended = false;
  const message = instruction(await bestQuote(gateway), {
    messageIdentification: poisonedMessageId(),
    ...changes,
  });
  expect((await submit(gateway, message)).httpStatus).toBe(500);
  return message;
}

const isKnown = async (uetr: string) => {
  const { rows } = await sql`select from payments where uetr = ${uetr}`.execute(db);
  return rows.length === 1;
};

test('when the first sweeps of two workers overlap by a moment, each payment is sent once: nobody asked for its status', async () => {
  const uetrs: string[] = [];
  for (let made = 0; made < 40; made += 1) uetrs.push((await unanswered({ ending: endingIn.silent })).uetr);
  isMended = true;
  await untilPast(1_200);
  const connection = await NativeConnection.connect({ address: gateway.temporalAddress });
  const { namespace } = gateway.config.temporal;
  const { taskQueuePrefix } = gateway;
  const ofWorker = () =>
    startSweep(
      {
        db,
        executions: openExecutions(connection, { namespace, taskQueuePrefix }),
        activities: { decidePayment: () => Promise.reject(new Error('there is nothing to decide')) },
        logger: pino({ level: 'silent' }),
        workerId: randomUUID(),
      },
      { everyMs: null, graceMs: 1_000, standstillMs: 1_000 },
    );
  const one = ofWorker();
  await untilPast(400);
  const another = ofWorker();
  try {
    await vi.waitFor(
      async () => {
        for (const uetr of uetrs) expect(await isKnown(uetr)).toBe(true);
      },
      { timeout: 30_000, interval: 250 },
    );
    await untilPast(5_000);
    const sends = uetrs.map((uetr) => evidence.received(uetr, 'destination', 'pacs008').length);
    expect(sends).toEqual(uetrs.map(() => 1));
  } finally {
    await Promise.all([one.stop(), another.stop()]);
    await connection.close();
  }
}, 120_000);
