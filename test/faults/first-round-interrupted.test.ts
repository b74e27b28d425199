// A worker that is killed in the middle of a first round, and another that starts after the time of the first enquiry (TIM-2): the send
// that it makes is the enquiry, too (DUP-1: what is asked while one is under way joins it).
import type { ChildProcess } from 'node:child_process';
import { sql } from 'kysely';
import { afterAll, expect, test, vi } from 'vitest';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../harness/instruction.ts';
import { reading } from '../harness/listening.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { testWorkflowBundle } from '../harness/temporal.ts';
import { killProcess, startWorkerProcess } from '../harness/worker-process.ts';

const { codePath } = await testWorkflowBundle();
let isSilent = true;
const sends: number[] = [];
const url = await reading((response) => {
  sends.push(Date.now());
  if (!isSilent) response.writeHead(202).end();
});
const gateway = await testGateway({
  worker: false,
  prepare: async (db) => {
    await db
      .updateTable('operators')
      .set({ endpoint_url: url })
      .where('operator_id', '=', 'IPSO-TH')
      .execute();
    await sql
      .raw(
        `create function earlier() returns trigger language plpgsql as
          $$ begin new.received_at := new.received_at - interval '50 seconds'; return new; end $$;
         create trigger earlier before insert on payments for each row execute function earlier()`,
      )
      .execute(db);
  },
});
const workers: ChildProcess[] = [];
afterAll(() => Promise.all(workers.map(killProcess)));

test('an instruction whose round goes on after the time of an enquiry is sent once more, not twice', async () => {
  const first = await startWorkerProcess(gateway, codePath);
  workers.push(first);
  expect((await submit(gateway, instruction(await bestQuote(gateway)))).report?.status).toBe('ACTC');
  const acceptedAt = Date.now() - 50_000;
  await vi.waitFor(() => expect(sends).toHaveLength(1), 5_000);
  await killProcess(first);
  isSilent = false;
  await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(acceptedAt + 62_000), { timeout: 20_000 });
  workers.push(await startWorkerProcess(gateway, codePath));
  await vi.waitFor(() => expect(sends.length).toBeGreaterThan(1), { timeout: 30_000, interval: 50 });
  const until = Date.now() + 5_000; // the next enquiry is due minutes later
  await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(until), { timeout: 10_000 });
  expect(sends.slice(1).map((at) => at - (sends[1] ?? 0))).toEqual([0]);
}, 90_000);
