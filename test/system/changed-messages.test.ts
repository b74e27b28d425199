// Stored messages that somebody changed in the database. The record says which, the message is neither shown nor
// sent, and the source is not told to pay again.
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { show } from '../../cli/ops/commands.ts';
import { buildPacs008, type OriginalPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { opsOn } from '../cli/ops-context.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { jsonRoutes } from '../harness/json-routes.ts';
import { bestQuote, submitXml } from '../harness/payer.ts';
import { problemTexts } from '../harness/problem-texts.ts';
import { reportFinal } from '../harness/reports.ts';
import { rewritten } from '../harness/rewritten.ts';
import { eventually } from '../harness/wait.ts';

const gateway = await testGateway({ sealingKeys: `now:${randomBytes(32).toString('base64')}` });
const { db } = gateway;
const evidence = evidenceOf(gateway);

interface Shown {
  readonly code?: string;
  readonly detail?: string;
  readonly messages: readonly { readonly messageId: string; readonly isChanged: boolean }[];
  readonly difference: object | null;
}
const ask = await jsonRoutes<Shown>(gateway);

let message: OriginalPacs008;
/** Message ids by direction, leg, type and status. */
const ids = new Map<string, string>();

beforeAll(async () => {
  message = instruction(await bestQuote(gateway));
  expect((await submitXml(gateway, buildPacs008(message))).httpStatus).toBe(200);
  await evidence.arrival(message.uetr, 'source', 'pacs002', 'ACCC');
  await evidence.arrival(message.uetr, 'destination', 'pacs002');
  await evidence.arrival(message.uetr, 'fxp', 'fxtr017');
  const { rows } = await sql<{ what: string; id: string }>`
    select concat_ws(' ', direction, leg, message_type, status) as what, message_id as id from messages
    where subject_id = ${message.uetr}`.execute(db);
  for (const { what, id } of rows) ids.set(what, id);
});

const page = (client: string) => ask('GET', `/payments/${message.uetr}`, undefined, client);
const bytes = (id: string) => ask('GET', `/payments/${message.uetr}/messages/${id}`);
const repeat = async () => {
  const { httpStatus, text } = await submitXml(gateway, buildPacs008(message));
  return httpStatus === 200 ? 200 : [httpStatus, (JSON.parse(text) as Shown).code];
};

/** Changes one byte. @returns restores it */
async function change(id: string): Promise<() => Promise<unknown>> {
  const { rows } = await sql<{ body: Buffer }>`
    select body from message_bodies where message_id = ${id}`.execute(db);
  const put = (body: Buffer) =>
    rewritten(db, sql`update message_bodies set body = ${body} where message_id = ${id}`);
  const [{ body } = { body: Buffer.alloc(0) }] = rows;
  await put(Buffer.from(body.map((byte, index) => (index === 40 ? byte ^ 1 : byte))));
  return () => put(body);
}

const alertsOf = async (id: string) =>
  (
    await sql<{ alertId: string }>`
      select audit_event_id::text as "alertId" from audit_events
      where subject_id = ${message.uetr} and kind = 'message.changed' and detail ->> 'messageId' = ${id}`.execute(
      db,
    )
  ).rows.map(({ alertId }) => alertId);

test('the payment has every kind of message that it may', () => {
  expect([...ids.keys()].sort()).toEqual([
    'in destination pacs002 ACCC',
    'in source pacs008',
    'out destination pacs002 ACCC',
    'out destination pacs008',
    'out fxp fxtr017',
    'out source pacs002 ACCC',
    'out source pacs002 ACTC',
  ]);
});

test.each([
  ['in destination pacs002 ACCC', {}],
  ['in source pacs008', { isOfDifference: true }],
  ['out destination pacs002 ACCC', { isConfirmation: true }],
  ['out destination pacs008', { isOfDifference: true }],
  ['out fxp fxtr017', {}],
  ['out source pacs002 ACCC', { isAnswer: true }],
  ['out source pacs002 ACTC', {}],
])(
  '%s: the record is shown, the message is not, and whoever sends the same again waits (SEC-3, DUP-1)',
  async (what, { isOfDifference = false, isConfirmation = false, isAnswer = false }: Which) => {
    const id = ids.get(what) ?? '';
    const putBack = await change(id);
    for (const client of ['operator', 'SGDFAST']) {
      const { status, body } = await page(client);
      expect(status).toBe(200);
      expect(body.difference === null).toBe(isOfDifference);
      const changed = body.messages.filter(({ isChanged }) => isChanged).map((one) => one.messageId);
      expect(changed).toEqual(isOfDifference ? [id] : []);
    }
    const { status, body, headers } = await bytes(id);
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'message-changed', '60']);
    expect(body.detail).toBe(problemTexts['message-changed'].told);
    expect(await repeat()).toEqual(isAnswer ? [503, 'message-changed'] : 200);
    expect(await reportFinal(gateway, message.uetr)).toBe(isConfirmation ? 503 : 200);
    expect(await alertsOf(id)).toHaveLength(1);
    await putBack();
    expect((await page('operator')).body.difference).not.toBeNull();
    expect((await bytes(id)).status).toBe(200);
    expect(await repeat()).toBe(200);
  },
);

interface Which {
  readonly isOfDifference?: boolean;
  readonly isConfirmation?: boolean;
  readonly isAnswer?: boolean;
}

test('ops show names the one that was changed; met again after its alert was closed, it is another (OBS-6)', async () => {
  const id = ids.get('out destination pacs008') ?? '';
  const putBack = await change(id);
  const before = (await alertsOf(id)).length;
  const { lines, context } = opsOn(gateway);
  await show(context(), message.uetr, {});
  expect(lines.filter((line) => line.includes('(no longer what was stored)'))).toEqual([
    expect.stringContaining('pacs.008'),
  ]);
  const [alertId] = await alertsOf(id);
  await eventually(async () => {
    const { status } = await ask('POST', `/alerts/${alertId}/entries`, { action: 'close', note: 'found' });
    expect(status).toBe(200);
  });
  for (let times = 0; times < 2; times += 1) expect((await page('operator')).status).toBe(200);
  expect(await alertsOf(id)).toHaveLength(before + 1);
  await putBack();
});
