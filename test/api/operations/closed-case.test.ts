// What operators do about a case that is over, or that another takes care of, on a whole gateway (OBS-6).
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { newestAlert, writeEvent } from '../../harness/events.ts';
import { testGateway } from '../../harness/gateway.ts';
import { instruction } from '../../../fixtures/instruction.ts';
import { jsonRoutes } from '../../harness/json-routes.ts';
import { bestQuote, submit } from '../../harness/payer.ts';

const gateway = await testGateway();
const { db } = gateway;

interface Entry {
  readonly action: string;
  readonly alerts: readonly { readonly alertId: string }[];
}
interface Shown {
  readonly kind: string;
  readonly alertId: string;
  readonly state: string;
  readonly takenBy: string | null;
  readonly closedBy?: string | null;
  readonly closedAt?: string | null;
  readonly detail?: unknown;
  readonly entries: readonly Entry[];
  readonly code?: string;
}

const ask = await jsonRoutes<{ readonly alerts: readonly Shown[] } & Shown>(gateway);
const act = (path: string, body: object, client?: string) => ask('POST', `${path}/entries`, body, client);
const alertsOf = async (subjectId: string) =>
  (await ask('GET', `/alerts?subjectId=${subjectId}&state=open,taken,closed`)).body.alerts;

async function payment(): Promise<string> {
  const message = instruction(await bestQuote(gateway));
  await submit(gateway, message);
  return message.uetr;
}

async function paymentWithAlert(): Promise<{ readonly uetr: string; readonly alertId: string }> {
  const uetr = await payment();
  await writeEvent(db, { severity: 'alert', kind: `test.${randomUUID()}`, subjectId: uetr });
  const [alert] = await alertsOf(uetr);
  return { uetr, alertId: alert?.alertId ?? '' };
}

/** By somebody who has looked at all that there is. */
const close = async (uetr: string, more: object = {}, client?: string) =>
  act(
    `/payments/${uetr}`,
    { action: 'close', note: 'settled', seen: await newestAlert(db, uetr), ...more },
    client,
  );

test('who takes a case that is closed hears what the OpenAPI document says of it (OBS-6)', async () => {
  const { uetr } = await paymentWithAlert();
  expect((await close(uetr)).status).toBe(200);
  const answer = await act(`/payments/${uetr}`, { action: 'take' });
  expect([answer.status, answer.body.code]).toEqual([409, 'alert-closed']);
  const document = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as {
    paths: Record<string, { post?: { responses: Record<string, { description: string }> } }>;
  };
  const { responses } = document.paths['/payments/{uetr}/entries']?.post ?? {};
  expect(responses?.['409']?.description).toContain('alert-closed');
});

test('of two who close at once one has closed it, and the other hears that it is closed: an alert, and a case (OBS-6)', async () => {
  const { uetr, alertId } = await paymentWithAlert();
  const closed = ['200 undefined', '409 alert-closed'];
  for (const path of [`/alerts/${alertId}`, `/payments/${uetr}`]) {
    const over = { action: 'close', note: 'settled', ...(path.startsWith('/payments') && { seen: alertId }) };
    const answers = await Promise.all([act(path, over, 'operator'), act(path, over, 'operator2')]);
    expect(answers.map(({ status, body }) => `${status} ${String(body.code)}`).sort()).toEqual(closed);
    const later = await act(path, over);
    expect([later.status, later.body.code]).toEqual([409, 'alert-closed']);
    const [{ closedBy = '', closedAt = '' } = {}] = await alertsOf(uetr);
    expect(later.body.detail).toContain(`${String(closedBy)} closed it at ${String(closedAt)}:`);
    await act(path, { action: 'reopen', note: 'look again' });
  }
});

test('of several who closed alerts of a case one after another the last is named (OBS-6)', async () => {
  const uetr = await payment();
  for (const kind of ['test.first', 'test.first', 'test.second']) {
    await writeEvent(db, { severity: 'alert', kind, subjectId: uetr });
  }
  const ofFirst = (await alertsOf(uetr)).filter(({ kind }) => kind === 'test.first');
  const over = { action: 'close', note: 'settled' };
  await act(`/alerts/${String(ofFirst[0]?.alertId)}`, over, 'operator');
  await close(uetr, { kinds: ['test.second'] }, 'operator');
  await act(`/alerts/${String(ofFirst[1]?.alertId)}`, over, 'operator2');
  for (const later of [{}, { all: true }, { kinds: ['test.second', 'test.first'] }]) {
    const { body } = await close(uetr, later, 'operator');
    expect([body.code, body.detail]).toEqual(['alert-closed', expect.stringMatching(/^operator2 closed it/)]);
  }
});

test('who names kinds of alerts that another has just closed hears that they are closed; one that never was is named once (OBS-6)', async () => {
  const uetr = await payment();
  for (const kind of ['test.first', 'test.second']) {
    await writeEvent(db, { severity: 'alert', kind, subjectId: uetr });
  }
  const closeKinds = (...kinds: string[]) => close(uetr, { kinds });
  const answers = await Promise.all([closeKinds('test.first'), closeKinds('test.first')]);
  expect(answers.map(({ status, body }) => `${status} ${String(body.code)}`).sort()).toEqual([
    '200 undefined',
    '409 alert-closed',
  ]);
  const never = await closeKinds('test.never', 'test.never');
  expect([never.status, never.body.code]).toEqual([409, 'alert-kinds']);
  expect(JSON.stringify(never.body).match(/test\.never/g)).toHaveLength(1);
});

test('no alert is closed that came after the one that was looked at, of no kind and by no word (OBS-6)', async () => {
  const kind = 'payment.contradiction';
  for (const by of ['kinds', 'all', 'nothing'] as const) {
    const uetr = await payment();
    await writeEvent(db, { severity: 'alert', kind, subjectId: uetr, detail: { reported: 'BLCK' } });
    const seen = await newestAlert(db, uetr);
    await writeEvent(db, { severity: 'alert', kind, subjectId: uetr, detail: { reported: 'ACCC' } });
    const over = { kinds: { kinds: [kind] }, all: { all: true }, nothing: {} }[by];
    const before = await close(uetr, { ...over, seen: undefined });
    expect([before.status, before.body.code]).toEqual([409, 'alerts-unseen']);
    expect(before.body.detail).toContain(`2 ${kind} (the last: ${await newestAlert(db, uetr)})`);
    for (const wrong of ['1', '999999']) {
      const answer = await close(uetr, { ...over, seen: wrong });
      expect([answer.status, answer.body.code, answer.body.detail]).toEqual([
        409,
        'alerts-unseen',
        expect.stringContaining(`None of them is ${wrong}, or as old as that`),
      ]);
    }
    expect((await close(uetr, { ...over, seen })).status).toBe(200);
    const open = (await alertsOf(uetr)).filter(({ state }) => state === 'open');
    expect(open.map(({ detail }) => detail)).toEqual([{ reported: 'ACCC' }]);
    const late = await close(uetr, { ...over, seen });
    expect([late.status, late.body.code], 'it is not open any more').toEqual([409, 'alerts-unseen']);
    expect((await close(uetr, over)).status).toBe(200);
  }
});

test('a note on a case that is closed is seen beside its alerts (OBS-6)', async () => {
  const { uetr, alertId } = await paymentWithAlert();
  await close(uetr);
  expect(
    (await act(`/payments/${uetr}`, { action: 'note', note: 'the bank has sent its papers' })).status,
  ).toBe(200);
  const { entries } = (await ask('GET', `/alerts/${alertId}`)).body;
  expect(entries.map(({ action }) => action)).toEqual(['close', 'note']);
});

test('who reopens what another has taken takes it from nobody, under the alert as under its case (OBS-6)', async () => {
  for (const under of ['case', 'alert'] as const) {
    const { uetr, alertId } = await paymentWithAlert();
    await act(`/alerts/${alertId}`, { action: 'take' });
    const path = under === 'case' ? `/payments/${uetr}` : `/alerts/${alertId}`;
    await act(path, { action: 'reopen', note: 'look again' }, 'operator2');
    expect([under, (await alertsOf(uetr)).map((one) => one.takenBy)]).toEqual([under, ['operator']]);
  }
});

test('two who act under alerts and cases at once, again and again, always hear an answer (OBS-6)', async () => {
  const { uetr, alertId } = await paymentWithAlert();
  const one = (index: number) => {
    const path = index % 2 === 0 ? `/payments/${uetr}` : `/alerts/${alertId}`;
    const action = ['take', 'close', 'reopen', 'note'][Math.floor(index / 2) % 4];
    const seen = action === 'close' && path.startsWith('/payments') ? { seen: alertId } : {};
    return act(path, { action, note: 'x', ...seen }, index % 3 === 0 ? 'operator' : 'operator2');
  };
  const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => one(index)));
  expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
}, 30_000);
