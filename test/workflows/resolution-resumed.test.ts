// A resolution whose execution is cancelled, terminated or lost. An execution that is started from the record
// continues, and the source gets the same answer.
import { describe, expect, test } from 'vitest';
import { buildAcmt023, type OriginalAcmt023 } from '../../fixtures/acmt023.ts';
import { recordReceived } from '../../db/records/messages.ts';
import type { JournalEntry } from '../../sandbox/journal-file.ts';
import { resolutionWorkflowId, taskQueues, workflowTypes } from '../../contract/ids.ts';
import { distinct, expectSoundMessages } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { accountRequest, ask, proxyRequest, resolutionEvidence } from '../harness/asker.ts';

const gateway = await testGateway({ timings: { interimDelayMs: 700 } }); // delay of the slow directory (0407)
const { sandbox, db, temporal } = gateway;
const evidence = resolutionEvidence(gateway);

const textOf = (entry: JournalEntry) => Buffer.from(entry.bytes ?? '').toString('utf8');
const execution = (messageId: string) =>
  temporal.workflow.getHandle(resolutionWorkflowId('SGDFAST', messageId));

/** Resolves when a party is asked about it. */
const asked = (text: string) =>
  sandbox.journal.waitFor((entry) => entry.kind === 'acmt023' && textOf(entry).includes(text), 60_000);

/** Resolves when the source has taken the answer. */
const told = (messageId: string) =>
  sandbox.journal.waitFor(
    (entry) => entry.kind === 'acmt024' && entry.httpStatus === 200 && textOf(entry).includes(messageId),
    60_000,
  );

/** Stores a request as the api does, and starts nothing; answers its id. */
async function stored(request: OriginalAcmt023): Promise<string> {
  const body = Buffer.from(buildAcmt023(request));
  const { messageId } = await recordReceived(db, {
    type: 'acmt023',
    messageIdentification: request.messageIdentification,
    leg: 'source',
    party: 'SGDFAST',
    answerUrl: sandbox.callbackUrl('SGDFAST', 'acmt024'),
    body,
  });
  return messageId;
}

/** Starts an execution as the sweep does. */
function startFromRecord({ messageIdentification }: OriginalAcmt023, recordedId: string) {
  return temporal.workflow.start(workflowTypes.resolution, {
    workflowId: resolutionWorkflowId('SGDFAST', messageIdentification),
    taskQueue: `${gateway.taskQueuePrefix}${taskQueues.payments}`,
    args: [{ messageId: recordedId }],
  });
}

/** Starts it, and waits for its result. */
async function endFromRecord(request: OriginalAcmt023, recordedId: string): Promise<unknown> {
  return (await startFromRecord(request, recordedId)).result();
}

describe('a request to cancel changes nothing', () => {
  test('while a party is asked: its answer comes, and goes to the callback', async () => {
    const request = proxyRequest('+66900000407');
    const asking = ask(gateway, request);
    await asked('+66900000407');
    await execution(request.messageIdentification).cancel();
    const answered = await asking;
    expect(answered.answer).toMatchObject({ verified: true });
    await evidence.callback(answered);
    await expect(execution(request.messageIdentification).result()).resolves.toMatchObject({
      verified: true,
    });
  });
});

test('terminated while its source waits: another goes on, and the source has its answer', async () => {
  const request = proxyRequest('+66902000407');
  const asking = ask(gateway, request);
  await asked('+66902000407');
  await execution(request.messageIdentification).terminate();
  const answered = await asking;
  expect(answered.answer).toMatchObject({ verified: true });
  await evidence.callback(answered);
});

describe('started from the record, an execution', () => {
  test('judges a request that was stored and never judged, asks, and tells the source', async () => {
    const request = accountRequest('6690000001');
    const end = await endFromRecord(request, await stored(request));
    expect(end).toEqual({ verified: true, reasonCode: null });
    await told(request.messageIdentification);
  });

  test('goes on asking where one was terminated, with the same bytes', async () => {
    const request = proxyRequest('+66903000407');
    const id = await stored(request);
    const first = await startFromRecord(request, id);
    await asked('+66903000407');
    await first.terminate();
    expect(await endFromRecord(request, id)).toMatchObject({ verified: true });
    await told(request.messageIdentification);
    const directory = evidence
      .about('+66903000407', 'acmt023')
      .filter((entry) => textOf(entry).includes('TH-PROXY'));
    expect(distinct(directory)).toBe(1);
  });

  test('answers false AB08 what is past its deadline, and asks nobody', async () => {
    const request = proxyRequest('+66902000408');
    const id = await stored(request);
    const first = await startFromRecord(request, id);
    await asked('+66902000408');
    await first.terminate();
    await db
      .updateTable('resolutions')
      .set({ deadline_at: new Date(Date.now() - 3_600_000) })
      .where('resolution_id', '=', id)
      .execute();
    expect(await endFromRecord(request, id)).toEqual({ verified: false, reasonCode: 'AB08' });
    await told(request.messageIdentification);
    expect(evidence.about('+66902000408', 'acmt023')).toHaveLength(1);
  });
});

test('every message that any party saw is valid, and no party saw a rule broken (MSG-3)', () =>
  expectSoundMessages(gateway));
