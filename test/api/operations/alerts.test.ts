// Alerts on a whole gateway: how they are found, and how operators take, note and close them (OBS-6).
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newestAlert, writeEvent } from '../../harness/events.ts';
import { endingIn } from '../../../fixtures/endings.ts';
import { evidenceOf } from '../../harness/evidence.ts';
import { testGateway } from '../../harness/gateway.ts';
import { instruction } from '../../../fixtures/instruction.ts';
import { jsonRoutes } from '../../harness/json-routes.ts';
import { bestQuote, submit } from '../../harness/payer.ts';
import { undecided } from '../../harness/reports.ts';

const gateway = await testGateway();
const { db } = gateway;
const evidence = evidenceOf(gateway);

interface Shown {
  readonly alertId: string;
  readonly kind: string;
  readonly state: string;
  readonly takenBy: string | null;
  readonly entries: readonly { readonly action: string; readonly by: string; readonly note: string | null }[];
}
interface Body extends Shown {
  readonly alerts: readonly Shown[];
  readonly next: string | null;
  readonly code?: string;
  readonly detail?: string;
  readonly errors?: unknown;
}

const ask = await jsonRoutes<Body>(gateway);

const raise = (kind: string, subjectId?: string, severity: 'alert' | 'security' | 'info' = 'alert') =>
  writeEvent(db, { severity, kind, subjectId, party: 'THBPPAY', detail: { reported: 'ACCC' } });

async function newAlert(kind: string, subjectId?: string): Promise<string> {
  await raise(kind, subjectId);
  const { body } = await ask('GET', `/alerts?kind=${kind}`);
  return body.alerts[0]?.alertId ?? '';
}

const kinds = async (query: string) =>
  (await ask('GET', `/alerts?${query}`)).body.alerts.map(({ kind }) => kind);

describe('the list', () => {
  test('newest first, without what is only for the record', async () => {
    await raise('one');
    await raise('payment.interim', undefined, 'info');
    await raise('two', undefined, 'security');
    expect(await kinds('')).toEqual(['two', 'one']);
    expect(await kinds('severity=security')).toEqual(['two']);
    expect(await kinds('party=THBPPAY&kind=one')).toEqual(['one']);
    expect(await kinds('party=PHPINST')).toEqual([]);
    expect(await kinds('to=2026-01-01T00:00:00Z')).toEqual([]);
  });

  test('in pages, that alerts which come in meanwhile do not move', async () => {
    const all = await kinds('limit=500');
    const seen: string[] = [];
    let address: string | null = '/alerts?limit=1';
    while (address !== null) {
      const { body }: { body: Body } = await ask('GET', address);
      seen.push(...body.alerts.map(({ kind }) => kind));
      address = body.next;
      await raise('meanwhile');
    }
    expect(seen).toEqual(all);
  });

  test('is for operators', async () => {
    for (const client of ['SGDFAST', 'LOTUSGS0', 'MERISGS0']) {
      expect((await ask('GET', '/alerts', undefined, client)).status).toBe(403);
    }
  });
});

describe('what is done about an alert', () => {
  test('is written down with who did it, and decides its state', async () => {
    const id = await newAlert('taken-care-of');
    const act = (body: object, client?: string) => ask('POST', `/alerts/${id}/entries`, body, client);
    expect((await act({ action: 'take' })).body).toMatchObject({ state: 'taken', takenBy: 'operator' });
    expect((await act({ action: 'note', note: 'called the bank' }, 'operator2')).body.state).toBe('taken');
    const closed = await act({ action: 'close', note: 'the bank has reversed it' });
    expect(closed.body).toMatchObject({
      state: 'closed',
      takenBy: null,
      closedBy: 'operator',
      entries: [
        { action: 'take', by: 'operator', note: null },
        { action: 'note', by: 'operator2', note: 'called the bank' },
        { action: 'close', by: 'operator', note: 'the bank has reversed it' },
      ],
    });
    expect(await kinds('kind=taken-care-of')).toEqual([]);
    expect(await kinds('kind=taken-care-of&state=closed')).toEqual(['taken-care-of']);
    expect((await act({ action: 'reopen', note: 'not on our account' })).body.state).toBe('open');
    expect(await kinds('kind=taken-care-of&state=open')).toEqual(['taken-care-of']);
  });

  test('of two who take it at once, one is told of the other', async () => {
    const id = await newAlert('contended');
    const answers = await Promise.all(
      ['operator', 'operator2'].map((client) =>
        ask('POST', `/alerts/${id}/entries`, { action: 'take' }, client),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const holder = answers.find(({ status }) => status === 200)?.body.takenBy ?? '';
    const refusal = answers.find(({ status }) => status === 409)?.body;
    expect(refusal?.code).toBe('already-taken');
    expect(refusal?.detail).toContain(`${holder} took it at`);
    const other = holder === 'operator' ? 'operator2' : 'operator';
    const again = { action: 'take', note: 'end of their shift' };
    expect((await ask('POST', `/alerts/${id}/entries`, again, other)).body.takenBy).toBe(other);
    expect(await kinds(`takenBy=${other}&kind=contended`)).toEqual(['contended']);
  });

  test('needs a word, and an alert', async () => {
    const id = await newAlert('wordless');
    for (const action of ['note', 'close', 'reopen']) {
      const { status, body } = await ask('POST', `/alerts/${id}/entries`, { action });
      expect([status, body.errors]).toEqual([
        400,
        [{ pointer: '/note', detail: `missing: ${action} needs a note, for the next shift` }],
      ]);
    }
    const faultsOf = async (note: string) =>
      (await ask('POST', `/alerts/${id}/entries`, { action: 'note', note })).body.errors;
    const fault = (detail: string): unknown[] => [expect.objectContaining({ pointer: '/note', detail })];
    expect(await faultsOf('')).toEqual(expect.arrayContaining(fault('must have at least 1 character')));
    expect(await faultsOf('x'.repeat(2_001))).toEqual(fault('must have at most 2000 characters'));
    expect((await ask('POST', '/alerts/999999/entries', { action: 'take' })).body.code).toBe('unknown-alert');
    expect((await ask('GET', '/alerts/999999')).body.code).toBe('unknown-alert');
    expect((await ask('GET', '/alerts/0')).status).toBe(400);
  });
});

describe('the case of a payment', () => {
  test('closes all its alerts so far, and one that comes later opens it again', async () => {
    const payment = instruction(await bestQuote(gateway), { ending: endingIn.contradicting });
    const { uetr } = payment;
    await submit(gateway, payment);
    await evidence.arrival(uetr, 'source', 'pacs002');
    await expect.poll(() => kinds(`subjectId=${uetr}`)).toEqual(['payment.contradiction']);
    const act = (body: object) => ask('POST', `/payments/${uetr}/entries`, body);
    await act({ action: 'take' });
    expect(await kinds(`subjectId=${uetr}&state=taken`)).toEqual(['payment.contradiction']);
    await act({ action: 'close', note: 'credited, says the bank', seen: await newestAlert(db, uetr) });
    expect(await kinds(`subjectId=${uetr}`)).toEqual([]);
    await raise('payment.something-else', uetr);
    expect(await kinds(`subjectId=${uetr}`)).toEqual(['payment.something-else']);
    const { body } = await ask('GET', `/payments/${uetr}`);
    expect(body.entries).toMatchObject([
      { action: 'take' },
      { action: 'close', note: 'credited, says the bank' },
    ]);
    expect((await ask('GET', `/payments/${uetr}`, undefined, 'SGDFAST')).body.entries).toEqual([]);
  });

  test('is not closed at once where its alerts are of several kinds: by the kinds that are over, or all by name (OBS-6)', async () => {
    const { uetr } = await undecided(gateway);
    const [dead, contradiction] = ['delivery.dead-letter', 'payment.contradiction'] as const;
    for (const kind of [dead, dead, contradiction]) await raise(kind, uetr);
    const act = (action: string, more: object = {}) =>
      ask('POST', `/payments/${uetr}/entries`, { action, note: 'told by telephone', ...more });
    const close = async (more: object) => act('close', { ...more, seen: await newestAlert(db, uetr) });
    const refused = async (more: object = {}) => {
      const { status, body } = await close(more);
      expect([status, body.code]).toEqual([409, 'alert-kinds']);
      return body.detail;
    };
    for (const action of ['take', 'note']) expect((await act(action)).status, action).toBe(200);
    expect(await refused()).toMatch(
      new RegExp(`2 ${dead} \\(the last: \\d+\\), 1 ${contradiction} \\(\\d+\\)`),
    );
    expect(await refused({ kinds: [dead, 'payment.in-doubt'] })).toContain('payment.in-doubt');
    expect(await kinds(`subjectId=${uetr}`)).toEqual([contradiction, dead, dead]);
    expect((await close({ kinds: [dead] })).status).toBe(200);
    expect(await kinds(`subjectId=${uetr}`)).toEqual([contradiction]);
    const again = await close({ kinds: [dead] });
    expect([again.status, again.body.code]).toEqual([409, 'alert-closed']);
    expect(again.body.detail).toMatch(new RegExp(`^operator closed it at .*Open alerts: 1 ${contradiction}`));
    expect(await refused({ kinds: [dead, contradiction] })).toMatch(
      new RegExp(`^Its alerts of kind ${dead} are closed. Open alerts: 1`),
    );
    await raise(dead, uetr);
    expect((await close({ all: true })).status).toBe(200);
    expect(await kinds(`subjectId=${uetr}`)).toEqual([]);
    for (const more of [{ kinds: [dead] }, { all: true }, { seen: '1' }]) {
      expect((await act('reopen', more)).body.errors, 'of what is closed only').toMatchObject([
        { pointer: `/${Object.keys(more)[0]}` },
      ]);
    }
    expect((await act('reopen')).status).toBe(200);
    expect((await act('close', { kinds: [dead], all: true })).status, 'one of the two').toBe(400);
  });

  test('there is none of a payment that there is not', async () => {
    const { body } = await ask('POST', `/payments/${randomUUID()}/entries`, { action: 'take' });
    expect(body.code).toBe('unknown-payment');
  });
});

test('an alert is found by each name of its party, whichever of them it bears (OBS-6)', async () => {
  const kind = `test.named-${randomUUID().slice(0, 8)}`;
  for (const party of ['SG-LOTU', 'LOTUSGS0'])
    await writeEvent(db, { severity: 'alert', kind, party, detail: {} });
  for (const party of ['SG-LOTU', 'LOTUSGS0'])
    expect((await ask('GET', `/alerts?kind=${kind}&party=${party}`)).body.alerts.length).toBe(2);
});
