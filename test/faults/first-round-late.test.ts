// A first round that ends after the time of the first enquiry (TIM-2), because its send began late: it was the enquiry, too, and the
// destination that has just taken the instruction is not sent it again at once.
import { sql } from 'kysely';
import type { ServerResponse } from 'node:http';
import { expect, test, vi } from 'vitest';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../harness/instruction.ts';
import { reading } from '../harness/listening.ts';
import { bestQuote, submit } from '../harness/payer.ts';

const sends: { at: number; response: ServerResponse }[] = [];
const url = await reading((response) => {
  sends.push({ at: Date.now(), response });
  if (sends.length > 1) response.writeHead(202).end();
});
const gateway = await testGateway({
  prepare: async (db) => {
    await db
      .updateTable('operators')
      .set({ endpoint_url: url })
      .where('operator_id', '=', 'IPSO-TH')
      .execute();
    await sql
      .raw(
        `create function earlier() returns trigger language plpgsql as
          $$ begin new.received_at := new.received_at - interval '58 seconds'; return new; end $$;
         create trigger earlier before insert on payments for each row execute function earlier()`,
      )
      .execute(db);
  },
});

test('an instruction that its destination takes a minute after it was accepted is not sent again at once', async () => {
  expect((await submit(gateway, instruction(await bestQuote(gateway)))).report?.status).toBe('ACTC');
  await vi.waitFor(() => expect(sends).toHaveLength(1), 5_000);
  const answerAt = Date.now() + 4_000; // 62 s after it was accepted, within the 5 s of a send
  await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(answerAt), { timeout: 10_000 });
  sends[0]?.response.writeHead(202).end();
  const until = Date.now() + 5_000; // the next enquiry is due 4 minutes later
  await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(until), { timeout: 10_000 });
  expect(sends.map(({ at }) => at - answerAt)).toHaveLength(1);
}, 60_000);
