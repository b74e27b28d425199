// Processes that stand still or are killed at the worst moment: a worker stopped beside another one, one that is killed
// between a stored answer and what follows from it, and one that stands still while its answer comes (TIM-1, PAY-7,
// I-18).
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { afterAll, expect, test, vi } from 'vitest';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { lateDestination } from '../harness/late-destination.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { testWorkflowBundle } from '../harness/temporal.ts';
import { killProcess, startWorkerProcess } from '../harness/worker-process.ts';

const { codePath } = await testWorkflowBundle();
const destination = await lateDestination(2_500);
const gateway = await testGateway({
  worker: false,
  maxExecutionSeconds: 6,
  sweepEveryMs: 1_000,
  prepare: (db) => destination.register(db, 'IPSO-TH'),
});
const evidence = evidenceOf(gateway);
const { db } = gateway;
const workers: ChildProcess[] = [];
afterAll(async () => {
  for (const worker of workers) worker.kill('SIGCONT');
  await Promise.all(workers.map(killProcess));
});
async function startAnother(): Promise<ChildProcess> {
  const worker = await startWorkerProcess(gateway, codePath, { sweep: { everyMs: 1_000, graceMs: 1_000 } });
  workers.push(worker);
  return worker;
}

const reported = async (uetr: string) => {
  const rows = await db
    .selectFrom('messages')
    .select('status')
    .where('subject_id', '=', uetr)
    .where('leg', '=', 'destination')
    .where('direction', '=', 'in')
    .execute();
  return rows.map(({ status }) => status);
};

/** Statements that fail while the worker lives that is killed, so that it gets no further than this. */
const stops = [
  {
    before: 'it is compared or confirmed',
    table: 'deliveries',
    event: 'update',
    of: "new.kind = 'confirmation' and new.asks > old.asks",
  },
  { before: 'its alert', table: 'audit_events', event: 'insert', of: "new.kind = 'payment.contradiction'" },
  {
    before: 'its attempt is settled',
    table: 'delivery_attempts',
    event: 'update',
    of: "exists (select from deliveries d where d.delivery_id = new.delivery_id and d.kind = 'instruction')",
  },
];

test.each(stops)(
  'kill -9 between a stored late final and $before: a contradiction, and the destination is told again (PAY-7, PAY-9)',
  async ({ table, event, of }) => {
    const worker = await startAnother();
    destination.answerAfterMs = 4_200; // after the deadline, and well before nobody listens any more (5 s, SEC-5)
    const acceptanceDateTime = new Date(Date.now() - 2_500).toISOString(); // 3.5 s to the deadline
    const message = instruction(await bestQuote(gateway), { priority: 'HIGH', acceptanceDateTime });
    const { uetr } = message;
    expect((await submit(gateway, message)).report?.status).toBe('ACTC');
    await vi.waitFor(() => expect(destination.sends(uetr)).toBe(1), 5_000);
    await sql
      .raw(
        `create function fails() returns trigger language plpgsql as $$ begin
           if ${of} then raise exception 'the database is shutting down' using errcode = '57P01'; end if;
           return new;
         end $$;
         create trigger fails before ${event} on ${table} for each row execute function fails()`,
      )
      .execute(db);
    expect((await evidence.arrival(uetr, 'source', 'pacs002')).status).toBe('RJCT');
    await vi.waitFor(async () => expect(await reported(uetr)).toEqual(['ACCC']), {
      timeout: 12_000,
      interval: 50,
    });
    await setTimeout(200); // it gets as far as it can
    await killProcess(worker);
    if (table !== 'delivery_attempts')
      expect(await evidence.audit(uetr)).not.toContain('payment.contradiction');
    await sql.raw(`drop trigger fails on ${table}; drop function fails`).execute(db);
    await startAnother();
    await vi.waitFor(
      async () => expect(await evidence.audit(uetr)).toContain('payment.contradiction'),
      15_000,
    );
    await vi.waitFor(() => expect(destination.toldSince(uetr)).toContain('RJCT'), 20_000);
    await Promise.all(workers.map(killProcess));
  },
  90_000,
);

/**
 * One that stands still before its answer has come, else it may have the callback in hand, which is taken over later
 * (I-15); a machine that is slower than that says so, and begins anew.
 */
async function stoppedBeforeDeadline(sweepEveryMs: number) {
  const stopped = await startAnother();
  destination.answerAfterMs = 4_500; // another worker has to be up before (and 5 s are the longest for an answer)
  const message = instruction(await bestQuote(gateway), { priority: 'HIGH' });
  const { uetr } = message;
  expect((await submit(gateway, message)).report?.status).toBe('ACTC');
  await vi.waitFor(() => expect(destination.sends(uetr)).toBe(1), 5_000);
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
  ['sweep', 50], // it comes before the watch, which looks once a second
] as const)(
  'a worker that stands still (SIGSTOP) beside the %s of another one delays no HIGH deadline, and nobody is told late (TIM-1)',
  async (_, sweepEveryMs) => {
    const { stopped, uetr, atDeadline } = await stoppedBeforeDeadline(sweepEveryMs);
    await evidence.arrival(uetr, 'source', 'pacs002');
    expect(Date.now() - atDeadline).toBeLessThan(6_000); // it was 39 s when only the executions waited
    expect(((await evidence.decision(uetr))?.decided_at.getTime() ?? 0) - atDeadline).toBeLessThan(4_000);
    stopped.kill('SIGCONT');
    await vi.waitFor(async () => {
      // the answer came while it stood still: read, stored, and on record for what it is
      expect(await reported(uetr)).toEqual(['ACCC']);
      const isRejected = (await evidence.decision(uetr))?.status === 'RJCT';
      expect(await evidence.audit(uetr)).toEqual(
        isRejected ? expect.arrayContaining(['payment.contradiction']) : [],
      );
    }, 20_000);
    await killProcess(stopped);
    await gateway.stopWorker();
  },
  90_000,
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
  const child = spawn(process.execPath, ['--import', 'tsx', program, url], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [said] = (await once(child, 'message')) as [string];
  child.kill('SIGKILL');
  server.closeAllConnections();
  server.close();
  expect(said).toBe('ANSWERED');
}, 20_000);
