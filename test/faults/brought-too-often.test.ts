// Two workers sweep the same unanswered messages at once. Each payment is sent to its destination once.
import { pino } from 'pino';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { startWorker } from '../../activities/start.ts';
import { eventually, untilPast } from '../harness/wait.ts';
import { endingIn } from '../../fixtures/endings.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction, type Changes } from '../../fixtures/instruction.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { poisonedEngine, poisonedMessageId } from '../harness/poison.ts';
import { testWorkflowBundle } from '../harness/temporal.ts';

let isMended = false;
const workerEngine = poisonedEngine(() => isMended);
const workflowBundle = await testWorkflowBundle();
const gateway = await testGateway({ sweepEveryMs: 500, standstillMs: 1_000, workerEngine });
const evidence = evidenceOf(gateway);
const { db } = gateway;

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
  const ofWorker = () =>
    startWorker(gateway.workerConfig, {
      logger: pino({ level: 'silent' }),
      workflowBundle,
      taskQueuePrefix: gateway.taskQueuePrefix,
      sweep: { everyMs: null, graceMs: 1_000, standstillMs: 1_000 },
      engine: workerEngine,
    });
  const [one, another] = await Promise.all([ofWorker(), ofWorker()]);
  try {
    await eventually(
      async () => {
        for (const uetr of uetrs) expect(await isKnown(uetr)).toBe(true);
      },
      { everyMs: 250 },
    );
    await untilPast(5_000);
    const sends = uetrs.map((uetr) => evidence.received(uetr, 'destination', 'pacs008').length);
    expect(sends).toEqual(uetrs.map(() => 1));
  } finally {
    await Promise.all([one.shutdown(), another.shutdown()]);
  }
});
