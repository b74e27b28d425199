// A defect of ours while a resolution is judged ends in an answer and an alert (SEC-9). The XML engine is real,
// except that it throws.
import { expect, test } from 'vitest';
import { createJudgeResolution } from '../../../activities/resolutions/judge-resolution.ts';
import type { ActivityDependencies } from '../../../activities/dependencies.ts';
import { readAcmt024 } from '../../../core/iso20022/acmt024.ts';
import { connect } from '../../../db/pool/connection.ts';
import { messageBody } from '../../../db/records/messages.ts';
import { validTree } from '../../xml/fixtures.ts';
import { accountRequest } from '../../harness/asker.ts';
import { playOperator, resolutionSteps, yesTo } from './resolution-steps.ts';

const operator = await playOperator();
operator.answer = (response, body) => {
  void yesTo(body).then((text) => response.end(text));
};
const { db, deps, store, routed, ask, audit } = await resolutionSteps(operator);

/** Everything as it is, but whatever holds a text cannot be parsed, the first times. */
function breaking(text: string, times = Number.POSITIVE_INFINITY) {
  const made = { defects: 0 };
  const engine: ActivityDependencies['engine'] = {
    ...deps.engine,
    parse: (bytes, expected) => {
      if (made.defects < times && Buffer.from(bytes).includes(text)) {
        made.defects += 1;
        throw new TypeError(`never shown: ${text}`);
      }
      return deps.engine.parse(bytes, expected);
    },
  };
  return { made, deps: { ...deps, engine } };
}

const bare = [{ severity: 'alert', kind: 'message.defect', detail: { defect: 'TypeError' } }];

async function answerOf(messageId: string) {
  const reading = readAcmt024(await validTree('acmt024', (await messageBody(db, messageId)) ?? ''));
  return reading.ok ? reading.value : undefined;
}

test('a request that breaks us is answered false NARR after three tries, with an alert, and stays answered', async () => {
  const request = accountRequest('CANARY-1');
  const messageId = await store(request);
  const broken = breaking('CANARY-1');
  const judge = createJudgeResolution(broken.deps);
  const judgement = await judge({ messageId });
  expect(broken.made.defects).toBe(3);
  expect(judgement).toMatchObject({ verdict: 'answered', answer: { verified: false, reasonCode: 'NARR' } });
  expect(await audit(messageId)).toEqual(bare);
  expect(await judge({ messageId })).toEqual(judgement);
  const { answerMessageId } = 'answer' in judgement ? judgement.answer : { answerMessageId: '' };
  expect(await answerOf(answerMessageId)).toMatchObject({
    original: { messageIdentification: request.messageIdentification },
    verificationId: 'NOTPROVIDED', // nothing of the message itself
    reasonCode: 'NARR',
  });
});

test('a database that does not answer is no defect: nothing is told, and it may be tried again', async () => {
  const messageId = await store(accountRequest('CANARY-7'));
  const away = connect('postgres://nobody@127.0.0.1:9/none', { applicationName: 'isthmus-test' });
  await expect(createJudgeResolution({ ...deps, db: away })({ messageId })).rejects.toMatchObject({
    code: 'ECONNREFUSED',
  });
  await away.destroy();
  expect(await audit(messageId)).toEqual([]);
});

test('of a request under a MsgId that is taken: told in the answer only, the first stays as it is', async () => {
  const first = await routed(accountRequest('1'));
  const { message_identification: taken } = await db
    .selectFrom('messages')
    .select('message_identification')
    .where('message_id', '=', first.resolutionId)
    .executeTakeFirstOrThrow();
  const messageId = await store(accountRequest('CANARY-3', { messageIdentification: taken }));
  const judge = createJudgeResolution(breaking('CANARY-3').deps);
  const judgement = await judge({ messageId });
  expect(judgement).toMatchObject({ verdict: 'refused', reasonCode: 'NARR' });
  expect(await judge({ messageId })).toEqual(judgement);
  expect(await audit(messageId)).toEqual(bare);
  expect(await ask(first)).toMatch(/^[0-9a-f-]{36}$/);
});

test('an answer of a party that breaks us decides nothing, and a person is told', async () => {
  const judgement = await routed(accountRequest('CANARY-6'));
  const broken = breaking('Maria Santos');
  expect(await ask(judgement, broken.deps)).toBe('PartyDidNotAnswer');
  expect(broken.made.defects).toBe(3);
  expect(operator.asked).toBeGreaterThan(0);
  expect(await audit(judgement.resolutionId)).toMatchObject([
    { severity: 'alert', kind: 'answer.defect' }, // the party has done nothing wrong
  ]);
});
