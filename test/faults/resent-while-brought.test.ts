// A source sends again, as it was told to, what a defect of ours kept from being answered; the first sweep of the
// mended worker brings it at the same moment (SEC-9, DUP-1, I-12): one payment, sent once.
import { expect, test } from 'vitest';
import type { OriginalPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { untilPast } from '../harness/wait.ts';
import { endingIn } from '../harness/endings.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../harness/instruction.ts';
import { bestQuote, storeOnly, submit, type Submitted } from '../harness/payer.ts';
import { poisonedEngine, poisonedMessageId } from '../harness/poison.ts';

let isMended = false;
const gateway = await testGateway({
  sweepEveryMs: 500,
  standstillMs: 1_000,
  workerEngine: poisonedEngine(() => isMended),
});
const evidence = evidenceOf(gateway);

/** A worker may need longer for its start than a request waits for its turn: then it comes again, as 429 tells it to. */
async function submitInTurn(message: OriginalPacs008): Promise<Submitted> {
  const answer = await submit(gateway, message);
  if (answer.httpStatus !== 429) return answer;
  await untilPast(1_000);
  return submitInTurn(message);
}

test('so is what was lost, and met no defect', async () => {
  await gateway.stopWorker();
  isMended = true;
  const made = [];
  for (let count = 0; count < 30; count += 1) {
    const message = instruction(await bestQuote(gateway), { ending: endingIn.silent });
    await storeOnly(gateway, message);
    made.push(message);
  }
  await untilPast(1_200); // the grace
  const again = made.map(submitInTurn);
  await untilPast(500);
  await gateway.startWorker();
  await Promise.all(again);
  await untilPast(5_000);
  const sends = made.map(({ uetr }) => evidence.received(uetr, 'destination', 'pacs008').length);
  expect(sends).toEqual(made.map(() => 1));
}, 120_000);

test('what its source sends again while the sweep brings it is sent to the destination once, for no status was asked', async () => {
  isMended = false;
  const made = [];
  for (let count = 0; count < 30; count += 1) {
    const message = instruction(await bestQuote(gateway), {
      messageIdentification: poisonedMessageId(),
      ending: endingIn.silent,
    });
    expect((await submit(gateway, message)).httpStatus).toBe(500);
    made.push(message);
  }
  await gateway.stopWorker();
  isMended = true;
  await untilPast(1_200); // the grace
  // as it did while no worker was there: each is stored once, and waits for the first that polls
  const again = made.map(submitInTurn);
  await untilPast(500);
  await gateway.startWorker();
  const statuses = (await Promise.all(again)).map(({ httpStatus, report }) => [httpStatus, report?.status]);
  expect(statuses).toEqual(made.map(() => [200, 'ACTC']));
  await untilPast(5_000);
  const sends = made.map(({ uetr }) => evidence.received(uetr, 'destination', 'pacs008').length);
  expect(sends).toEqual(made.map(() => 1));
}, 120_000);
