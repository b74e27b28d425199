// A final that comes in an HTTP answer after the decision, and says the same (PAY-9): it is confirmed, whatever becomes of the worker
// between storing it and asking for its confirmation.
import type { ChildProcess } from 'node:child_process';
import type { ServerResponse } from 'node:http';
import { sql } from 'kysely';
import { afterAll, expect, test, vi } from 'vitest';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../harness/instruction.ts';
import { reading } from '../harness/listening.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { postReport, reportOn } from '../harness/reports.ts';
import { testWorkflowBundle } from '../harness/temporal.ts';
import { killProcess, startWorkerProcess } from '../harness/worker-process.ts';

const { codePath } = await testWorkflowBundle();
const told: string[] = []; // UETRs whose confirmation came
const held: { messageId: string; uetr: string; response: ServerResponse }[] = [];
const url = await reading((response, body) => {
  const text = body.toString();
  const uetr = /UETR>([^<]+)</.exec(text)?.[1] ?? '';
  const status = /<TxSts>([^<]+)</.exec(text)?.[1];
  if (status !== undefined) {
    told.push(uetr);
    response.writeHead(200).end();
  } else held.push({ messageId: /<MsgId>([^<]+)</.exec(text)?.[1] ?? '', uetr, response });
});
const gateway = await testGateway({
  worker: false,
  prepare: async (db) => {
    await db
      .updateTable('operators')
      .set({ endpoint_url: url })
      .where('operator_id', '=', 'IPSO-TH')
      .execute();
  },
});
const evidence = evidenceOf(gateway);
const { db } = gateway;
const workers: ChildProcess[] = [];
afterAll(() => Promise.all(workers.map(killProcess)));

const start = async () => {
  const worker = await startWorkerProcess(gateway, codePath);
  workers.push(worker);
  return worker;
};

const finals = async (uetr: string) => {
  const { rows } = await sql`select from messages where subject_id = ${uetr} and leg = 'destination'
    and direction = 'in' and message_type = 'pacs002'`.execute(db);
  return rows.length;
};

/** A payment that its destination has got, whose final came to our address before the HTTP answer was given. */
async function decidedMeanwhile() {
  held.length = 0;
  const message = instruction(await bestQuote(gateway));
  const { uetr } = message;
  expect((await submit(gateway, message)).report?.status).toBe('ACTC');
  await vi.waitFor(() => expect(held).toHaveLength(1), 5_000);
  const messageIdentification = held[0]?.messageId ?? '';
  gateway.reported.push(uetr);
  const posted = await postReport(gateway, reportOn({ messageIdentification, uetr }));
  expect(posted.status).toBe(200);
  expect((await evidence.decision(uetr))?.status).toBe('ACCC');
  expect(told).not.toContain(uetr);
  return {
    uetr,
    answer: () =>
      held[0]?.response
        .writeHead(200, { 'content-type': 'application/xml' })
        .end(reportOn({ messageIdentification, uetr })),
  };
}

test('an equal final in an HTTP answer is confirmed to the address of the destination', async () => {
  const worker = await start();
  const { uetr, answer } = await decidedMeanwhile();
  answer();
  await vi.waitFor(() => expect(told).toContain(uetr), 10_000);
  await killProcess(worker);
}, 60_000);

test('and is, although the worker is killed when it has stored it and not yet asked for its confirmation (PAY-9)', async () => {
  const worker = await start();
  const { uetr, answer } = await decidedMeanwhile();
  await sql
    .raw(
      `create function fails() returns trigger language plpgsql as $$ begin
         if new.kind = 'confirmation' then
           raise exception 'the database is shutting down' using errcode = '57P01';
         end if;
         return new;
       end $$;
       create trigger fails before insert or update on deliveries for each row execute function fails()`,
    )
    .execute(db);
  answer();
  await vi.waitFor(async () => expect(await finals(uetr)).toBe(2), { timeout: 8_000, interval: 50 });
  await killProcess(worker);
  await sql`drop trigger fails on deliveries`.execute(db);
  await sql`update messages set created_at = created_at - interval '20 seconds' where subject_id = ${uetr}`.execute(
    db,
  ); // older than the grace
  await start(); // its first sweep looks at everything
  await vi.waitFor(() => expect(told).toContain(uetr), { timeout: 40_000, interval: 500 });
}, 120_000);
