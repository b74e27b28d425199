// The log's disk is full: log lines are lost, payments go on.
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { testWorkflowBundle } from '../harness/temporal.ts';
import { quietPort } from '../harness/quiet-port.ts';
import { killProcess, startProcess, startWorkerProcess } from '../harness/worker-process.ts';
import { eventually } from '../harness/wait.ts';

const { codePath } = await testWorkflowBundle();
const gateway = await testGateway({ worker: false });
const evidence = evidenceOf(gateway);
const full = openSync('/dev/full', 'w');
const children: ChildProcess[] = [];
afterAll(async () => {
  closeSync(full);
  await Promise.all(children.map(killProcess));
});

test('a payment is decided, though the worker’s log is full (OBS-1, I-10, I-15)', async () => {
  children.push(await startWorkerProcess(gateway, codePath, { log: full }));
  const message = instruction(await bestQuote(gateway));
  const answer = submit(gateway, message).catch(() => undefined);
  await eventually(async () =>
    expect(await evidence.decision(message.uetr)).toMatchObject({ status: 'ACCC' }),
  );
  await answer;
});

test('an api whose log is full answers, or ends, but does not stand still (OBS-1, OBS-4)', async () => {
  const port = await quietPort();
  const api = await startProcess(gateway, 'api', {
    env: { PORT: String(port), AUTH: 'builtin', DEMO: '1', DRAIN_SECONDS: '0' },
    stdio: ['ignore', full, 'ignore'],
  });
  children.push(api);
  const live = () =>
    fetch(`http://127.0.0.1:${port}/countries`, { signal: AbortSignal.timeout(1_000) }).then(
      ({ status }) => status,
      () => undefined,
    );
  const deadline = performance.now() + 15_000;
  let answered = 0;
  while (performance.now() < deadline && answered < 5 && api.exitCode === null && api.signalCode === null) {
    if ((await live()) !== undefined) answered += 1;
    await delay(200);
  }
  const hasEnded = api.exitCode !== null || api.signalCode !== null;
  expect({ stands: answered < 5 && !hasEnded }).toEqual({ stands: false });
});
