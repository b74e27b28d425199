// A payment in doubt, ended by two people, on a whole gateway (LIF-4).
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { confirmOutcome, recordOutcome } from '../../../db/payments/recorded-outcomes.ts';
import type { Evidence } from '../../../fixtures/bodies.ts';
import { evidenceOf } from '../../harness/evidence.ts';
import { gatewayInDoubt } from '../../harness/in-doubt.ts';
import { jsonRoutes } from '../../harness/json-routes.ts';
import { postReport, reportOn } from '../../harness/reports.ts';
import { eventually } from '../../harness/wait.ts';

const { gateway, forwarded, confirmations, callbacks, ...payments } = await gatewayInDoubt();
const { db } = gateway;
const evidence = evidenceOf(gateway);

interface Body extends Evidence {
  readonly outcomeId: string;
  readonly code?: string;
}

const ask = await jsonRoutes<Body>(gateway);

async function report(uetr: string, values: Parameters<typeof reportOn>[1]): Promise<void> {
  const sent = forwarded.get(uetr);
  if (sent === undefined) throw new Error('nothing was forwarded');
  expect((await postReport(gateway, reportOn(sent, values), 'MYRRPP')).status).toBe(200);
}

async function inDoubt() {
  const uetr = await payments.inDoubt();
  return { path: `/payments/${uetr}`, uetr };
}

const credited = { status: 'ACCC', evidence: 'their desk, 04:10 UTC, reference 4711: credited 04:00:02' };
const record = (path: string, outcome: object = credited, client = 'operator') =>
  ask('POST', `${path}/outcomes`, outcome, client);
const confirm = (path: string, outcomeId: string, status = 'ACCC', client = 'operator2') =>
  ask('POST', `${path}/outcomes/${outcomeId}/confirmation`, { status }, client);
const about = (messages: readonly string[], uetr: string) => messages.filter((one) => one.includes(uetr));

test('what one operator records and another confirms decides the payment, and every party is told so (LIF-4, NOT-1)', async () => {
  const { path, uetr } = await inDoubt();
  const { body: recorded } = await record(path);
  expect(await evidence.decision(uetr)).toBeUndefined();
  const { status, body } = await confirm(path, recorded.outcomeId);
  const decision = { status: 'ACCC', reasonCode: null, decidedBy: 'operator' };
  expect([status, body.decision]).toEqual([200, decision]);
  await eventually(() => {
    expect(about(callbacks, uetr)).toEqual([expect.stringMatching(/<TxSts>ACCC<.*LIF-4 /s)]);
    expect(about(confirmations, uetr)).toEqual([expect.stringMatching(/<TxSts>ACCC<.*LIF-4 /s)]);
  });
  const { body: shown } = await ask('GET', path);
  expect(shown).toMatchObject({
    status: 'ACCC',
    decision: { decidedBy: 'operator', ruleId: null, reportMessageId: null },
    outcomes: [{ ...credited, recordedBy: 'operator', confirmedBy: 'operator2', withdrawnBy: null }],
  });
  expect(shown.deliveries.map(({ kind }) => kind).sort()).toEqual([
    'callback',
    'confirmation',
    'instruction',
    'notification',
  ]);
  expect(shown.events.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['operator.outcome-recorded', 'operator.outcome-confirmed']),
  );
  const { body: toSource } = await ask('GET', path, undefined, 'SGDFAST');
  expect([toSource.outcomes, toSource.decision?.status]).toEqual([[], 'ACCC']);
});

const sidesOfIt = ['SGDFAST', 'LOTUSGS0', 'MYRRPP', 'LOTUMYS0'] as const;

/** What a client reads in the events of a payment, one text each. */
async function eventsSeen(path: string, client: string): Promise<readonly string[]> {
  const { status, body } = await ask('GET', path, undefined, client);
  expect([client, status]).toEqual([client, 200]);
  return body.events.map((one) => JSON.stringify(one));
}

test('no bank and no payment system learns what an operator recorded, before it counts or after it was withdrawn, nor which person did anything (LIF-4, SEC-1)', async () => {
  const { path, uetr } = await inDoubt();
  const rejected = { status: 'RJCT', reasonCode: 'AC04', evidence: 'their mail of 04:12 UTC' };
  const { body: first } = await record(path, rejected);
  const isTold = /outcome|RJCT|AC04|"by"/;
  const toldToSides = async () => {
    const seen = await Promise.all(sidesOfIt.map((client) => eventsSeen(path, client)));
    return seen.flat().filter((one) => isTold.test(one));
  };
  expect(await toldToSides()).toEqual([]);
  await ask('POST', `${path}/outcomes/${first.outcomeId}/withdrawal`, { because: 'another payment' });
  await ask('POST', `${path}/enquiries`, {});
  expect(await toldToSides()).toEqual([]);
  for (const client of sidesOfIt) {
    const kinds = await eventsSeen(path, client);
    expect(kinds, 'that somebody asks is no secret').toEqual(
      expect.arrayContaining([expect.stringContaining('operator.enquiry')]),
    );
  }
  const { body: second } = await record(path);
  await confirm(path, second.outcomeId);
  await eventually(() => expect(about(callbacks, uetr)).toHaveLength(1));
  expect(await toldToSides()).toEqual([]);
  for (const client of sidesOfIt) {
    const { body } = await ask('GET', path, undefined, client);
    expect(body.decision).toMatchObject({ status: 'ACCC', decidedBy: 'operator' });
  }
  const toOperators = (await eventsSeen(path, 'operator')).filter((one) => isTold.test(one));
  expect(toOperators).toHaveLength(5); // two recorded, one withdrawn, one confirmed, one enquiry
});

test('a rejection takes a reason of ISO 20022, frees the quote and is passed on with it (LIF-4, MSG-11, QUO-8)', async () => {
  const { path, uetr } = await inDoubt();
  const rejected = { status: 'RJCT', evidence: 'their mail of 04:12 UTC' };
  for (const wrong of [
    rejected,
    { ...rejected, reasonCode: 'AC177' },
    { ...rejected, reasonCode: '\u0085' },
    { ...credited, reasonCode: 'AC04' },
  ]) {
    expect(await record(path, wrong)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/reasonCode' }] },
    });
  }
  const { body } = await record(path, { ...rejected, reasonCode: 'AC04' });
  await confirm(path, body.outcomeId, 'RJCT');
  expect(await evidence.decision(uetr)).toMatchObject({ status: 'RJCT', reason_code: 'AC04' });
  expect(await db.selectFrom('quote_uses').where('uetr', '=', uetr).execute()).toEqual([]);
  await eventually(() => expect(about(callbacks, uetr)).toEqual([expect.stringContaining('<Cd>AC04</Cd>')]));
});

test('nobody confirms what they recorded, another status, or what is withdrawn; one outcome stands at a time (LIF-4)', async () => {
  const { path, uetr } = await inDoubt();
  const { body: first } = await record(path);
  const problem = async (asked: Promise<{ readonly status: number; readonly body: Body }>) => {
    const { status, body } = await asked;
    return [status, body.code];
  };
  expect(await problem(record(path, credited, 'operator2'))).toEqual([409, 'outcome-stands']);
  expect(await problem(confirm(path, first.outcomeId, 'ACCC', 'operator'))).toEqual([
    409,
    'outcome-not-yours',
  ]);
  expect(await problem(confirm(path, first.outcomeId, 'BLCK'))).toEqual([409, 'outcome-differs']);
  expect(await problem(confirm(path, randomUUID()))).toEqual([404, 'unknown-outcome']);
  const withdraw = () =>
    ask('POST', `${path}/outcomes/${first.outcomeId}/withdrawal`, { because: 'another payment' });
  expect((await withdraw()).status).toBe(200);
  expect(await problem(withdraw())).toEqual([409, 'outcome-ended']);
  expect(await problem(confirm(path, first.outcomeId))).toEqual([409, 'outcome-ended']);
  const { body: second } = await record(path, { ...credited, status: 'BLCK' });
  expect((await confirm(path, second.outcomeId, 'BLCK')).status).toBe(200);
  expect(await evidence.decision(uetr)).toMatchObject({ status: 'BLCK' });
  expect(await problem(record(path))).toEqual([409, 'payment-decided']);
});

test('while it is on record that nothing was credited, nothing is sent, and an operator who asks is told why (LIF-4, I-4)', async () => {
  const { path } = await inDoubt();
  const rejected = { status: 'RJCT', reasonCode: 'AC04', evidence: 'their mail: they never got it' };
  const { body: recorded } = await record(path, rejected);
  const enquire = () => ask('POST', `${path}/enquiries`, {});
  expect(await enquire()).toMatchObject({ status: 409, body: { code: 'outcome-stands' } });
  const attempts = async () => {
    const { body } = await ask('GET', path);
    return body.deliveries.find(({ kind }) => kind === 'instruction')?.attempts;
  };
  expect(await attempts()).toHaveLength(1);
  await ask('POST', `${path}/outcomes/${recorded.outcomeId}/withdrawal`, { because: 'ask them again' });
  expect(await enquire()).toMatchObject({ status: 200 });
  await eventually(async () => expect(await attempts()).toHaveLength(2));
});

test('while the gateway still asks by itself, nobody records anything (LIF-4, TIM-2)', async () => {
  expect(await record(`/payments/${await payments.waiting()}`)).toMatchObject({
    status: 409,
    body: { code: 'payment-not-in-doubt' },
  });
  expect(await record(`/payments/${randomUUID()}`)).toMatchObject({ status: 404 });
});

test('a final of the destination that comes before the confirmation decides, and one that comes after it is a contradiction (LIF-4, PAY-7)', async () => {
  const { path, uetr } = await inDoubt();
  const { body: recorded } = await record(path, { ...credited, status: 'BLCK' });
  await report(uetr, { status: 'ACCC' });
  expect(await confirm(path, recorded.outcomeId, 'BLCK')).toMatchObject({
    status: 409,
    body: { code: 'payment-decided' },
  });
  expect(await evidence.decision(uetr)).toMatchObject({ status: 'ACCC' });

  const other = await inDoubt();
  const { body: confirmed } = await record(other.path);
  await confirm(other.path, confirmed.outcomeId);
  await report(other.uetr, { status: 'RJCT', reasonCode: 'AC04' });
  const { body: shown } = await ask('GET', other.path);
  expect(shown).toMatchObject({ status: 'ACCC', decision: { decidedBy: 'operator' } });
  expect(shown.events.map(({ kind }) => kind)).toContain('payment.contradiction');
});

test('of a confirmation and a final at once, the first one decides, and nothing is told twice (LIF-4, PAY-7, I-4)', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { path, uetr } = await inDoubt();
    const { body: recorded } = await record(path, { ...credited, status: 'BLCK' });
    await Promise.all([confirm(path, recorded.outcomeId, 'BLCK'), report(uetr, { status: 'ACCC' })]);
    const decision = await evidence.decision(uetr);
    const { body: shown } = await ask('GET', path);
    const first = shown.decision?.decidedBy === 'operator' ? 'BLCK' : 'ACCC';
    expect(decision).toMatchObject({ status: first });
    await eventually(() =>
      expect(about(callbacks, uetr)).toEqual([expect.stringContaining(`<TxSts>${first}<`)]),
    );
  }
});

test('a confirmed outcome is applied, although the engine was never told of it (LIF-2, LIF-4)', async () => {
  const { uetr } = await inDoubt();
  const outcome = await recordOutcome(db, uetr, {
    status: 'ACCC',
    reasonCode: null,
    evidence: 'their desk',
    by: 'operator',
  });
  const { outcomeId = '' } = outcome ?? {};
  await confirmOutcome(db, { uetr, outcomeId, status: 'ACCC', by: 'operator2' }); // and the api dies
  await eventually(async () => expect(await evidence.decision(uetr)).toMatchObject({ status: 'ACCC' }));
});
