// A stored submission can no longer be read: its row was changed, or its data key is lost. A judged payment goes on
// from the record (LIF-2, TIM-2, RES-1); any other submission is answered with a rejection (SEC-9).
import { sql, type RawBuilder } from 'kysely';
import { expect, test } from 'vitest';
import { createValidatePayment } from '../../../activities/payments/validate-payment.ts';
import { instruction, ownExchange } from '../../../fixtures/instruction.ts';
import { accountRequest } from '../../harness/asker.ts';
import { acceptedAgo, rewritten } from '../../harness/rewritten.ts';
import { playOperator, resolutionSteps, yesTo } from '../resolutions/resolution-steps.ts';
import { workbench } from '../workbench.ts';

const { deps, accepted, store } = await workbench();
const { db } = deps;
const validatePayment = createValidatePayment(deps);

const operator = await playOperator();
operator.answer = (response, body) => {
  void yesTo(body).then((text) => response.end(text));
};
const resolutions = await resolutionSteps(operator);

type Way = readonly [how: string, change: RawBuilder<unknown>, alert: 'message.changed' | 'message.defect'];
const ways: readonly [Way, Way] = [
  ['was changed', sql`update message_bodies set body = '<x/>'::bytea`, 'message.changed'],
  ['is gone, as with its data key', sql`delete from message_bodies`, 'message.defect'],
];
/** By which an operator learns of a request (SEC-3, SEC-9). */
const alertsOf = async (resolutionId: string) =>
  (await resolutions.audit(resolutionId))
    .filter(({ severity }) => severity === 'alert')
    .map(({ kind }) => kind);
const unread = (id: string, [, change]: Way, at = db) =>
  rewritten(at, sql`${change} where message_id = ${id}`);
const kindsOf = async (subjectId: string) => {
  const { rows } = await sql<{ kind: string }>`
    select kind from audit_events where subject_id = ${subjectId} order by audit_event_id`.execute(db);
  return rows.map(({ kind }) => kind);
};

test.each(ways)('an accepted payment is taken up again where its pacs.008 %s (LIF-2)', async (...way) => {
  const { uetr, messageId, deliveryId } = await accepted();
  await unread(messageId, way);
  await acceptedAgo(db, uetr, 25 * 3_600_000);
  expect(await validatePayment({ messageId })).toMatchObject({
    verdict: 'accepted',
    instructionDeliveryId: deliveryId,
  });
  expect(await kindsOf(uetr)).toEqual([]);
});

test.each(ways)(
  'one that nobody had judged and that %s is answered RJCT NARR, with an alert (SEC-9)',
  async (...way) => {
    const message = instruction(ownExchange());
    const messageId = await store(message);
    await unread(messageId, way);
    const judgement = await validatePayment({ messageId });
    expect(judgement).toMatchObject({ verdict: 'decided', decision: { status: 'RJCT', reasonCode: 'NARR' } });
    expect(await kindsOf(message.uetr)).toEqual(['message.defect']);
    expect(await validatePayment({ messageId })).toEqual(judgement);
  },
);

test('a repeat that cannot be read is refused, always by the same answer, and its payment goes on (DUP-2)', async () => {
  const { uetr, messageId } = await accepted();
  const repeatId = await store(instruction(ownExchange(), { uetr }));
  await unread(repeatId, ways[0]);
  const refusal = await validatePayment({ messageId: repeatId });
  expect(refusal).toMatchObject({ verdict: 'refused', reasonCode: 'NARR' });
  expect(await validatePayment({ messageId: repeatId })).toEqual(refusal);
  expect(await validatePayment({ messageId })).toMatchObject({ verdict: 'accepted' });
});

test.each(ways)(
  'a resolution goes on where its acmt.023 %s, and ends in an answer (RES-1)',
  async (...way) => {
    const { judge, follow, end, ask, routed } = resolutions;
    const [one, other] = [await routed(accountRequest('1')), await routed(accountRequest('2'))];
    const reportId = await ask(one);
    for (const { resolutionId } of [one, other]) await unread(resolutionId, way, resolutions.db);
    expect(await judge(one.resolutionId)).toMatchObject({ verdict: 'routed', enquiry: one.enquiry });
    const bare = { verified: false, reasonCode: 'NARR' };
    const followed = await follow(one, reportId);
    expect(followed).toMatchObject({ kind: 'answered', answer: bare });
    await resolutions.db
      .updateTable('resolutions')
      .set({ deadline_at: new Date() })
      .where('resolution_id', '=', other.resolutionId)
      .execute();
    expect(await end(other)).toMatchObject(bare);
    expect(await judge(one.resolutionId)).toMatchObject({ verdict: 'answered', answer: bare });
    for (const { resolutionId } of [one, other]) expect(await alertsOf(resolutionId)).toEqual([way[2]]);
  },
);
