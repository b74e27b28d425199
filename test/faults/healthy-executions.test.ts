// Executions that do all that they should: the sweep ends none of them, and its being there makes no further enquiry leave
// (LIF-2, TIM-2, I-12, I-20).
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { paymentWorkflowId } from '../../contract/ids.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../harness/instruction.ts';
import { reading } from '../harness/listening.ts';
import { bestQuote, submit } from '../harness/payer.ts';

/** Takes each instruction with 202: the first at once, every further one after 4.5 s. */
const sends = new Map<string, number[]>();
const url = await reading((response, body) => {
  const uetr = /UETR>([^<]+)</.exec(body.toString())?.[1] ?? '';
  const times = [...(sends.get(uetr) ?? []), Date.now()];
  sends.set(uetr, times);
  setTimeout(() => response.writeHead(202).end(), times.length > 1 ? 4_500 : 0);
});
const gateway = await testGateway({
  sweepEveryMs: 500,
  prepare: async (db) => {
    await db
      .updateTable('operators')
      .set({ endpoint_url: url })
      .where('operator_id', '=', 'IPSO-MY')
      .execute();
  },
});
const evidence = evidenceOf(gateway);
const { db, temporal } = gateway;
const sendsOf = (uetr: string) => sends.get(uetr)?.length ?? 0;

async function toMalaysia() {
  const message = instruction(await bestQuote(gateway, { destination: 'MY', destinationCurrency: 'MYR' }));
  expect((await submit(gateway, message)).report?.status).toBe('ACTC');
  await vi.waitFor(() => expect(sendsOf(message.uetr)).toBe(1), 15_000);
  return message;
}

const runOf = async (uetr: string) => {
  const { runId, status } = await temporal.workflow.getHandle(paymentWorkflowId(uetr)).describe();
  return { runId, status: status.name };
};

const ageMs = async (uetr: string) => {
  const { rows } = await sql<{ ms: number }>`
    select (extract(epoch from clock_timestamp() - received_at) * 1000)::float8 as ms from payments
    where uetr = ${uetr}`.execute(db);
  return rows[0]?.ms ?? 0;
};

test.concurrent(
  'a payment whose enquiry joined one of the source that was under way (DUP-1) keeps its execution',
  async () => {
    const message = await toMalaysia();
    const before = await runOf(message.uetr);
    await delay(57_500 - (await ageMs(message.uetr)));
    expect((await submit(gateway, message)).report?.status).toBe('ACTC');
    await vi.waitFor(() => expect(sendsOf(message.uetr)).toBe(2), 15_000);
    await delay(75_000 - (await ageMs(message.uetr)));
    expect([await runOf(message.uetr), await evidence.audit(message.uetr)]).toEqual([before, []]);
    expect(sendsOf(message.uetr)).toBe(2);
  },
  120_000,
);

test.concurrent(
  'a database clock that was set back by 1 s makes no execution end, and no enquiry leave twice',
  async () => {
    const message = await toMalaysia();
    const { uetr } = message;
    const before = await runOf(uetr);
    // the same as its clock set back: what it says from now on is less beyond what it said then
    await sql`update payments set received_at = received_at + interval '1 second' where uetr = ${uetr}`.execute(
      db,
    );
    await sql`update delivery_attempts set started_at = started_at + interval '1 second'
    where delivery_id = (select delivery_id from deliveries where subject_id = ${uetr} and kind = 'instruction')`.execute(
      db,
    );
    await vi.waitFor(() => expect(sendsOf(uetr)).toBe(2), { timeout: 70_000, interval: 200 });
    await delay(80_000 - (await ageMs(uetr)));
    expect([await runOf(uetr), await evidence.audit(uetr)]).toEqual([before, []]);
    expect(sendsOf(uetr)).toBe(2);
  },
  120_000,
);
