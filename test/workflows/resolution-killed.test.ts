// A worker that is killed (SIGKILL) while a proxy directory is asked, and another that takes over: the source gets its
// one answer, and every party saw the same bytes again (MSG-8, RES-1).
import type { ChildProcess } from 'node:child_process';
import { afterAll, expect, test } from 'vitest';
import { distinct, expectSoundMessages } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { testWorkflowBundle } from '../harness/temporal.ts';
import { killProcess, startWorkerProcess } from '../harness/worker-process.ts';
import { ask, proxyRequest, resolutionEvidence } from '../harness/asker.ts';

const { codePath } = await testWorkflowBundle();
const gateway = await testGateway({
  worker: false,
  timings: { interimDelayMs: 3_000 }, // of the slow directory: time to kill the worker that waits for it
  prepare: async (db) => {
    // time for a worker to start on a busy machine
    await db.updateTable('clearing_systems').set({ max_resolution_seconds: 45 }).execute();
  },
});
const evidence = resolutionEvidence(gateway);
const workers: ChildProcess[] = [];
afterAll(() => Promise.all(workers.map(killProcess)));
async function startAnother(): Promise<ChildProcess> {
  const worker = await startWorkerProcess(gateway, codePath);
  workers.push(worker);
  return worker;
}

test('the answer comes from the next worker; the directory is asked again with the same bytes', async () => {
  const first = await startAnother();
  const request = proxyRequest('+66800010407');
  const asking = ask(gateway, request);
  const isAsked = (entry: { kind: string; bytes?: Uint8Array }) =>
    entry.kind === 'acmt023' && Buffer.from(entry.bytes ?? '').includes('+66800010407');
  await gateway.sandbox.journal.waitFor(isAsked, 60_000);
  await killProcess(first);
  await startAnother();
  const asked = await asking;
  expect(asked.answer).toMatchObject({ verified: true, found: { agent: { bicfi: 'BANYTHS0' } } });
  await evidence.callback(asked);
  await evidence.closed(request.messageIdentification);
  expect(distinct(evidence.about('+66800010407', 'acmt023'))).toBe(1);
  expect(await evidence.attempts(request.messageIdentification, 'directory-enquiry')).toMatchObject([
    { outcome: null }, // an open intent: it may have been read (TIM-3)
    { outcome: 'ANSWERED', http_status: 200 },
  ]);
  await expectSoundMessages(gateway);
});
