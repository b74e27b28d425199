// Temporal frozen, killed or flooded: enquiries are answered from the record, stored finals decide, and a payment
// with a long history continues in a new execution.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { paymentWorkflowId } from '../../contract/ids.ts';
import type { OriginalPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { evidenceOf, expectSoundMessages, textOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { ownTemporal } from '../harness/own-temporal.ts';
import { endingIn } from '../../fixtures/endings.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, inTurn, submit } from '../harness/payer.ts';
import { reportFinal, undecided } from '../harness/reports.ts';
import { keepHistory } from '../workflows/recording.ts';
import { eventually } from '../harness/wait.ts';

const engine = await ownTemporal({
  'limit.historyCount.suggestContinueAsNew': 60, // 4,096 by default: some 370 enquiries
});
const gateway = await testGateway({
  maxExecutionSeconds: 8, // a slow machine takes seconds until a payment waits
  temporalAddress: engine.address,
  sweepEveryMs: 1_000,
});
const evidence = evidenceOf(gateway);

/** A payment that its destination has received and not answered. */
const waiting = (priority: 'HIGH' | 'NORM') => undecided(gateway, { priority });
/** The destination's ACCC; answers the HTTP status. */
const report = (uetr: string) => reportFinal(gateway, uetr);

test('an enquiry is answered from the record while the engine is frozen: the final, or ACTC (DUP-1)', async () => {
  const ended = instruction(await bestQuote(gateway));
  await submit(gateway, ended);
  const final = textOf(await evidence.arrival(ended.uetr, 'source', 'pacs002'));
  await evidence.closed(ended.uetr);
  const open = await waiting('NORM');
  engine.freeze();
  try {
    const startedAt = performance.now();
    const [decided, undecided] = await Promise.all([submit(gateway, ended), submit(gateway, open)]);
    expect([decided.httpStatus, decided.text]).toEqual([200, final]);
    expect([undecided.httpStatus, undecided.report?.status]).toEqual([200, 'ACTC']);
    expect(performance.now() - startedAt).toBeLessThan(5_000); // a call to Temporal would take 10 s
  } finally {
    engine.thaw();
  }
  expect(await report(open.uetr)).toBe(200);
  await evidence.closed(open.uetr);
});

test('a final that is stored while the engine is frozen over the HIGH deadline decides (PAY-7, I-18)', async () => {
  const { uetr } = await waiting('HIGH');
  engine.freeze();
  let status: number;
  try {
    status = await report(uetr); // stored within milliseconds; the call to Temporal ends after the deadline
  } finally {
    engine.thaw();
  }
  expect(status).toBe(503);
  expect((await evidence.arrival(uetr, 'source', 'pacs002')).status).toBe('ACCC');
  expect(await evidence.decision(uetr)).toMatchObject({ status: 'ACCC', decided_by: 'destination' });
});

test('however many finals come while the engine is frozen, each is stored at once, and decides (PAY-7, PAY-8)', async () => {
  const open: OriginalPacs008[] = [];
  // eight messages of one sender are judged at a time; the others wait for at most 5 s
  for (let round = 0; round < 4; round += 1) {
    open.push(...(await Promise.all(Array.from({ length: 6 }, () => waiting('NORM')))));
  }
  const finals = async () => {
    const { count } = await gateway.db
      .selectFrom('messages')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('leg', '=', 'destination')
      .where('direction', '=', 'in')
      .where('status', '=', 'ACCC')
      .where(
        'subject_id',
        'in',
        open.map(({ uetr }) => uetr),
      )
      .executeTakeFirstOrThrow();
    return Number(count);
  };
  engine.freeze();
  let answered = 0;
  const reports = Promise.all(open.map(({ uetr }) => report(uetr).finally(() => (answered += 1))));
  try {
    await eventually(async () => expect(await finals()).toBe(24));
    expect(answered).toBe(0); // none waited for the end of another's call to Temporal
  } finally {
    engine.thaw();
  }
  expect(await reports).not.toContain(429);
  for (const { uetr } of open) {
    expect((await evidence.arrival(uetr, 'source', 'pacs002')).status).toBe('ACCC');
  }
});

test('HIGH deadlines that pass while the engine is frozen are decided by the record, none waiting for another, and told after it (TIM-1)', async () => {
  const messages = await Promise.all([1, 2, 3].map(() => waiting('HIGH')));
  engine.freeze();
  try {
    for (const { uetr } of messages) {
      await eventually(async () => expect(await evidence.decision(uetr)).toBeDefined());
      const { deadline_at: deadline } = await gateway.db
        .selectFrom('payments')
        .select('deadline_at')
        .where('uetr', '=', uetr)
        .executeTakeFirstOrThrow();
      const decidedAt = (await evidence.decision(uetr))?.decided_at.getTime() ?? 0;
      expect(decidedAt - (deadline?.getTime() ?? 0)).toBeLessThan(5_000);
    }
  } finally {
    engine.thaw();
  }
  for (const { uetr } of messages)
    await eventually(() => expect(evidence.received(uetr, 'source', 'pacs002')).not.toEqual([]), {
      limitMs: 70_000,
    });
});

test('an engine that was away for 17 s: the api is ready within 4 s of its return, and nothing was lost (OBS-4)', async () => {
  const open = await waiting('NORM');
  await engine.kill();
  const killedAt = Date.now();
  const message = instruction(await bestQuote(gateway));
  const during = await submit(gateway, message);
  expect(during.httpStatus).toBe(503);
  await eventually(() => expect(Date.now() - killedAt).toBeGreaterThan(17_000));
  await engine.startAgain();
  const backAt = Date.now();
  const isReady = async () => (await fetch(`${gateway.url}/health/ready`)).status === 200;
  await eventually(async () => expect(await isReady()).toBe(true), { everyMs: 100 });
  expect(Date.now() - backAt).toBeLessThan(4_000); // gRPC's own backoff may take two minutes
  // a submission that was answered 503 is stored, and is paid without a repeat
  expect((await evidence.arrival(message.uetr, 'source', 'pacs002')).status).toBe('ACCC');
  expect(await report(open.uetr)).toBe(200);
  await evidence.closed(open.uetr);
});

test('a flood of repeats makes no history too long: the payment goes on in a new execution, and is sent no more often', async () => {
  const message = await waiting('NORM');
  const handle = gateway.temporal.workflow.getHandle(paymentWorkflowId(message.uetr));
  const { runId } = await handle.describe();
  for (let round = 0; round < 12; round += 1) {
    const changed = { ...message, creditorAccount: { otherId: `666${round}` } };
    expect((await submit(gateway, changed)).report?.reasonCode).toBe('DUPL');
  }
  await eventually(async () => {
    const { runId: now, status } = await handle.describe();
    expect([now === runId, status.name]).toEqual([false, 'RUNNING']);
  });
  expect(await report(message.uetr)).toBe(200);
  expect((await evidence.arrival(message.uetr, 'source', 'pacs002')).status).toBe('ACCC');
  await handle.result();
  expect(evidence.received(message.uetr, 'destination', 'pacs008')).toHaveLength(1);
  const firstRun = gateway.temporal.workflow.getHandle(paymentWorkflowId(message.uetr), runId);
  await keepHistory('continues-as-new', await firstRun.fetchHistory());
  await keepHistory('continued', await handle.fetchHistory());
});

test('a long history delays no HIGH deadline, though a source waits (TIM-1)', async () => {
  const message = instruction(await bestQuote(gateway), { ending: endingIn.silent, priority: 'HIGH' });
  const waitingFor = submit(gateway, message, { prefer: 'wait=20' });
  await evidence.arrival(message.uetr, 'destination', 'pacs008');
  for (let round = 0; round < 15; round += 1) {
    await submit(gateway, { ...message, messageIdentification: `X${randomUUID().slice(0, 8)}` });
  }
  expect((await evidence.arrival(message.uetr, 'source', 'pacs002')).status).toBe('RJCT');
  const { deadline_at: deadline } = await gateway.db
    .selectFrom('payments')
    .select('deadline_at')
    .where('uetr', '=', message.uetr)
    .executeTakeFirstOrThrow();
  const decidedAt = (await evidence.decision(message.uetr))?.decided_at.getTime() ?? 0;
  expect(decidedAt - (deadline?.getTime() ?? 0)).toBeLessThan(8_000); // 250 ms where nothing else runs
  expect((await waitingFor).report?.status).toBe('RJCT');
});

test('fifty enquiries within 5 s are one: the instruction goes out once more, and the history hardly grows (DUP-1, I-12)', async () => {
  const message = await waiting('NORM');
  const begunAt = performance.now();
  const answers = await Promise.all(Array.from({ length: 50 }, () => inTurn(() => submit(gateway, message))));
  const rounds = Math.ceil((performance.now() - begunAt) / 5_000); // 1, except on a machine that is slow
  expect(new Set(answers.map((one) => one.text)).size).toBe(1);
  expect(answers[0]?.report?.status).toBe('ACTC');
  const sends = () => evidence.received(message.uetr, 'destination', 'pacs008').length;
  await eventually(() => expect(sends()).toBeGreaterThan(1));
  const handle = gateway.temporal.workflow.getHandle(paymentWorkflowId(message.uetr));
  expect((await handle.describe()).historyLength).toBeLessThan(45);
  expect(await report(message.uetr)).toBe(200);
  await handle.result();
  expect(sends()).toBeLessThanOrEqual(1 + rounds);
});

test('every message that any party saw is valid, and no party saw a rule broken (MSG-3)', () =>
  expectSoundMessages(gateway));
