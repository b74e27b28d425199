// An enquiry of a resolution, or its answer, was changed in the database (SEC-3): nobody is asked by it, nothing is passed on,
// and an alert says what it was; put back in time, it is as if nothing had been (RES-1, TIM-3).
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { connect } from '../../../db/pool/connection.ts';
import { beginSealing, seal, vaultPlugin } from '../../../db/keys/vault.ts';
import { accountRequest } from '../../harness/asker.ts';
import { rewritten } from '../../harness/rewritten.ts';
import { playOperator, resolutionSteps, yesTo } from './resolution-steps.ts';

const operator = await playOperator();
const { db, databaseUrl, routed, ask, follow, end, attempts, audit } = await resolutionSteps(operator);
operator.answer = (response, body) => void yesTo(body).then((text) => response.end(text));
beforeEach(() => void (operator.asked = 0));

/** @returns puts it back */
async function change(messageId: string): Promise<() => Promise<unknown>> {
  const { body } = await db
    .selectFrom('message_bodies')
    .select('body')
    .where('message_id', '=', messageId)
    .executeTakeFirstOrThrow();
  const put = (bytes: Buffer) =>
    rewritten(db, sql`update message_bodies set body = ${bytes} where message_id = ${messageId}`);
  await put(Buffer.from('<Document>1</Document>'));
  return () => put(body);
}

async function changedEnquiry(proxy: string) {
  const judgement = await routed(accountRequest(proxy));
  const { message_id: messageId } = await db
    .selectFrom('deliveries')
    .select('message_id')
    .where('delivery_id', '=', judgement.enquiry.deliveryId)
    .executeTakeFirstOrThrow();
  return { judgement, messageId, putBack: await change(messageId) };
}

const overdue = (resolutionId: string) =>
  db
    .updateTable('resolutions')
    .set({ deadline_at: new Date() })
    .where('resolution_id', '=', resolutionId)
    .execute();

test('an enquiry that was changed is never sent, each try is on record, and one alert tells of it; put back, it is answered', async () => {
  const { judgement, messageId, putBack } = await changedEnquiry('8');
  for (let tries = 0; tries < 3; tries += 1) expect(await ask(judgement)).toBe('MessageChanged');
  expect(operator.asked).toBe(0);
  expect(await attempts(judgement)).toEqual(
    Array.from({ length: 3 }, () => ({ outcome: 'NOT_SENT', error_class: 'message-changed' })),
  );
  expect(await audit(judgement.resolutionId)).toEqual([
    expect.objectContaining({
      kind: 'message.changed',
      detail: expect.objectContaining({ messageId }) as unknown,
    }),
  ]);
  await putBack();
  expect(await ask(judgement)).toMatch(/^[\da-f-]{36}$/);
  expect(operator.asked).toBe(1);
});

test('an enquiry whose key this worker lacks is not sent either, and says which; with the key it is (TIM-3)', async () => {
  const keys = [{ keyId: 'k1', key: randomBytes(32).toString('base64') }];
  const vault = vaultPlugin({ keys, seals: true }, () => undefined);
  const sealing = connect(databaseUrl, { applicationName: 'isthmus-test', maxConnections: 1, vault });
  onTestFinished(() => sealing.destroy());
  await beginSealing(sealing);
  const judgement = await routed(accountRequest('11'));
  const {
    message_id: id,
    body,
    type,
    party,
  } = await db
    .selectFrom('deliveries')
    .innerJoin('messages', 'messages.message_id', 'deliveries.message_id')
    .innerJoin('message_bodies', 'message_bodies.message_id', 'deliveries.message_id')
    .select(['deliveries.message_id', 'body', 'message_type as type', 'messages.party'])
    .where('delivery_id', '=', judgement.enquiry.deliveryId)
    .executeTakeFirstOrThrow();
  const { bytes, keyId } = seal(sealing, [id, type, party], body);
  const put = (stored: Buffer, by: string | null) =>
    rewritten(db, sql`update message_bodies set body = ${stored}, key_id = ${by} where message_id = ${id}`);
  await put(bytes, keyId);
  expect(await ask(judgement)).toBe('KeyMissing');
  expect([operator.asked, await attempts(judgement)]).toEqual([
    0,
    [{ outcome: 'NOT_SENT', error_class: 'key-missing' }],
  ]);
  const alerts = await sql`select detail ->> 'keyId' as key from audit_events
    where kind = 'worker.sealing-key-missing'`.execute(db);
  expect(alerts.rows).toEqual([{ key: 'k1' }]);
  await put(body, null); // as if a worker with the key had it
  expect(await ask(judgement)).toMatch(/^[\da-f-]{36}$/);
});

test('at its deadline it ends as when nobody answers, and no defect is reported (RES-1)', async () => {
  const { judgement } = await changedEnquiry('9');
  expect(await ask(judgement)).toBe('MessageChanged');
  await overdue(judgement.resolutionId);
  expect(await end(judgement)).toMatchObject({ verified: false, reasonCode: 'AB08' });
  expect((await audit(judgement.resolutionId)).map(({ kind }) => kind)).toEqual(['message.changed']);
});

test('an answer that was changed before it was passed on is not passed on: false NARR, and the alert is not that of a defect', async () => {
  const judgement = await routed(accountRequest('10'));
  const reportMessageId = await ask(judgement);
  await change(reportMessageId);
  expect(await follow(judgement, reportMessageId)).toMatchObject({
    kind: 'answered',
    answer: { verified: false, reasonCode: 'NARR' },
  });
  expect(await audit(judgement.resolutionId)).toEqual([
    expect.objectContaining({ kind: 'message.changed', detail: { messageId: reportMessageId } }),
  ]);
});
