// A worker is killed after it has decided by the destination's answer, while it tells the parties. Another worker
// continues from the record.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { distinct } from '../harness/evidence.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { lateAnswers } from '../harness/late-answers.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { killProcess } from '../harness/worker-process.ts';
import { eventually } from '../harness/wait.ts';

const { gateway, evidence, destination, startAnother } = await lateAnswers();
const { db } = gateway;

test.each([
  { moment: 'before it tells anybody', event: 'insert', copies: 1 },
  { moment: 'when the source has taken the callback, before that is on record', event: 'update', copies: 2 },
])(
  'kill -9 $moment: one decision, one instruction, and the callback has the same bytes each time (I-2, I-3, CBK-1)',
  async ({ event, copies }) => {
    const worker = await startAnother();
    destination.answerAfterMs = 0;
    // The statement fails until the worker is killed, so the worker cannot get past it.
    await sql
      .raw(
        `create function fails() returns trigger language plpgsql as $$ begin
           if exists (select from deliveries d where d.delivery_id = new.delivery_id and d.kind = 'callback') then
             raise exception 'the database is shutting down' using errcode = '57P01';
           end if;
           return new;
         end $$;
         create trigger fails before ${event} on delivery_attempts for each row execute function fails()`,
      )
      .execute(db);
    const message = instruction(await bestQuote(gateway));
    const { uetr } = message;
    expect((await submit(gateway, message)).report?.status).toBe('ACTC');
    await eventually(async () => expect(await evidence.decision(uetr)).toBeDefined(), { everyMs: 20 });
    if (event === 'update') await evidence.arrival(uetr, 'source', 'pacs002');
    await killProcess(worker);
    await sql.raw('drop trigger fails on delivery_attempts; drop function fails').execute(db);
    const another = await startAnother();
    await eventually(
      () => expect(evidence.received(uetr, 'source', 'pacs002')).toHaveLength(copies),
      // before the first enquiry, and before the sweep finds an overdue delivery
    );
    await evidence.closed(uetr);
    expect(distinct(evidence.received(uetr, 'source', 'pacs002'))).toBe(1);
    expect(distinct(evidence.received(uetr, 'fxp', 'fxtr017'))).toBe(1);
    expect(destination.sends(uetr)).toBe(1);
    expect(await evidence.decision(uetr)).toMatchObject({ status: 'ACCC', decided_by: 'destination' });
    await killProcess(another);
  },
);
