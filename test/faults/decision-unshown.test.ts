// A decision whose parties were told in one try, while a late final came that is still to be confirmed (PAY-9):
// operators find the payment by its final status, though the destination takes hours to take the confirmation.
import type { ServerResponse } from 'node:http';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { paymentWorkflowId, searchAttributes } from '../../contract/ids.ts';
import { receivedOf, setEndpoint } from '../harness/destination.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { reading } from '../harness/listening.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { postReport, reportOn } from '../harness/reports.ts';

const held: { messageIdentification: string; response: ServerResponse }[] = [];
let refusals = 0;
const url = await reading((response, body) => {
  const { messageIdentification, status } = receivedOf(body);
  if (status !== undefined) {
    refusals += 1;
    response.writeHead(503, { 'retry-after': '3600' }).end();
  } else held.push({ messageIdentification, response });
});
const callbacks: ServerResponse[] = [];
const source = await reading((response) => void callbacks.push(response));
const gateway = await testGateway({
  prepare: (db) => setEndpoint(db, 'IPSO-TH', url),
});
const evidence = evidenceOf(gateway);

test('the final status is shown, though only the confirmation of a late final waits for its destination', async () => {
  const message = instruction(await bestQuote(gateway));
  const { uetr } = message;
  const answer = await submit(gateway, message, { callbackUrl: `${source}/pacs002` });
  expect(answer.report?.status).toBe('ACTC');
  await vi.waitFor(() => expect(held).toHaveLength(1), 5_000);
  const messageIdentification = held[0]?.messageIdentification ?? '';
  const report = () => reportOn({ messageIdentification, uetr });
  expect((await postReport(gateway, report())).status).toBe(200);
  await vi.waitFor(() => expect(callbacks).toHaveLength(1), 5_000); // the first try to tell is under way
  held[0]?.response.writeHead(200, { 'content-type': 'application/xml' }).end(report());
  await vi.waitFor(async () => {
    const { rows } = await sql`select from deliveries d join delivery_attempts a using (delivery_id)
      where d.subject_id = ${uetr} and d.kind = 'instruction' and a.finished_at < clock_timestamp() - interval '1 second'`.execute(
      gateway.db,
    );
    expect(rows).toHaveLength(1);
  }, 4_000);
  callbacks[0]?.writeHead(200).end();
  await vi.waitFor(() => expect(refusals).toBeGreaterThan(0), 10_000);
  expect((await evidence.decision(uetr))?.status).toBe('ACCC');
  await vi.waitFor(
    async () => {
      const { typedSearchAttributes, status } = await gateway.temporal.workflow
        .getHandle(paymentWorkflowId(uetr))
        .describe();
      expect(status.name).toBe('RUNNING');
      expect(typedSearchAttributes.get(searchAttributes.status)).toBe('ACCC');
    },
    { timeout: 10_000, interval: 250 },
  );
}, 60_000);
