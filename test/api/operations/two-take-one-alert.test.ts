// Two operators at once, one under an alert and one under its case, and an alert that comes while a case is closed: all on
// a whole gateway (OBS-6).
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { writeEvent } from '../../harness/events.ts';
import { testGateway } from '../../harness/gateway.ts';
import { instruction } from '../../../fixtures/instruction.ts';
import { jsonRoutes } from '../../harness/json-routes.ts';
import { bestQuote, submit } from '../../harness/payer.ts';

const gateway = await testGateway();
const { db } = gateway;

interface Shown {
  readonly alertId: string;
  readonly state: string;
  readonly takenBy: string | null;
}

const ask = await jsonRoutes<{ readonly alerts: readonly Shown[] } & Shown>(gateway);

const alertsOf = async (subjectId: string, states = 'open,taken,closed') =>
  (await ask('GET', `/alerts?subjectId=${subjectId}&state=${states}`)).body.alerts;

async function paymentWithAlert(): Promise<{ readonly uetr: string; readonly alertId: string }> {
  const message = instruction(await bestQuote(gateway));
  await submit(gateway, message);
  await writeEvent(db, { severity: 'alert', kind: `test.${randomUUID()}`, subjectId: message.uetr });
  const [alert] = await alertsOf(message.uetr);
  return { uetr: message.uetr, alertId: alert?.alertId ?? '' };
}

test('who takes a case of which another has taken the only alert is told so (OBS-6)', async () => {
  const { uetr, alertId } = await paymentWithAlert();
  expect(await ask('POST', `/alerts/${alertId}/entries`, { action: 'take' })).toMatchObject({ status: 200 });
  const second = await ask('POST', `/payments/${uetr}/entries`, { action: 'take' }, 'operator2');
  expect([second.status, (await alertsOf(uetr)).map((one) => one.takenBy)]).toEqual([409, ['operator']]);
});

test('of two who take an alert and its case at once, one is told that the other has it (OBS-6)', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { uetr, alertId } = await paymentWithAlert();
    const both = await Promise.all([
      ask('POST', `/alerts/${alertId}/entries`, { action: 'take' }),
      ask('POST', `/payments/${uetr}/entries`, { action: 'take' }, 'operator2'),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  }
});

test('an alert that nobody could see when its case was closed is open (OBS-6)', async () => {
  const { uetr, alertId } = await paymentWithAlert();
  await db.transaction().execute(async (trx) => {
    await writeEvent(trx, { severity: 'alert', kind: 'payment.contradiction', subjectId: uetr });
    // its transaction is not over yet: no reader can know of it
    const closed = { action: 'close', note: 'settled', seen: alertId };
    const { status } = await ask('POST', `/payments/${uetr}/entries`, closed);
    expect(status).toBe(200);
  });
  expect((await alertsOf(uetr, 'open')).length).toBe(1);
});

test('what is closed is taken only after it was reopened, and an entry about a case names its alerts (OBS-6)', async () => {
  const { uetr, alertId } = await paymentWithAlert();
  const act = (path: string, body: object) => ask('POST', `${path}/entries`, body);
  expect(await act(`/payments/${uetr}`, { action: 'close', note: 'settled', seen: alertId })).toMatchObject({
    status: 200,
    body: [{ action: 'close', alertId: null, alerts: [{ alertId, kind: expect.any(String) as string }] }],
  });
  expect((await act(`/alerts/${alertId}`, { action: 'take' })).status).toBe(409);
  expect((await act(`/payments/${uetr}`, { action: 'reopen', note: 'not over' })).status).toBe(200);
  expect(await act(`/alerts/${alertId}`, { action: 'take' })).toMatchObject({ body: { state: 'taken' } });
});

test('a note with half a character, which could not be kept in the operator’s words, is refused (OBS-6, SEC-4)', async () => {
  const { uetr } = await paymentWithAlert();
  const path = `/payments/${uetr}/entries`;
  expect(await ask('POST', path, { action: 'note', note: 'half \ud800' })).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/note' }] },
  });
  expect((await ask('POST', path, { action: 'note', note: 'whole \ud83d\ude00' })).status).toBe(200);
});

test('a case is held by who takes care of its alerts, and by nobody once they are closed (OBS-6)', async () => {
  const { uetr, alertId } = await paymentWithAlert();
  const act = (path: string, body: object, client?: string) => ask('POST', `${path}/entries`, body, client);
  expect((await act(`/payments/${uetr}`, { action: 'take' })).status).toBe(200);
  expect((await act(`/alerts/${alertId}`, { action: 'close', note: 'settled' })).status).toBe(200);
  expect((await act(`/payments/${uetr}`, { action: 'take' }, 'operator2')).status).toBe(409); // it is closed
  await writeEvent(db, { severity: 'alert', kind: `test.${randomUUID()}`, subjectId: uetr });
  expect((await act(`/payments/${uetr}`, { action: 'take' }, 'operator2')).status).toBe(200);
  expect((await act(`/payments/${uetr}`, { action: 'take' })).status).toBe(409);
});
