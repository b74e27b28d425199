// A fault of ours prevents sends from being claimed. The payment is in doubt after a day, or is rejected after 60 s
// if nothing left.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { paymentWorkflowId, searchAttributes } from '../../contract/ids.ts';
import { setEndpoint } from '../harness/destination.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { quietPort } from '../harness/quiet-port.ts';
import { eventually } from '../harness/wait.ts';

const url = `http://127.0.0.1:${await quietPort()}`;
const gateway = await testGateway({
  sweepEveryMs: 500,
  prepare: async (db) => {
    await setEndpoint(db, 'IPSO-TH', url);
    await sql
      .raw(
        `create table settings (ago interval, from_attempt int);
         insert into settings values ('0 s', 1);
         create function earlier() returns trigger language plpgsql security definer as
          $$ begin new.judged_at := new.judged_at - (select ago from settings); return new; end $$;
         create trigger earlier before insert on payments for each row execute function earlier();
         create function fails() returns trigger language plpgsql security definer as $$ begin
           if new.attempt >= (select from_attempt from settings) then
             raise exception 'a page could not be read' using errcode = 'XX001';
           end if;
           return new;
         end $$;
         create trigger fails before insert on delivery_attempts for each row execute function fails()`,
      )
      .execute(db);
  },
});
const evidence = evidenceOf(gateway);
const set = (ago: string, fromAttempt: number) =>
  sql`update settings set ago = ${ago}::interval, from_attempt = ${fromAttempt}`.execute(gateway.db);

test('a payment of which no send can be claimed for a day is told in doubt (TIM-2)', async () => {
  await set('25 hours', 1);
  const message = instruction(await bestQuote(gateway));
  const { uetr } = message;
  expect((await submit(gateway, message)).report?.status).toBe('ACTC');
  await eventually(async () => expect(await evidence.audit(uetr)).toContain('payment.in-doubt'), {
    everyMs: 500,
  });
  const { typedSearchAttributes } = await gateway.temporal.workflow
    .getHandle(paymentWorkflowId(uetr))
    .describe();
  expect(typedSearchAttributes.get(searchAttributes.status)).toBe('INDOUBT');
});

test('a payment whose only attempt was refused, and whose retries cannot be claimed, is rejected after 60 s (TIM-3)', async () => {
  await set('50 seconds', 2);
  const message = instruction(await bestQuote(gateway));
  const { uetr } = message;
  expect((await submit(gateway, message)).report?.status).toBe('ACTC');
  await eventually(async () => expect((await evidence.decision(uetr))?.reason_code).toBe('ED06'), {
    everyMs: 500,
  });
});
