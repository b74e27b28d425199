// What a destination says of a payment in a test: the pacs.002, and its way to the gateway.
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { expect } from 'vitest';
import type { OriginalPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { messages } from '../../core/iso20022/messages.ts';
import { buildPacs002, type Pacs002 } from '../../core/iso20022/pacs002.ts';
import type { Db } from '../../db/pool/connection.ts';
import { loadDecidable } from '../../db/payments/decisions.ts';
import { takeReport } from '../../db/payments/reports.ts';
import { ok } from '../../core/result.ts';
import { endingIn } from '../../fixtures/endings.ts';
import { evidenceOf } from './evidence.ts';
import type { TestGateway } from './gateway.ts';
import { instruction, newMessageId, type Changes } from '../../fixtures/instruction.ts';
import { bestQuote, inTurn, submit } from './payer.ts';
import { eventually } from './wait.ts';

/** Of the pacs.008 that the destination got; what names it at least. */
export type Reported = Pick<Pacs002['original'], 'messageIdentification' | 'uetr'> &
  Partial<Pacs002['original']>;

/** The destination's word on an instruction: ACCC, unless `values` say otherwise. */
export function reportOn(original: Reported, values: Partial<Pacs002> = {}): string {
  return buildPacs002({
    messageIdentification: newMessageId(''),
    creationDateTime: new Date().toISOString(),
    status: 'ACCC',
    ...values,
    original: { messageNameId: messages.pacs008.identifier, ...original, ...values.original },
  });
}

/**
 * Takes in the destination's word on a payment as the api does, and brings it to nobody.
 * @returns the id of its row
 */
export async function storeReport(db: Db, uetr: string, said: Partial<Pacs002> = {}): Promise<string> {
  const payment = await loadDecidable(db, uetr, null);
  const { original } = payment.destinationReferences;
  const values: Pacs002 = {
    messageIdentification: newMessageId(''),
    creationDateTime: new Date().toISOString(),
    status: 'ACCC',
    ...said,
    original,
  };
  const body = Buffer.from(buildPacs002(values));
  const party = payment.destinationSystem;
  await takeReport(db, payment, { reading: ok(values), body, party, inReplyTo: null });
  const { message_id: messageId } = await db
    .selectFrom('messages')
    .select('message_id')
    .where('sha256', '=', createHash('sha256').update(body).digest())
    .executeTakeFirstOrThrow();
  return messageId;
}

/** Posts a pacs.002 as an operator; null: without a token. */
export async function postReport(
  gateway: TestGateway,
  xml: string,
  clientId: string | null = 'THBPPAY',
): Promise<Response> {
  const authorization = clientId === null ? {} : { authorization: `Bearer ${await gateway.token(clientId)}` };
  return fetch(`${gateway.url}/iso20022/pacs002`, {
    method: 'POST',
    headers: { 'content-type': 'application/xml', ...authorization },
    body: xml,
  });
}

/** A payment from SG to TH that its destination has got and says nothing of. */
export async function undecided(gateway: TestGateway, changes: Changes = {}): Promise<OriginalPacs008> {
  const message = instruction(await bestQuote(gateway), { ending: endingIn.silent, ...changes });
  const { report, text } = await inTurn(() => submit(gateway, message));
  expect(report?.status, text).toBe('ACTC');
  await evidenceOf(gateway).arrival(message.uetr, 'destination', 'pacs008');
  return message;
}

/** Posts the destination's ACCC on the instruction that it got, by default Thailand's; answers the HTTP status. */
export async function reportFinal(gateway: TestGateway, uetr: string, clientId?: string): Promise<number> {
  gateway.reported.push(uetr);
  const { messageId = '' } = await evidenceOf(gateway).arrival(uetr, 'destination', 'pacs008');
  return (await postReport(gateway, reportOn({ messageIdentification: messageId, uetr }), clientId)).status;
}

/** Waits until no send of the instruction is under way: it might arrive after people recorded that it did not (LIF-4). */
export async function sendsEnded({ db }: Pick<TestGateway, 'db'>, uetr: string): Promise<void> {
  await eventually(async () => {
    const { rows } = await sql`
      select from deliveries join delivery_attempts using (delivery_id)
      where subject_id = ${uetr}::uuid and kind = 'instruction' and finished_at is null`.execute(db);
    expect(rows, 'that has an end').toEqual([]);
  });
}

/**
 * Waits until the execution of a payment must have heard how its last send ended: what is asked from then on is a send
 * of its own.
 */
export async function heard({ db }: TestGateway, uetr: string): Promise<void> {
  await eventually(async () => {
    const { rows } = await sql<{ isHeard: boolean | null }>`
      select bool_and(a.finished_at < clock_timestamp() - interval '1.1 seconds') as "isHeard"
      from deliveries d join delivery_attempts a using (delivery_id)
      where d.subject_id = ${uetr} and d.kind = 'instruction'`.execute(db);
    expect(rows).toEqual([{ isHeard: true }]);
  });
}
