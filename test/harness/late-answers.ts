// What a payment meets whose destination answers late, while its workers are killed or stand still: a gateway without a
// worker of its own, and workers as processes.
import type { ChildProcess } from 'node:child_process';
import { afterAll } from 'vitest';
import { evidenceOf, type Evidence } from './evidence.ts';
import { testGateway, type TestGateway } from './gateway.ts';
import { lateDestination, type LateDestination } from './late-destination.ts';
import { testWorkflowBundle } from './temporal.ts';
import { killProcess, startWorkerProcess } from './worker-process.ts';

export interface LateAnswers {
  readonly gateway: TestGateway;
  readonly evidence: Evidence;
  readonly destination: LateDestination;
  /** Starts one more worker; it is killed after the file's tests at the latest. */
  readonly startAnother: () => Promise<ChildProcess>;
  readonly killAll: () => Promise<void>;
  /** The statuses that the destination has reported of a payment, as stored. */
  readonly reported: (uetr: string) => Promise<readonly (string | null)[]>;
}

/** Call it at the top of a test file. HIGH payments have 6 s to their deadline; sweeps come every second. */
export async function lateAnswers(): Promise<LateAnswers> {
  const { codePath } = await testWorkflowBundle();
  const destination = await lateDestination(2_500);
  const gateway = await testGateway({
    worker: false,
    maxExecutionSeconds: 6,
    sweepEveryMs: 1_000,
    prepare: (db) => destination.register(db, 'IPSO-TH'),
  });
  const workers: ChildProcess[] = [];
  const killAll = async () => {
    await Promise.all(workers.map(killProcess));
  };
  afterAll(async () => {
    for (const worker of workers) worker.kill('SIGCONT');
    await killAll();
  });
  return {
    gateway,
    evidence: evidenceOf(gateway),
    destination,
    startAnother: async () => {
      const worker = await startWorkerProcess(gateway, codePath, {
        sweep: { everyMs: 1_000, graceMs: 1_000 },
      });
      workers.push(worker);
      return worker;
    },
    killAll,
    reported: async (uetr) => {
      const rows = await gateway.db
        .selectFrom('messages')
        .select('status')
        .where('subject_id', '=', uetr)
        .where('leg', '=', 'destination')
        .where('direction', '=', 'in')
        .execute();
      return rows.map(({ status }) => status);
    },
  };
}
