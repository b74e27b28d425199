// POST /iso20022/pacs002 (PAY-8, PAY-9): who may report on a payment, what is refused and recorded, and what each
// report is answered with.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { paymentWorkflowId } from '../../contract/ids.ts';
import type { Pacs002 } from '../../core/iso20022/pacs002.ts';
import { distinct, evidenceOf, expectSoundMessages, textOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, parsePacs002, submit } from '../harness/payer.ts';
import { postReport, reportOn, undecided } from '../harness/reports.ts';
import { validTree } from '../xml/fixtures.ts';

const gateway = await testGateway();
const evidence = evidenceOf(gateway);

interface Posted {
  readonly status: number;
  readonly text: string;
  readonly code: unknown;
  readonly contradiction: string | null;
}

/** Posts a pacs.002 as an operator; null: without a token. */
async function post(xml: string, clientId?: string | null): Promise<Posted> {
  const response = await postReport(gateway, xml, clientId);
  const text = await response.text();
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json') === true;
  return {
    status: response.status,
    text,
    code: isProblem ? (JSON.parse(text) as { code: string }).code : undefined,
    contradiction: response.headers.get('isthmus-contradiction'),
  };
}

/** A payment that a silent destination has got, and the ids of the pacs.008 that it got. */
async function forwarded(): Promise<{ uetr: string; original: Pacs002['original'] }> {
  const { uetr } = await undecided(gateway);
  const { messageId = '' } = await evidence.arrival(uetr, 'destination', 'pacs008');
  return { uetr, original: { messageIdentification: messageId, messageNameId: 'pacs.008.001.13', uetr } };
}

async function securityEvents(uetr: string): Promise<readonly string[]> {
  const rows = await gateway.db
    .selectFrom('audit_events')
    .select(['kind', 'party', 'detail'])
    .where('subject_id', '=', uetr)
    .where('severity', '=', 'security')
    .execute();
  return rows.map(({ kind, party, detail }) => `${kind} ${party} ${JSON.stringify(detail)}`);
}

describe('a report is refused and recorded', () => {
  test('of a payment that nobody knows: 404', async () => {
    const uetr = randomUUID();
    const answer = await post(
      reportOn({ messageIdentification: 'M1', messageNameId: 'pacs.008.001.13', uetr }),
    );
    expect([answer.status, answer.code]).toEqual([404, 'unknown-payment']);
    expect(answer.text).toContain(`no payment ${uetr}`);
    expect(await securityEvents(uetr)).toEqual(['report.unknown-payment THBPPAY {"reported":"ACCC"}']);
  });

  test('of a payment that was rejected and never forwarded: 404', async () => {
    const message = instruction(await bestQuote(gateway), { purpose: 'ZZZZ' });
    await submit(gateway, message);
    const { uetr, messageIdentification } = message;
    const answer = await post(reportOn({ messageIdentification, messageNameId: 'pacs.008.001.13', uetr }));
    expect([answer.status, answer.code]).toEqual([404, 'unknown-payment']);
    expect((await evidence.decision(uetr))?.status).toBe('RJCT');
  });

  test.each(['MYRRPP', 'SGDFAST'])("from %s, which is not the payment's destination: 403", async (sender) => {
    const { uetr, original } = await forwarded();
    const answer = await post(reportOn(original), sender);
    expect([answer.status, answer.code]).toEqual([403, 'not-the-destination']);
    expect(answer.text).toContain(`${sender} is not the destination of ${uetr}`);
    expect(await securityEvents(uetr)).toEqual([`report.not-the-destination ${sender} {"reported":"ACCC"}`]);
    expect(await evidence.decision(uetr)).toBeUndefined();
  });

  test.each([
    ['OrgnlMsgId', { messageIdentification: 'SOMETHINGELSE' }],
    ['OrgnlMsgNmId', { messageNameId: 'pacs.008.001.12' }],
  ])('with an %s that is not ours: 409', async (name, change) => {
    const ofOurs = `the ${name.replace('Orgnl', '')} of the pacs.008 that you got from us`;
    const expected = name === 'OrgnlMsgNmId' ? 'pacs.008.001.13' : ofOurs;
    const { uetr, original } = await forwarded();
    const answer = await post(reportOn({ ...original, ...change }));
    expect([answer.status, answer.code]).toEqual([409, 'original-ids-differ']);
    expect(answer.text).toContain(
      `${name} must be ${expected}. This report does not count: send a correct one. If you have credited it, call the operators of the scheme.`,
    );
    expect(await securityEvents(uetr)).toEqual(['report.original-ids-differ THBPPAY {"reported":"ACCC"}']);
    expect(await evidence.decision(uetr)).toBeUndefined();
  });

  test('that is not valid: 422, and an event, once per fault: its destination may have credited', async () => {
    const { uetr, original } = await forwarded();
    const settled = reportOn(original).replace('<TxSts>ACCC<', '<TxSts>ACSC<'); // what most systems call credited
    const free = reportOn(original).replace('<TxSts>ACCC<', '<TxSts>Anna<');
    const undated = reportOn(original).replace('<CreDtTm>', '<CreDtTm>x');
    for (const [xml, rule, place] of [
      [free, 'MSG-4', 'TxInfAndSts/TxSts'],
      [settled, 'MSG-4', 'TxInfAndSts/TxSts'],
      [undated, 'MSG-4', 'GrpHdr/CreDtTm'],
    ] as const) {
      const answer = await post(xml);
      expect([answer.status, answer.code]).toEqual([422, 'message-invalid']);
      const { ruleId, detail, errors } = JSON.parse(answer.text) as {
        ruleId: string;
        detail: string;
        errors: readonly { xpath: string; detail: string }[];
      };
      expect(ruleId).toBe(rule);
      expect(detail).toContain(rule);
      expect(detail).toMatch(
        /\. This report does not count: send a correct one\. If you have credited it, call the operators of the scheme\.$/,
      );
      expect((await post(xml)).status).toBe(422);
      expect(errors).toEqual([
        { xpath: `/Document/FIToFIPmtStsRpt/${place}`, detail: expect.stringContaining(rule) as unknown },
      ]);
    }
    expect(await evidence.decision(uetr)).toBeUndefined();
    const events = await gateway.db
      .selectFrom('audit_events')
      .select(['severity', 'kind', 'party', 'detail'])
      .where('subject_id', '=', uetr)
      .orderBy('audit_event_id')
      .execute();
    const invalidReport = { severity: 'info', kind: 'report.invalid', party: 'THBPPAY' };
    expect(events).toEqual([
      { ...invalidReport, detail: { ruleId: 'MSG-4', reported: null } }, // nothing of the sender's text (SEC-3)
      { ...invalidReport, detail: { ruleId: 'MSG-4', reported: 'ACSC' } },
      { ...invalidReport, detail: { ruleId: 'MSG-4', reported: 'ACCC' } },
    ]);
  });
});

describe('a report is refused without further notice', () => {
  test('without a token: 401', async () => {
    const { original } = await forwarded();
    const answer = await post(reportOn(original), null);
    expect([answer.status, answer.code]).toEqual([401, 'unauthenticated']);
  });

  test.each(['LOTUTHS0', 'operator'])('from %s, which is no payment system: 403', async (clientId) => {
    const { uetr, original } = await forwarded();
    const answer = await post(reportOn(original), clientId);
    expect([answer.status, answer.code]).toEqual([403, 'forbidden']);
    expect(await evidence.decision(uetr)).toBeUndefined();
  });

  test.each([
    ['that is no message at all', () => '<Document/>'],
    ['without OrgnlUETR', (xml: string) => xml.replace(/<OrgnlUETR>.*<\/OrgnlUETR>/, '')],
  ])('%s: 400, which says that it does not count, and leaves nothing on record', async (_, changed) => {
    const { uetr, original } = await forwarded();
    const answer = await post(changed(reportOn(original)));
    expect([answer.status, answer.code]).toEqual([400, 'message-refused']);
    const { title, detail } = JSON.parse(answer.text) as { title: string; detail: string };
    expect(title).toBe('Message refused');
    expect(detail).toMatch(
      /\. This report does not count, and nothing of it is on record: send a correct one\. If you have credited it, call the operators of the scheme\.$/,
    );
    expect(await evidence.audit(uetr)).toEqual([]);
  });
});

describe('a report is taken', () => {
  test.each(['ACWP', 'ACTC'] as const)('interim %s: 202, stored, and nothing is decided', async (status) => {
    const { uetr, original } = await forwarded();
    const answer = await post(reportOn(original, { status }));
    expect([answer.status, answer.text]).toEqual([202, '']);
    expect(await evidence.decision(uetr)).toBeUndefined();
    const stored = await gateway.db
      .selectFrom('messages')
      .select('status')
      .where('subject_id', '=', uetr)
      .where('direction', '=', 'in')
      .where('message_type', '=', 'pacs002')
      .execute();
    expect(stored).toEqual([{ status }]);
  });

  test.each([
    ['ACCC', undefined],
    ['RJCT', 'AC04'],
    ['BLCK', undefined],
  ] as const)(
    'final %s: a confirmation of the decision, which the source is told',
    async (status, reasonCode) => {
      const { uetr, original } = await forwarded();
      const answer = await post(reportOn(original, { status, ...(reasonCode && { reasonCode }) }));
      expect(answer.status).toBe(200);
      await validTree('pacs002', answer.text);
      const confirmation = parsePacs002(answer.text);
      expect([confirmation.status, confirmation.reasonCode]).toEqual([status, reasonCode]);
      expect(confirmation.original).toMatchObject({
        messageIdentification: original.messageIdentification,
        uetr,
      });
      // the confirmation goes the way that our pacs.008 went: agents as in that message (PAY-9)
      expect(confirmation.instructingAgent?.bicfi).toBe('HARBTHS0');
      expect(confirmation.instructedAgent?.bicfi).toBe('LOTUTHS0');
      expect((await evidence.arrival(uetr, 'source', 'pacs002')).status).toBe(status);
      await evidence.closed(uetr);
      expect(evidence.received(uetr, 'destination', 'pacs002')).toEqual([]);
      expect(evidence.received(uetr, 'fxp', 'fxtr017')).toHaveLength(status === 'ACCC' ? 1 : 0);
    },
  );

  test('although a cancellation of the execution was asked for: the payment goes on (LIF-3)', async () => {
    const { uetr, original } = await forwarded();
    await gateway.temporal.workflow.getHandle(paymentWorkflowId(uetr)).cancel();
    expect((await post(reportOn(original))).status).toBe(200);
    await evidence.arrival(uetr, 'source', 'pacs002', 'ACCC');
    await evidence.closed(uetr);
  });

  test('twenty times at once: one decision, one callback, the same confirmation each time', async () => {
    const { uetr, original } = await forwarded();
    const xml = reportOn(original);
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(xml)));
    expect(new Set(answers.map((one) => `${one.status} ${one.text}`)).size).toBe(1);
    await evidence.closed(uetr);
    expect(evidence.received(uetr, 'source', 'pacs002')).toHaveLength(1);
    expect(await evidence.audit(uetr)).toEqual([]);
  });

  test('two finals that differ, at once: one stands, both answers state it, the other is a contradiction (PAY-7)', async () => {
    const { uetr, original } = await forwarded();
    const [one, other] = await Promise.all([
      post(reportOn(original)),
      post(reportOn(original, { status: 'RJCT', reasonCode: 'AC04' })),
    ]);
    expect([one.status, one.text]).toEqual([200, other.text]);
    const callback = await evidence.arrival(uetr, 'source', 'pacs002');
    await evidence.closed(uetr);
    expect(parsePacs002(one.text).status).toBe(parsePacs002(textOf(callback)).status);
    expect(distinct(evidence.received(uetr, 'source', 'pacs002'))).toBe(1);
    expect(await evidence.audit(uetr)).toEqual(['payment.contradiction']);
  });

  test('long after the payment has closed: the same confirmation; RJCT after ACCC is a contradiction', async () => {
    const { uetr, original } = await forwarded();
    const first = await post(reportOn(original));
    await evidence.closed(uetr);
    expect((await post(reportOn(original))).text).toBe(first.text);
    expect(await evidence.audit(uetr)).toEqual([]);
    const late = await post(reportOn(original, { status: 'RJCT', reasonCode: 'AC04' }));
    expect([late.status, late.text]).toEqual([200, first.text]);
    expect([first, late].map(({ contradiction }) => contradiction)).toEqual([
      null,
      'PAY-7 the final status of this payment is ACCC; your RJCT changes nothing, and an operator is told',
    ]);
    expect(await evidence.audit(uetr)).toEqual(['payment.contradiction']);
    expect((await evidence.decision(uetr))?.status).toBe('ACCC');
  });
});

describe('a confirmation that was given up', () => {
  /** A payment with its final status, whose confirmation nobody could deliver. */
  async function givenUp() {
    const { uetr, original } = await forwarded();
    gateway.reported.push(uetr);
    const { text } = await post(reportOn(original));
    await evidence.closed(uetr);
    await sql`
      insert into deliveries (delivery_id, subject_id, begun_at, kind, message_id, party, attempts, closed_at, closed_reason)
      select ${randomUUID()}, uetr, begun_at, 'confirmation', confirmation_message_id, 'THBPPAY', 1, now(), 'gone'
      from decisions where uetr = ${uetr}`.execute(gateway.db);
    return { uetr, original, confirmation: text };
  }
  const standing = (uetr: string) =>
    gateway.db
      .selectFrom('deliveries')
      .select(['delivered_at', 'closed_reason', 'asks'])
      .where('subject_id', '=', uetr)
      .where('kind', '=', 'confirmation')
      .executeTakeFirstOrThrow();

  test('is delivered again once its destination posts a final: it is no dead letter any longer, and an event says why (PAY-9, CBK-1)', async () => {
    const { uetr, original, confirmation } = await givenUp();
    const final = reportOn(original);
    expect((await post(final)).text).toBe(confirmation);
    expect(textOf(await evidence.arrival(uetr, 'destination', 'pacs002'))).toBe(confirmation);
    await expect.poll(() => standing(uetr)).toMatchObject({ delivered_at: expect.any(Date) as Date });
    expect(await evidence.audit(uetr)).toEqual(['confirmation.asked-again']);
    const { asks } = await standing(uetr);
    expect((await post(final)).status).toBe(200);
    expect(await standing(uetr), 'one that was taken is left alone').toMatchObject({ asks });
    expect(await evidence.audit(uetr)).toEqual(['confirmation.asked-again']);
  });

  test('stays a dead letter where nobody but another posts (PAY-8, CBK-1)', async () => {
    const { uetr, original } = await givenUp();
    expect((await post(reportOn(original), 'MYRRPP')).status).toBe(403);
    expect((await post(reportOn({ ...original, messageIdentification: 'OTHER' }))).status).toBe(409);
    expect((await post(reportOn(original, { status: 'ACWP' }))).status).toBe(202);
    expect(await standing(uetr)).toMatchObject({ delivered_at: null, closed_reason: 'gone' });
  });
});

test('every message that any party saw is valid, and no party saw a rule broken (MSG-3)', () =>
  expectSoundMessages(gateway));
