// A worker that is killed (SIGKILL) with payments in every state, one of them between forward and answer, and another
// that takes over: nothing is lost, nothing happens twice (I-2, I-3, I-5, I-10).
import type { ChildProcess } from 'node:child_process';
import { afterAll, expect, test } from 'vitest';
import { buildPacs008, type OriginalPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { setEndpoint } from '../harness/destination.ts';
import { distinct, evidenceOf, expectSoundMessages } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { endingIn, type Ending } from '../../fixtures/endings.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, submitXml, type Submitted } from '../harness/payer.ts';
import { testWorkflowBundle } from '../harness/temporal.ts';
import { killProcess, startWorkerProcess } from '../harness/worker-process.ts';
import { lateServer } from './outages.ts';

const { codePath } = await testWorkflowBundle();
let answerOfThailand = () => {};
let held = Promise.resolve();
const thailand = await lateServer(() => {
  answerOfThailand();
  return held;
});
const gateway = await testGateway({
  worker: false,
  prepare: (db) => setEndpoint(db, 'IPSO-TH', thailand.url),
});
const evidence = evidenceOf(gateway);
await thailand.open(gateway.sandbox.destinationUrl('IPSO-TH'));

const workers: ChildProcess[] = [];
afterAll(() => Promise.all(workers.map(killProcess)));
async function startAnother(): Promise<ChildProcess> {
  const worker = await startWorkerProcess(gateway, codePath);
  workers.push(worker);
  return worker;
}

async function toMalaysia(ending: Ending): Promise<OriginalPacs008> {
  const quote = await bestQuote(gateway, { destination: 'MY', destinationCurrency: 'MYR' });
  return instruction(quote, { ending });
}

/** As an operator does: what was not answered is sent again, in the same bytes. */
async function submitUntilAnswered(message: OriginalPacs008): Promise<Submitted> {
  const xml = buildPacs008(message);
  for (;;) {
    const answer = await submitXml(gateway, xml);
    if (answer.httpStatus !== 503) return answer;
  }
}

test('every payment ends ACCC, with one distinct instruction, one callback text and one fxtr.017 each (NOT-1)', async () => {
  const first = await startAnother();
  const atOnce = instruction(await bestQuote(gateway), { ending: endingIn.creditedAtOnce });
  const others = await Promise.all(
    [
      endingIn.creditedAtOnce,
      endingIn.creditedLater,
      endingIn.creditedAtOnce,
      endingIn.creditedLater,
      endingIn.creditedAtOnce,
      endingIn.creditedLater,
    ].map(toMalaysia),
  );
  let release = () => {};
  held = new Promise((resolve) => {
    release = resolve;
  });
  const isHeld = new Promise<void>((resolve) => {
    answerOfThailand = resolve;
  });
  const submitting = submitUntilAnswered(atOnce);
  await isHeld; // the destination has credited and answered; the worker has not heard it
  const answers = others.map(submitUntilAnswered);
  await evidence.arrival(others[0]?.uetr ?? '', 'destination', 'pacs008');
  await killProcess(first);
  release();
  await startAnother();

  for (const answer of await Promise.all([submitting, ...answers])) {
    expect(['ACTC', 'ACCC']).toContain(answer.report?.status);
  }
  for (const { uetr } of [atOnce, ...others]) {
    expect((await evidence.arrival(uetr, 'source', 'pacs002')).status).toBe('ACCC');
    await evidence.closed(uetr);
    expect(distinct(evidence.received(uetr, 'destination', 'pacs008'))).toBe(1);
    expect(distinct(evidence.received(uetr, 'source', 'pacs002'))).toBe(1);
    expect(distinct(evidence.received(uetr, 'fxp', 'fxtr017'))).toBe(1);
    expect(evidence.entries(uetr).filter((one) => one.status === 'moved')).toHaveLength(1);
  }
  expect(await evidence.attempts(atOnce.uetr, 'instruction')).toMatchObject([
    { outcome: null }, // an open intent: it may have been sent (TIM-3)
    { outcome: 'ANSWERED', http_status: 200 },
  ]);
});

test('every message that any party saw is valid, and no party saw a rule broken (MSG-3)', () =>
  expectSoundMessages(gateway));
