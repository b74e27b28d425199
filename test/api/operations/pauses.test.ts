// Destinations and FX providers that an operator pauses, on a whole gateway (LIF-5).
import { beforeEach, expect, test } from 'vitest';
import { listParties } from '../../../cli/ops/commands.ts';
import { pauseOrResume } from '../../../cli/ops/pause.ts';
import { opsOn } from '../../cli/ops-context.ts';
import { evidenceOf } from '../../harness/evidence.ts';
import { testGateway } from '../../harness/gateway.ts';
import { instruction } from '../../../fixtures/instruction.ts';
import { jsonRoutes } from '../../harness/json-routes.ts';
import { askQuotes, bestQuote, submit } from '../../harness/payer.ts';
import { reportFinal, undecided } from '../../harness/reports.ts';
import { eventually } from '../../harness/wait.ts';

const gateway = await testGateway();
const evidence = evidenceOf(gateway);
const { lines, context } = opsOn(gateway);
beforeEach(() => void lines.splice(0));

const ask = await jsonRoutes<{ readonly code?: string }>(gateway);
const act = (path: string, client?: string) =>
  ask('POST', path, { because: 'announced maintenance' }, client);

const pay = async () => {
  const message = instruction(await bestQuote(gateway));
  return { message, answer: await submit(gateway, message) };
};
const untilPaused = (isPaused: boolean) =>
  eventually(async () => expect((await pay()).answer.report?.status).toBe(isPaused ? 'RJCT' : 'ACTC'));

test('a paused destination gets no new payments; what is under way goes on, and is answered as before (LIF-5, DUP-1)', async () => {
  const before = await pay();
  const running = await undecided(gateway);
  expect(await act('/parties/THBPPAY/pause')).toMatchObject({
    status: 200,
    body: [{ party: 'THBPPAY', by: 'operator', because: 'announced maintenance' }],
  });
  await untilPaused(true);
  const { message, answer } = await pay();
  expect(answer.report).toMatchObject({
    status: 'RJCT',
    reasonCode: 'ED06',
    additionalInformation: [expect.stringMatching(/^LIF-5 destination system paused/)],
  });
  expect(await evidence.quoteHolder(message.agreedRate.quoteId ?? '')).toBeUndefined();
  expect(evidence.received(message.uetr, 'destination', 'pacs008')).toEqual([]);

  expect((await submit(gateway, before.message)).report?.status).not.toBe('RJCT'); // the same message again
  expect(await reportFinal(gateway, running.uetr)).toBe(200);
  expect(await evidence.decision(running.uetr)).toMatchObject({ status: 'ACCC' });
  const other = await bestQuote(gateway, { destination: 'MY', destinationCurrency: 'MYR' });
  expect((await submit(gateway, instruction(other))).report?.status).toBe('ACTC');

  expect(await act('/parties/THBPPAY/pause')).toMatchObject({
    status: 409,
    body: { code: 'already-paused' },
  });
  expect(await act('/parties/THBPPAY/resumption')).toMatchObject({ status: 200, body: [] });
  expect(await act('/parties/THBPPAY/resumption')).toMatchObject({
    status: 409,
    body: { code: 'not-paused' },
  });
  await untilPaused(false);
});

test('no quote is made of a paused FX provider’s rates; those that were made stand (LIF-5, QUO-6)', async () => {
  const before = await askQuotes(gateway);
  const [best = '', ...others] = before.map((one) => one.fxpfinInstId);
  expect(await act(`/parties/${best}/pause`)).toMatchObject({ status: 200, body: [{ party: best }] });
  const offered = async () => (await askQuotes(gateway)).map((one) => one.fxpfinInstId);
  await eventually(async () => expect(await offered()).toEqual(others));
  const message = instruction(before[0] ?? (await bestQuote(gateway)));
  expect((await submit(gateway, message)).report?.status).toBe('ACTC');
  await act(`/parties/${best}/resumption`);
  await eventually(async () => expect(await offered()).toEqual([best, ...others]));
});

test('only operators pause, and only payment systems and FX providers', async () => {
  expect(await act('/parties/LOTUSGS0/pause')).toMatchObject({
    status: 404,
    body: { code: 'unknown-party' },
  });
  expect(await act('/parties/NOWHERE/resumption')).toMatchObject({ status: 404 });
  expect(await act('/parties/THBPPAY/pause', 'THBPPAY')).toMatchObject({ status: 403 });
});

test('ops pause and resume say who is paused, and parties shows it', async () => {
  const because = 'their mail of 04:10 UTC';
  await expect(pauseOrResume(context(), 'pause', { party: 'THBPPAY', because: undefined })).rejects.toThrow(
    '--because is missing',
  );
  await pauseOrResume(context(), 'pause', { party: 'THBPPAY', because });
  expect(lines[0]).toBe('✓ THBPPAY is paused; what is under way goes on');
  expect(lines[1]).toMatch(/^ {2}paused: THBPPAY since 20.{17} by operator: their mail of 04:10 UTC$/);
  lines.splice(0);
  await listParties(context(), { minutes: '10' });
  expect(lines).toContainEqual(expect.stringMatching(/^THBPPAY is paused since 20/));
  lines.splice(0);
  await pauseOrResume(context(), 'resume', { party: 'THBPPAY', because: 'they are back' });
  expect(lines).toEqual(['✓ THBPPAY goes on', 'Nobody is paused.']);
});
