// Somebody changed the stored enquiry of a resolution, or its answer (SEC-3). Nothing is sent, and an alert says
// what was changed (RES-1, TIM-3).
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { accountRequest } from '../../harness/asker.ts';
import { rewritten } from '../../harness/rewritten.ts';
import { playOperator, resolutionSteps, yesTo } from './resolution-steps.ts';

const operator = await playOperator();
const { db, routed, ask, follow, attempts, audit } = await resolutionSteps(operator);
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
