// Kills a worker after it has stored a late final, at a statement that the test names.
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { instruction } from '../../fixtures/instruction.ts';
import type { LateAnswers } from '../harness/late-answers.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { killProcess } from '../harness/worker-process.ts';
import { eventually } from '../harness/wait.ts';

/** A statement that fails until the worker is killed, so the worker cannot get past it. */
export interface Stop {
  readonly table: 'deliveries' | 'audit_events' | 'delivery_attempts';
  readonly event: 'insert' | 'update';
  /** SQL condition on the new row (`new`) and the old row (`old`). */
  readonly of: string;
}

/** Once another worker runs, the contradiction is on record and the destination is told again. */
export async function expectHealed(place: LateAnswers, { table, event, of }: Stop): Promise<void> {
  const { gateway, evidence, destination, startAnother, killAll, reported } = place;
  const { db } = gateway;
  const worker = await startAnother();
  destination.answerAfterMs = 4_200; // after the deadline, before the timeout of 5 s
  const acceptanceDateTime = new Date(Date.now() - 2_500).toISOString(); // 3.5 s to the deadline
  const message = instruction(await bestQuote(gateway), { priority: 'HIGH', acceptanceDateTime });
  const { uetr } = message;
  expect((await submit(gateway, message)).report?.status).toBe('ACTC');
  await eventually(() => expect(destination.sends(uetr)).toBe(1));
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
  await eventually(async () => expect(await reported(uetr)).toEqual(['ACCC']));
  await setTimeout(200); // until it meets the failing statement
  await killProcess(worker);
  if (table !== 'delivery_attempts')
    expect(await evidence.audit(uetr)).not.toContain('payment.contradiction');
  await sql.raw(`drop trigger fails on ${table}; drop function fails`).execute(db);
  await startAnother();
  await eventually(async () => expect(await evidence.audit(uetr)).toContain('payment.contradiction'));
  await eventually(() => expect(destination.toldSince(uetr)).toContain('RJCT'));
  await killAll();
}
