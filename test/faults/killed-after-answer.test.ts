// A worker that is killed between a late final that is stored and what follows from it (PAY-7, PAY-9, I-18).
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { instruction } from '../../fixtures/instruction.ts';
import { lateAnswers } from '../harness/late-answers.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { killProcess } from '../harness/worker-process.ts';

const { gateway, evidence, destination, startAnother, killAll, reported } = await lateAnswers();
const { db } = gateway;

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
    await killAll();
  },
  90_000,
);
