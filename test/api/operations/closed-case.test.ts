// Closing a case closes no alert that came later (OBS-6).
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

/** By somebody who has looked at all that there is. */
const close = async (uetr: string, more: object = {}, client?: string) =>
  act(
    `/payments/${uetr}`,
    { action: 'close', note: 'settled', seen: await newestAlert(db, uetr), ...more },
    client,
  );

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
