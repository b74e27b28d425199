// The ways of an accepted payment on real parts, one test for each way in which a destination, a callback receiver or a
// worker behaves. Two test files run it: with the worker's cache, and replaying every workflow task from its history.
import { describe, expect, test } from 'vitest';
import type { OriginalPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { setEndpoint } from '../harness/destination.ts';
import { distinct, evidenceOf, expectSoundMessages, textOf } from '../harness/evidence.ts';
import { testGateway, type TestGateway } from '../harness/gateway.ts';
import type { QuoteOnOffer } from '../../fixtures/bodies.ts';
import { endingIn, type Ending } from '../../fixtures/endings.ts';
import { instruction, type Changes } from '../../fixtures/instruction.ts';
import { bestQuote, parsePacs002, submit, type Submitted } from '../harness/payer.ts';
import { deadCallback, gapsMs, lateServer } from './outages.ts';
import { eventually } from '../harness/wait.ts';

interface Paid {
  readonly quote: QuoteOnOffer;
  readonly message: OriginalPacs008;
  readonly uetr: string;
  readonly answer: Submitted;
}

const maxExecutionSeconds = 3; // HIGH deadlines come soon (TIM-1)

/** Declares the tests; a file calls it once, at its top. */
export async function orchestration(options: { readonly maxCachedWorkflows?: number } = {}): Promise<void> {
  const philippines = await lateServer();
  const gateway = await testGateway({
    ...options,
    maxExecutionSeconds,
    timings: { lateByMs: 3_000 }, // later than the lateness that is tolerated below
    prepare: (db) => setEndpoint(db, 'IPSO-PH', philippines.url),
  });
  const evidence = evidenceOf(gateway);
  // Without a cache, this SDK may drop the local activities of one workflow when another ends a task: one after
  // another.
  const manner = { concurrent: options.maxCachedWorkflows !== 0 };

  /** SG to TH, 1,000 SGD, to the account whose behaviour the test is about; answered ACTC. */
  async function pay(ending: Ending, changes: Changes = {}, prefer?: string): Promise<Paid> {
    const quote = await bestQuote(gateway);
    const message = instruction(quote, { ending, ...changes });
    const answer = await submit(gateway, message, prefer === undefined ? {} : { prefer });
    expect(answer.httpStatus, answer.text).toBe(200);
    if (prefer === undefined) expect(answer.report?.status).toBe('ACTC');
    return { quote, message, uetr: message.uetr, answer };
  }

  describe('what the destination says', manner, () => {
    destinationTests(gateway, pay);
  });
  describe('what the source asks for', manner, () => {
    preferenceTests(gateway, pay);
  });
  describe('a destination that is silent until the HIGH deadline (TIM-1)', manner, () => {
    deadlineTests(gateway, pay);
  });

  describe('a receiver that is down', manner, () => {
    test('callback: repeated at growing delays with the same bytes and webhook-id until it is taken (CBK-1)', async () => {
      await deadCallback(gateway);
    });

    test('destination: nothing was sent, so the same instruction goes once it is back (TIM-3)', async () => {
      const quote = await bestQuote(gateway, { destination: 'PH', destinationCurrency: 'PHP' });
      const message = instruction(quote);
      expect((await submit(gateway, message)).report?.status).toBe('ACTC');
      await eventually(async () => {
        expect((await evidence.attempts(message.uetr, 'instruction'))[0]).toMatchObject({
          outcome: 'NOT_SENT',
          error_class: 'refused',
        });
      });
      await philippines.open(gateway.sandbox.destinationUrl('IPSO-PH'));
      expect((await evidence.arrival(message.uetr, 'source', 'pacs002')).status).toBe('ACCC');
      const attempts = await evidence.attempts(message.uetr, 'instruction');
      expect(attempts.at(-1)).toMatchObject({ outcome: 'ANSWERED', http_status: 200 });
      expect(evidence.received(message.uetr, 'destination', 'pacs008')).toHaveLength(1);
      await evidence.closed(message.uetr);
    });
  });

  describe('a worker that stops between forward and answer', () => {
    test('is followed by another, which ends the payment ACCC; one instruction, one fxtr.017', async () => {
      const quote = await bestQuote(gateway);
      const message = instruction(quote, { ending: endingIn.creditedLater });
      const submitting = submit(gateway, message);
      await evidence.arrival(message.uetr, 'destination', 'pacs008');
      await gateway.stopWorker();
      expect((await submitting).report?.status).toBe('ACTC');
      expect(evidence.received(message.uetr, 'source', 'pacs002')).toEqual([]);
      await gateway.startWorker();
      expect((await evidence.arrival(message.uetr, 'source', 'pacs002')).status).toBe('ACCC');
      await evidence.closed(message.uetr);
      expect(distinct(evidence.received(message.uetr, 'destination', 'pacs008'))).toBe(1);
      expect(distinct(evidence.received(message.uetr, 'fxp', 'fxtr017'))).toBe(1);
      expect(evidence.entries(message.uetr).filter((one) => one.status === 'moved')).toHaveLength(1);
    });
  });

  test('every message that any party saw is valid, and no party saw a rule broken (MSG-3)', () =>
    expectSoundMessages(gateway));
}

type Pay = (ending: Ending, changes?: Changes, prefer?: string) => Promise<Paid>;

function destinationTests(gateway: TestGateway, pay: Pay): void {
  const evidence = evidenceOf(gateway);

  /** Ends the payment; answers the one final status that the source was told. */
  async function finalOf(uetr: string): Promise<string> {
    await evidence.closed(uetr);
    const callbacks = evidence.received(uetr, 'source', 'pacs002');
    expect(callbacks).toHaveLength(1);
    const { status, reasonCode } = parsePacs002(callbacks[0]?.bytes ?? '');
    const decision = await evidence.decision(uetr);
    expect(decision).toMatchObject({ status, reason_code: reasonCode ?? null, decided_by: 'destination' });
    return reasonCode === undefined ? status : `${status} ${reasonCode}`;
  }
  const confirmations = (uetr: string) =>
    evidence.received(uetr, 'destination', 'pacs002').map((entry) => entry.status);
  const notifications = (uetr: string) => evidence.received(uetr, 'fxp', 'fxtr017').length;
  const instructions = (uetr: string) => evidence.received(uetr, 'destination', 'pacs008');

  test('0001 ACCC in the HTTP answer: the source, the destination and the FX provider are told once each (PAY-9, NOT-1)', async () => {
    const { uetr } = await pay(endingIn.creditedAtOnce);
    expect(await finalOf(uetr)).toBe('ACCC');
    expect(confirmations(uetr)).toEqual(['ACCC']);
    expect(notifications(uetr)).toBe(1);
    expect(instructions(uetr)).toHaveLength(1);
  });

  test('0002 ACCC by a message of its own: confirmed in the answer to it (PAY-8, PAY-9)', async () => {
    const { uetr } = await pay(endingIn.creditedLater);
    expect(await finalOf(uetr)).toBe('ACCC');
    await evidence.arrival(uetr, 'destination', 'pacs002', 'ACCC');
    expect(confirmations(uetr)).toEqual(['ACCC']);
    expect(notifications(uetr)).toBe(1);
  });

  test('0003 RJCT AC04: the reason passes, no fxtr.017, and the quote may be used again (NOT-1, QUO-8)', async () => {
    const { uetr, quote } = await pay(endingIn.rejected);
    expect(await finalOf(uetr)).toBe('RJCT AC04');
    expect(confirmations(uetr)).toEqual(['RJCT']);
    expect(notifications(uetr)).toBe(0);
    expect(await evidence.quoteHolder(quote.quoteId)).toBeUndefined();
    const again = await submit(gateway, instruction(quote, { ending: endingIn.creditedAtOnce }));
    expect(again.report?.status).toBe('ACTC');
    await evidence.closed(again.report?.original.uetr ?? '');
  });

  test('0004 BLCK: told as it is, no fxtr.017, and the quote stays taken (PAY-7, QUO-8)', async () => {
    const { uetr, quote } = await pay(endingIn.blocked);
    expect(await finalOf(uetr)).toBe('BLCK');
    expect(confirmations(uetr)).toEqual(['BLCK']);
    expect(notifications(uetr)).toBe(0);
    const again = await submit(gateway, instruction(quote));
    expect(again.report).toMatchObject({ status: 'RJCT', reasonCode: 'AB04' });
    await evidence.closed(again.report?.original.uetr ?? '');
  });

  test('0007 a connection cut after reading: the same bytes again reveal ACCC, and money moves once (TIM-3)', async () => {
    const { uetr } = await pay(endingIn.cut);
    expect(await finalOf(uetr)).toBe('ACCC');
    expect(instructions(uetr)).toHaveLength(2);
    expect(distinct(instructions(uetr))).toBe(1);
    expect((await evidence.attempts(uetr, 'instruction')).map((one) => one.outcome)).toEqual([
      'MAYBE_SENT',
      'ANSWERED',
    ]);
    expect(evidence.entries(uetr).filter((one) => one.status === 'moved')).toHaveLength(1);
  });

  test('0008 HTTP 503 three times: the same bytes after 1, 2 and 5 s, then ACCC (TIM-3)', async () => {
    const { uetr } = await pay(endingIn.refusing);
    expect(await finalOf(uetr)).toBe('ACCC');
    expect(distinct(instructions(uetr))).toBe(1);
    const attempts = await evidence.attempts(uetr, 'instruction');
    expect(attempts.map((one) => `${one.outcome} ${one.http_status}`)).toEqual([
      'MAYBE_SENT 503',
      'MAYBE_SENT 503',
      'MAYBE_SENT 503',
      'ANSWERED 200',
    ]);
    const delaysMs = gapsMs(attempts);
    for (const [index, least] of [1_000, 2_000, 5_000].entries()) {
      expect(delaysMs[index]).toBeGreaterThanOrEqual(least - 50);
      expect(delaysMs[index]).toBeLessThan(least + 3_900);
    }
  });

  test('0009 ACCC three times: each is confirmed with the same bytes; one decision, one callback (PAY-9)', async () => {
    const { uetr } = await pay(endingIn.repeating);
    expect(await finalOf(uetr)).toBe('ACCC');
    await eventually(() => expect(confirmations(uetr)).toEqual(['ACCC', 'ACCC', 'ACCC']));
    expect(distinct(evidence.received(uetr, 'destination', 'pacs002'))).toBe(1);
    expect(evidence.received(uetr, 'source', 'pacs002')).toHaveLength(1);
    expect(notifications(uetr)).toBe(1);
    expect(await evidence.audit(uetr)).toEqual([]);
  });

  test('0010 ACCC and then RJCT: the first final stands, the contradiction is on record and confirmed ACCC (PAY-7)', async () => {
    const { uetr } = await pay(endingIn.contradicting);
    expect(await finalOf(uetr)).toBe('ACCC');
    await eventually(() => expect(confirmations(uetr)).toEqual(['ACCC', 'ACCC']));
    expect(await evidence.audit(uetr)).toEqual(['payment.contradiction']);
    expect(evidence.received(uetr, 'source', 'pacs002')).toHaveLength(1);
    expect((await evidence.decision(uetr))?.status).toBe('ACCC');
  });

  test('0011 ACWP is interim: the source hears of ACCC only (PAY-7)', async () => {
    const { uetr } = await pay(endingIn.interim);
    expect(await finalOf(uetr)).toBe('ACCC');
    expect(notifications(uetr)).toBe(1);
  });
}

function preferenceTests(gateway: TestGateway, pay: Pay): void {
  const evidence = evidenceOf(gateway);

  test.each([endingIn.creditedAtOnce, endingIn.creditedLater, endingIn.rejected])(
    'wait (%s): the final status is the answer, and the callback has the same bytes (PAY-1)',
    async (ending) => {
      const { uetr, answer } = await pay(ending, {}, 'wait=20');
      expect(answer.headers.get('preference-applied')).toBe('wait');
      expect(answer.report?.status).toBe(ending === endingIn.rejected ? 'RJCT' : 'ACCC');
      expect(textOf(await evidence.arrival(uetr, 'source', 'pacs002'))).toBe(answer.text);
      await evidence.closed(uetr);
    },
  );

  test('wait, and no final in time: ACTC (PAY-1)', async () => {
    const { uetr, answer } = await pay(endingIn.silent, {}, 'respond-async, wait=1');
    expect(answer.headers.get('preference-applied')).toBe('wait');
    expect(answer.report?.status).toBe('ACTC');
    expect(evidence.received(uetr, 'source', 'pacs002')).toEqual([]);
  });

  test('no preference: nothing is said to be applied', async () => {
    const { answer, uetr } = await pay(endingIn.creditedAtOnce);
    expect(answer.headers.get('preference-applied')).toBeNull();
    await evidence.closed(uetr);
  });
}

function deadlineTests(gateway: TestGateway, pay: Pay): void {
  const evidence = evidenceOf(gateway);
  const high = () => ({ priority: 'HIGH' as const, acceptanceDateTime: new Date().toISOString() });

  /** How many milliseconds after the deadline the decision was written. */
  async function lateness(message: OriginalPacs008): Promise<number> {
    const decidedAt = (await evidence.decision(message.uetr))?.decided_at.getTime() ?? 0;
    return decidedAt - Date.parse(message.acceptanceDateTime) - maxExecutionSeconds * 1_000;
  }

  test('0005: RJCT AB03 then, to the source and to the destination; the quote is free again', async () => {
    const { uetr, message, quote } = await pay(endingIn.silent, high());
    const callback = await evidence.arrival(uetr, 'source', 'pacs002');
    const { status, reasonCode, additionalInformation } = parsePacs002(callback.bytes ?? '');
    expect([status, reasonCode]).toEqual(['RJCT', 'AB03']);
    expect(additionalInformation).toEqual(['TIM-1 no final status before the deadline']);
    expect(await lateness(message)).toBeGreaterThanOrEqual(0);
    expect(await lateness(message)).toBeLessThan(10_000); // 250 ms where nothing else runs: the bench shows it
    const negative = await evidence.arrival(uetr, 'destination', 'pacs002');
    expect([negative.status, negative.reasonCode]).toEqual(['RJCT', 'AB03']);
    expect(parsePacs002(negative.bytes ?? '').additionalInformation).toEqual([
      'TIM-1 no final status before the deadline',
      'PAY-9 if you have credited this payment, return it: its source is told RJCT',
    ]);
    await evidence.closed(uetr);
    expect(await evidence.decision(uetr)).toMatchObject({ decided_by: 'gateway', rule_id: 'TIM-1' });
    expect(await evidence.quoteHolder(quote.quoteId)).toBeUndefined();
    expect(evidence.received(uetr, 'fxp', 'fxtr017')).toEqual([]);
  });

  test('0006: the late ACCC is answered RJCT AB03 again, recorded as a contradiction, and reversed there', async () => {
    const { uetr } = await pay(endingIn.tooLate, high());
    await gateway.sandbox.journal.waitFor(
      (entry) => entry.uetr === uetr && entry.direction === 'sent' && entry.httpStatus === 200,
      60_000,
    );
    await evidence.closed(uetr);
    expect(evidence.received(uetr, 'source', 'pacs002').map((one) => one.status)).toEqual(['RJCT']);
    await eventually(() => {
      const told = evidence.received(uetr, 'destination', 'pacs002');
      expect(told.map((one) => one.status)).toEqual(['RJCT', 'RJCT']);
      expect(distinct(told)).toBe(1);
    });
    expect(await evidence.audit(uetr)).toEqual(['payment.contradiction']);
    const booked = evidence.entries(uetr).filter((one) => one.direction === 'booked');
    expect(booked.map((one) => one.status)).toEqual(['moved', 'reversed']);
    expect(evidence.received(uetr, 'fxp', 'fxtr017')).toEqual([]);
  });
}
