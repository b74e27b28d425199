// Repeats and duplicates: the same message again is an enquiry, and other content under its ids is refused.
// Simultaneous submissions make one payment.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { buildPacs008, type OriginalPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { paymentWorkflowId, updates, type SubmitArguments, type SubmitResult } from '../../contract/ids.ts';
import { distinct, evidenceOf, expectSoundMessages, textOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { endingIn, type Ending } from '../../fixtures/endings.ts';
import { instruction, newMessageId, type Changes } from '../../fixtures/instruction.ts';
import { bestQuote, submit, submitXml, type Submitted } from '../harness/payer.ts';
import { heard } from '../harness/reports.ts';
import { eventually, untilPast } from '../harness/wait.ts';

const gateway = await testGateway();
const evidence = evidenceOf(gateway);
const { db } = gateway;

const told = (answer: Submitted) => {
  const { status, reasonCode } = answer.report ?? {};
  return reasonCode === undefined ? status : `${status} ${reasonCode}`;
};

async function valid(changes: Changes = {}): Promise<OriginalPacs008> {
  return instruction(await bestQuote(gateway), changes);
}

/** A decided payment, with the text of its callback. */
async function ended(ending: Ending): Promise<{ message: OriginalPacs008; final: string }> {
  const message = await valid({ ending });
  expect(told(await submit(gateway, message))).toBe('ACTC');
  await evidence.closed(message.uetr);
  return { message, final: textOf(await evidence.arrival(message.uetr, 'source', 'pacs002')) };
}

/** Waits until the execution has no send under way. */
async function sent(uetr: string): Promise<void> {
  const execution = gateway.temporal.workflow.getHandle(paymentWorkflowId(uetr));
  await eventually(async () => {
    const { raw } = await execution.describe();
    expect(raw.pendingActivities ?? []).toEqual([]);
  });
}

async function openDeliveries(uetr: string): Promise<number> {
  const rows = await db
    .selectFrom('deliveries')
    .select('delivery_id')
    .where('subject_id', '=', uetr)
    .where('kind', '<>', 'instruction')
    .where('delivered_at', 'is', null)
    .execute();
  return rows.length;
}

const callbacks = (uetr: string) => evidence.received(uetr, 'source', 'pacs002');
const instructions = (uetr: string) => evidence.received(uetr, 'destination', 'pacs008');

describe('the same message again (DUP-1)', () => {
  /** A payment whose source waits for its final status; its submission can reach the execution once more. */
  async function silentlyPaid() {
    const message = await valid({ ending: endingIn.silent });
    await submit(gateway, message);
    await evidence.arrival(message.uetr, 'destination', 'pacs008');
    await heard(gateway, message.uetr);
    await sent(message.uetr); // an enquiry during a send joins that send
    const { messageId } = await db
      .selectFrom('payments')
      .select('message_id as messageId')
      .where('uetr', '=', message.uetr)
      .executeTakeFirstOrThrow();
    const execution = gateway.temporal.workflow.getHandle(paymentWorkflowId(message.uetr));
    const arriveLate = () =>
      execution.executeUpdate<SubmitResult, SubmitArguments>(updates.submit, { args: [{ messageId }] });
    return { uetr: message.uetr, arriveLate };
  }

  test('one that reaches the execution late, and was judged meanwhile, asks for nothing', async () => {
    const { uetr, arriveLate } = await silentlyPaid();
    await arriveLate();
    await untilPast(2_000);
    expect(instructions(uetr)).toHaveLength(1);
  });

  test('one that reaches the execution late, when the record says that an enquiry is owed, has it sent', async () => {
    const { uetr, arriveLate } = await silentlyPaid();
    await sql`
      update deliveries set enquiry_asked_at = clock_timestamp(), enquiry_owed_since = clock_timestamp()
      where subject_id = ${uetr} and kind = 'instruction'`.execute(db);
    await arriveLate();
    await eventually(() => expect(instructions(uetr)).toHaveLength(2));
  });

  test('before the final: ACTC in the same bytes, and the stored instruction goes once more', async () => {
    const message = await valid({ ending: endingIn.silent });
    const first = await submit(gateway, message);
    await evidence.arrival(message.uetr, 'destination', 'pacs008');
    await sent(message.uetr); // an enquiry during a send joins that send
    const second = await submit(gateway, message);
    expect([told(first), second.text]).toEqual(['ACTC', first.text]);
    await eventually(() => expect(instructions(message.uetr)).toHaveLength(2));
    expect(distinct(instructions(message.uetr))).toBe(1);
    expect(callbacks(message.uetr)).toEqual([]);
  });

  test('before the final, with Prefer: wait: the final, once the destination has said it (PAY-1)', async () => {
    const message = await valid({ ending: endingIn.interim });
    await submit(gateway, message);
    const enquiry = await submit(gateway, message, { prefer: 'wait=20' });
    expect(told(enquiry)).toBe('ACCC');
    expect(textOf(await evidence.arrival(message.uetr, 'source', 'pacs002'))).toBe(enquiry.text);
  });

  test.each([endingIn.creditedAtOnce, endingIn.rejected])(
    'after the final (%s): the stored pacs.002 in the answer and, again, at the callback',
    async (ending) => {
      const { message, final } = await ended(ending);
      const enquiry = await submit(gateway, message);
      expect(enquiry.text).toBe(final);
      await eventually(() => expect(callbacks(message.uetr)).toHaveLength(2));
      expect(distinct(callbacks(message.uetr))).toBe(1);
      expect(instructions(message.uetr)).toHaveLength(1);
    },
  );

  test('after a rejection of the gateway: the stored RJCT, at the callback too; nothing is judged anew', async () => {
    const message = await valid({ interbankSettlementAmount: { currency: 'SGD', amount: '999' } });
    const first = await submit(gateway, message);
    await evidence.closed(message.uetr);
    const second = await submit(gateway, message);
    expect([told(first), second.text]).toEqual(['RJCT AM09', first.text]);
    await eventually(() => expect(callbacks(message.uetr)).toHaveLength(2));
    expect(distinct(callbacks(message.uetr))).toBe(1);
  });

  test('any number of times after the final: every callback that was asked for is delivered in the end', async () => {
    const { message, final } = await ended(endingIn.creditedAtOnce);
    for (let round = 0; round < 12; round += 1) {
      expect((await submit(gateway, message)).text).toBe(final);
    }
    await eventually(async () => expect(await openDeliveries(message.uetr)).toBe(0));
    expect(distinct(callbacks(message.uetr))).toBe(1);
  });
});

describe('keys of a payment in another message (DUP-2): told in the answer only, the payment untouched', () => {
  test('the same UETR under another MsgId while the payment runs is DUPL, and the payment goes on', async () => {
    const message = await valid({ ending: endingIn.interim });
    await submit(gateway, message);
    expect(told(await submit(gateway, { ...message, messageIdentification: newMessageId() }))).toBe(
      'RJCT DUPL',
    );
    expect((await evidence.arrival(message.uetr, 'source', 'pacs002')).status).toBe('ACCC');
  });

  test('other content under the same keys is DUPL and a security event; asked again, the same answer', async () => {
    const { message, final } = await ended(endingIn.creditedAtOnce);
    const changed = { ...message, creditorAccount: { otherId: '6660000001' } };
    const refusal = await submit(gateway, changed);
    expect(told(refusal)).toBe('RJCT DUPL');
    expect(refusal.headers.get('isthmus-rejection')).toMatch(/^DUP-2 CdtTrfTxInf\/PmtId\/UETR: /);
    expect((await submit(gateway, changed)).text).toBe(refusal.text);
    expect(await evidence.audit(message.uetr)).toEqual(['payment.content-changed']);
    expect((await submit(gateway, message)).text).toBe(final);
    expect(distinct(instructions(message.uetr))).toBe(1);
  });

  test('a broken copy of a payment is told its fault, and that the first message stands; with its MsgId it is a security event (DUP-2, PAY-3)', async () => {
    const { message, final } = await ended(endingIn.creditedAtOnce);
    const broken = { ...message, purpose: 'ZZZZ' };
    for (const [copy, events] of [
      [{ ...broken, messageIdentification: newMessageId() }, []],
      [broken, ['payment.content-changed']],
    ] as const) {
      const refusal = await submit(gateway, copy);
      expect(told(refusal)).toBe('RJCT FF01');
      const [fault, standing, ...others] = refusal.report?.additionalInformation ?? [];
      expect(fault).toContain('CdtTrfTxInf/Purp/Cd');
      expect([standing, others]).toEqual([expect.stringMatching(/^DUP-2 .*the first message stands/), []]);
      expect(refusal.headers.get('isthmus-rejection')).toMatch(/^MSG-4 .*the first message stands/);
      expect(await evidence.audit(message.uetr)).toEqual(events);
    }
    expect((await submit(gateway, message)).text).toBe(final);
    const foreign = await submit(gateway, broken, { clientId: 'MYRRPP' });
    expect(foreign.text).not.toContain('stands'); // another operator does not learn of the first message
    expect(await evidence.audit(message.uetr), 'told its own fault alone').toEqual([
      'payment.content-changed',
    ]);
  });

  test("another operator with the same bytes learns nothing of the payment's status", async () => {
    const { message } = await ended(endingIn.creditedAtOnce);
    const foreign = await submit(gateway, message, { clientId: 'MYRRPP' });
    expect(foreign.report?.status).toBe('RJCT');
    expect(foreign.report?.reasonCode).not.toBe('ACCC');
    expect(callbacks(message.uetr)).toHaveLength(1);
  });

  test('a UETR that another operator used first is told as that, and whoever used it is named to a person', async () => {
    const message = await valid();
    const theirs = await submit(gateway, message, { clientId: 'MYRRPP' });
    expect(told(theirs)).toBe('RJCT AGNT'); // refused, but the UETR is used from now on
    const ours = await submit(gateway, message);
    expect(told(ours)).toBe('RJCT DUPL');
    expect(ours.text).toContain('UETR used by another sender; this message made no payment');
    const explained = ours.headers.get('isthmus-rejection');
    expect(explained).toMatch(/Expected: a new UETR/);
    expect(explained).not.toMatch(/same bytes|first (one|message) stands|already sent/);
    expect(await evidence.audit(message.uetr)).toEqual(['payment.uetr-of-another']);
    expect(told(await submit(gateway, { ...message, uetr: randomUUID() }))).toBe('ACTC');
  });

  test('the same MsgId with another UETR is DU01; no payment of that UETR comes to be', async () => {
    const { message } = await ended(endingIn.creditedAtOnce);
    const other = await valid({ messageIdentification: message.messageIdentification });
    expect(told(await submit(gateway, other))).toBe('RJCT DU01');
    await evidence.closed(other.uetr);
    expect([evidence.entries(other.uetr), await evidence.decision(other.uetr)]).toEqual([[], undefined]);
    const corrected = await submit(gateway, { ...other, messageIdentification: newMessageId() });
    expect(told(corrected)).toBe('ACTC');
  });
});

describe('at the same time (DUP-3)', () => {
  test('20 identical submissions: equal answers, one payment, one instruction, one callback text', async () => {
    const message = await valid({ ending: endingIn.creditedAtOnce });
    const xml = buildPacs008(message);
    const answers = await Promise.all(Array.from({ length: 20 }, () => submitXml(gateway, xml)));
    const first = new Set(answers.filter((one) => told(one) === 'ACTC').map((one) => one.text));
    const last = new Set(answers.filter((one) => told(one) === 'ACCC').map((one) => one.text));
    expect(answers.map(told).filter((one) => one !== 'ACTC' && one !== 'ACCC')).toEqual([]);
    expect(first.size).toBeLessThanOrEqual(1);
    await evidence.closed(message.uetr);
    expect(distinct(instructions(message.uetr))).toBe(1);
    expect(distinct(callbacks(message.uetr))).toBe(1);
    for (const final of last) expect(final).toBe(textOf(callbacks(message.uetr)[0]!));
    expect(distinct(evidence.received(message.uetr, 'fxp', 'fxtr017'))).toBe(1);
    expect(evidence.entries(message.uetr).filter((one) => one.status === 'moved')).toHaveLength(1);
  });

  test('two messages with one UETR: exactly one is accepted, the other is DUPL', async () => {
    const one = await valid();
    const other = await valid({ uetr: one.uetr });
    const answers = await Promise.all([submit(gateway, one), submit(gateway, other)]);
    expect(answers.map(told).sort()).toEqual(['ACTC', 'RJCT DUPL']);
    expect((await evidence.arrival(one.uetr, 'source', 'pacs002')).status).toBe('ACCC');
    expect(distinct(instructions(one.uetr))).toBe(1);
  });

  test('two payments with one MsgId: exactly one is accepted, the other is DU01', async () => {
    const one = await valid();
    const other = await valid({ messageIdentification: one.messageIdentification });
    const answers = await Promise.all([submit(gateway, one), submit(gateway, other)]);
    expect(answers.map(told).sort()).toEqual(['ACTC', 'RJCT DU01']);
  });

  test('ten payments with one quote: exactly one is accepted, the others are AB04 (QUO-8)', async () => {
    const quote = await bestQuote(gateway);
    const messages = Array.from({ length: 10 }, () => instruction(quote));
    const answers = await Promise.all(messages.map((message) => submit(gateway, message)));
    expect(answers.map(told).sort()).toEqual(['ACTC', ...Array.from({ length: 9 }, () => 'RJCT AB04')]);
    const accepted = messages[answers.findIndex((one) => told(one) === 'ACTC')];
    expect(await evidence.quoteHolder(quote.quoteId)).toBe(accepted?.uetr);
  });
});

test('every message that any party saw is valid, and no party saw a rule broken (MSG-3)', () =>
  expectSoundMessages(gateway));
