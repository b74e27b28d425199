// A source sends again, as it was told to, what a defect of ours kept from being answered; the first sweep of the
// mended worker brings it at the same moment (SEC-9, DUP-1, I-12): one payment, sent once.
import { expect, test } from 'vitest';
import { paymentWorkflowId } from '../../contract/ids.ts';
import type { OriginalPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { untilPast } from '../harness/wait.ts';
import { endingIn } from '../../fixtures/endings.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, storeOnly, submit, inTurn, type InTurn } from '../harness/payer.ts';
import { poisonedEngine, poisonedMessageId } from '../harness/poison.ts';

let isMended = false;
const gateway = await testGateway({
  sweepEveryMs: 500,
  standstillMs: 1_000,
  workerEngine: poisonedEngine(() => isMended),
});
const evidence = evidenceOf(gateway);

/**
 * How often each went to its destination, less the once that a source asked for which was told to come again (429): by
 * then its payment may have been accepted, and to repeat it is to ask for its status (DUP-1).
 */
function sendsOf(made: readonly OriginalPacs008[], answers: readonly InTurn[]): readonly number[] {
  return made.map(({ uetr }, index) => {
    const sends = evidence.received(uetr, 'destination', 'pacs008').length;
    const hasAskedAgain = (answers[index]?.comings ?? 1) > 1;
    return hasAskedAgain ? Math.min(sends, 1) : sends;
  });
}

/**
 * Sends them again while no worker polls, and starts one when each has reached its execution, or was told to come
 * again: before that, the sweep could have a payment accepted, and its repeat would ask for its status.
 */
async function sendAgain(made: readonly OriginalPacs008[]): Promise<readonly InTurn[]> {
  const turnedAway = new Set<string>();
  const again = made.map((message) =>
    inTurn(async () => {
      const answer = await submit(gateway, message);
      if (answer.httpStatus === 429) turnedAway.add(message.uetr);
      return answer;
    }),
  );
  const isThere = async ({ uetr }: OriginalPacs008) => {
    if (turnedAway.has(uetr)) return true;
    const execution = gateway.temporal.workflow.getHandle(paymentWorkflowId(uetr));
    return await execution.describe().then(
      ({ status }) => status.name === 'RUNNING',
      () => false, // none yet
    );
  };
  await expect.poll(async () => (await Promise.all(made.map(isThere))).includes(false)).toBe(false);
  await gateway.startWorker();
  return await Promise.all(again);
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
  const answers = await sendAgain(made);
  await untilPast(5_000);
  expect(sendsOf(made, answers)).toEqual(made.map(() => 1));
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
  const answers = await sendAgain(made);
  const statuses = answers.map(({ httpStatus, report }) => [httpStatus, report?.status]);
  expect(statuses).toEqual(made.map(() => [200, 'ACTC']));
  await untilPast(5_000);
  expect(sendsOf(made, answers)).toEqual(made.map(() => 1));
}, 120_000);
