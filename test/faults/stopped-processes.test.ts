// Workers that are stopped (SIGSTOP) near a deadline, or while their answer arrives.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { instruction } from '../../fixtures/instruction.ts';
import { lateAnswers } from '../harness/late-answers.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { killProcess } from '../harness/worker-process.ts';
import { eventually } from '../harness/wait.ts';

const { gateway, evidence, destination, startAnother, reported } = await lateAnswers();
const { db } = gateway;

/**
 * Stops a worker before the destination's answer has come. Later the worker might hold the callback, which is taken over
 * only after a while. On a slow machine it tries again.
 */
async function stoppedBeforeDeadline(sweepEveryMs: number) {
  const stopped = await startAnother();
  destination.answerAfterMs = 4_500; // another worker must be up before; the timeout is 5 s
  const message = instruction(await bestQuote(gateway), { priority: 'HIGH' });
  const { uetr } = message;
  expect((await submit(gateway, message)).report?.status).toBe('ACTC');
  await eventually(() => expect(destination.sends(uetr)).toBe(1));
  await gateway.startWorker(sweepEveryMs);
  stopped.kill('SIGSTOP');
  const stoppedAt = Date.now();
  const { deadline_at: deadline } = await db
    .selectFrom('payments')
    .select('deadline_at')
    .where('uetr', '=', uetr)
    .executeTakeFirstOrThrow();
  const atDeadline = deadline?.getTime() ?? 0;
  const isUnanswered = (await reported(uetr)).length === 0 && !(await evidence.decision(uetr));
  if (isUnanswered && stoppedAt < atDeadline - 500) return { stopped, uetr, atDeadline };
  process.stderr.write('the other worker was up too late: once more\n');
  await killProcess(stopped);
  await gateway.stopWorker();
  return stoppedBeforeDeadline(sweepEveryMs);
}

test.each([
  ['watch', 60_000],
  ['sweep', 50], // the sweep comes before the watch, which looks once a second
] as const)(
  'a worker that stands still (SIGSTOP) beside the %s of another one delays no HIGH deadline, and the source is told (TIM-1)',
  async (_, sweepEveryMs) => {
    const { stopped, uetr, atDeadline } = await stoppedBeforeDeadline(sweepEveryMs);
    // the stopped worker may hold tasks of the executions until they time out
    await eventually(() => expect(evidence.received(uetr, 'source', 'pacs002')).not.toEqual([]), {
      limitMs: 80_000,
    });
    expect(((await evidence.decision(uetr))?.decided_at.getTime() ?? 0) - atDeadline).toBeLessThan(4_000);
    stopped.kill('SIGCONT');
    await eventually(async () => {
      // the answer that came meanwhile is read and stored
      expect(await reported(uetr)).toEqual(['ACCC']);
      const isRejected = (await evidence.decision(uetr))?.status === 'RJCT';
      expect(await evidence.audit(uetr)).toEqual(
        isRejected ? expect.arrayContaining(['payment.contradiction']) : [],
      );
    });
    await killProcess(stopped);
    await gateway.stopWorker();
  },
);

test('an answer that came while the process stood still is read before the exchange is given up (PAY-8)', async () => {
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      child.kill('SIGSTOP');
      void setTimeout(100).then(() => response.writeHead(200).end());
      void setTimeout(1_200).then(() => child.kill('SIGCONT'));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const program = fileURLToPath(new URL('stood-child.ts', import.meta.url));
  const child = spawn(process.execPath, [program, url], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [said] = (await once(child, 'message')) as [string];
  child.kill('SIGKILL');
  server.closeAllConnections();
  server.close();
  expect(said).toBe('ANSWERED');
});
