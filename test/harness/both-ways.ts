// A destination that reports the final of a payment to our address while it still holds the HTTP answer to our instruction
// (PAY-8, PAY-9), with workers that a test kills.
import type { ChildProcess } from 'node:child_process';
import type { ServerResponse } from 'node:http';
import { sql } from 'kysely';
import { afterAll, expect } from 'vitest';
import type { Db } from '../../db/pool/connection.ts';
import { receivedOf, setEndpoint } from './destination.ts';
import { testGateway, type TestGateway } from './gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { reading } from './listening.ts';
import { bestQuote, submit } from './payer.ts';
import { postReport, reportOn } from './reports.ts';
import { testWorkflowBundle } from './temporal.ts';
import { killProcess, startWorkerProcess } from './worker-process.ts';
import { eventually } from './wait.ts';

export interface BothWays {
  readonly gateway: TestGateway;
  /** UETRs of the confirmations that came to the destination's address. */
  readonly told: readonly string[];
  /** A worker in a process of its own, killed at the end of the file's tests if not before. */
  readonly start: () => Promise<ChildProcess>;
  /** A payment that its destination has got, and whose ACCC was answered at our address. */
  readonly reportedMeanwhile: () => Promise<{
    readonly uetr: string;
    /** The bytes that were reported. */
    readonly report: string;
    readonly messageIdentification: string;
    /** Gives the HTTP answer, by default in the same bytes. */
    readonly answer: (text?: string) => void;
  }>;
}

/** Call it at the top of a test file. */
export async function bothWays(): Promise<BothWays> {
  const { codePath } = await testWorkflowBundle();
  const told: string[] = [];
  const held: { messageIdentification: string; response: ServerResponse }[] = [];
  const url = await reading((response, body) => {
    const { messageIdentification, uetr, status } = receivedOf(body);
    if (status !== undefined) {
      told.push(uetr);
      response.writeHead(200).end();
    } else held.push({ messageIdentification, response });
  });
  const gateway = await testGateway({
    worker: false,
    prepare: (db) => setEndpoint(db, 'IPSO-TH', url),
  });
  const workers: ChildProcess[] = [];
  afterAll(() => Promise.all(workers.map(killProcess)));
  return {
    gateway,
    told,
    start: async () => {
      const worker = await startWorkerProcess(gateway, codePath);
      workers.push(worker);
      return worker;
    },
    reportedMeanwhile: async () => {
      held.length = 0;
      const message = instruction(await bestQuote(gateway));
      const { uetr } = message;
      expect((await submit(gateway, message)).report?.status).toBe('ACTC');
      await eventually(() => expect(held).toHaveLength(1));
      const messageIdentification = held[0]?.messageIdentification ?? '';
      const report = reportOn({ messageIdentification, uetr });
      gateway.reported.push(uetr);
      expect((await postReport(gateway, report)).status).toBe(200);
      expect(told).not.toContain(uetr);
      const answer = (text = report) =>
        void held[0]?.response.writeHead(200, { 'content-type': 'application/xml' }).end(text);
      return { uetr, report, messageIdentification, answer };
    },
  };
}

/**
 * The database refuses confirmations, as if it were shutting down, until the trigger `fails` on deliveries is dropped;
 * the sequence `refused` is called for each.
 */
export async function refuseConfirmations(db: Db): Promise<void> {
  await sql
    .raw(
      `create sequence refused;
       create function fails() returns trigger language plpgsql security definer as $$ begin
         if new.kind = 'confirmation' then
           perform nextval('refused');
           raise exception 'the database is shutting down' using errcode = '57P01';
         end if;
         return new;
       end $$;
       create trigger fails before insert or update on deliveries for each row execute function fails()`,
    )
    .execute(db);
}
