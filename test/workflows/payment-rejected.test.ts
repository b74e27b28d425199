// The reasons for which the gateway rejects a payment, one row each: a valid instruction, one change, and the
// answer to the source. The callback has the same bytes, and nothing else is sent.
import { describe, expect, test } from 'vitest';
import { buildPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { evidenceOf, expectSoundMessages, textOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { cut } from '../harness/patches.ts';
import { bestQuote, submitXml } from '../harness/payer.ts';
import { form, type Row } from './rejected-form.ts';
import { agents, ownExchanges, quotes, times } from './rejected-terms.ts';

const gateway = await testGateway();
const evidence = evidenceOf(gateway);

async function expectRejected(row: Row): Promise<void> {
  const quote = await bestQuote(gateway, row.trip);
  await row.before?.(gateway, quote);
  const holder = await evidence.quoteHolder(quote.quoteId);
  const valid = instruction(quote);
  const message = { ...valid, ...row.change?.(quote, valid) };
  const xml = buildPacs008(message);
  const answer = await submitXml(gateway, row.edit?.(xml) ?? xml);
  const { uetr } = message;
  expect(answer.httpStatus, answer.text).toBe(200);
  const { status, reasonCode, additionalInformation = [], original } = answer.report ?? {};
  expect([status, reasonCode]).toEqual(['RJCT', row.code]);
  expect(additionalInformation).toEqual([expect.stringContaining(row.told)]);
  expect(additionalInformation[0]?.startsWith(row.told)).toBe(true);
  expect([original?.messageIdentification, original?.uetr]).toEqual([message.messageIdentification, uetr]);
  await evidence.closed(uetr);
  expect(evidence.entries(uetr).map((entry) => `${entry.party} ${entry.kind}`)).toEqual([
    'source/SGDFAST pacs002',
  ]);
  expect(textOf(await evidence.arrival(uetr, 'source', 'pacs002'))).toBe(answer.text);
  const [ruleId] = row.told.split(' ');
  expect(await evidence.decision(uetr)).toMatchObject({
    status: 'RJCT',
    reason_code: row.code,
    rule_id: ruleId,
    decided_by: 'gateway',
  });
  expect(await evidence.quoteHolder(quote.quoteId)).toBe(holder);
}

const tables = { form, times, agents, quotes, ownExchanges };

for (const [name, rows] of Object.entries(tables)) {
  describe.concurrent(`rejected: ${name}`, () => {
    for (const row of rows) test(`${row.code}: ${row.title}`, () => expectRejected(row));
  });
}

describe('a rejection spends nothing', () => {
  test('the same quote serves a corrected instruction, whose rate may be written otherwise (QUO-8, PAY-4)', async () => {
    const quote = await bestQuote(gateway);
    const wrong = instruction(quote, { interbankSettlementAmount: { currency: 'SGD', amount: '999' } });
    expect((await submitXml(gateway, buildPacs008(wrong))).report?.status).toBe('RJCT');
    const right = instruction(quote);
    const xml = buildPacs008(right).replace('Rate>25<', 'Rate>25.000<').replace('>1000<', '>1000.00<');
    expect((await submitXml(gateway, xml)).report?.status).toBe('ACTC');
    expect(await evidence.quoteHolder(quote.quoteId)).toBe(right.uetr);
    await evidence.arrival(right.uetr, 'source', 'pacs002', 'ACCC');
  });
});

describe('what has no payment to answer for (MSG-2)', () => {
  test.each([
    ['without UETR', cut(/<UETR>.*<\/UETR>/)],
    ['without MsgId', cut(/<MsgId>.*<\/MsgId>/)],
  ])('a message %s is HTTP 400; nothing is stored or started', async (_, edit) => {
    const message = instruction(await bestQuote(gateway));
    const answer = await submitXml(gateway, edit(buildPacs008(message)));
    expect([answer.httpStatus, answer.headers.get('content-type')]).toEqual([
      400,
      'application/problem+json',
    ]);
    const stored = await gateway.db
      .selectFrom('messages')
      .select('message_id')
      .where('message_identification', '=', message.messageIdentification)
      .execute();
    expect(stored).toEqual([]);
  });

  test('a callback address that is not registered is HTTP 422, before anything is stored (PAY-3, SEC-2)', async () => {
    const message = instruction(await bestQuote(gateway));
    const callbackUrl = 'https://elsewhere.example/pacs002';
    const answer = await submitXml(gateway, buildPacs008(message), { callbackUrl });
    expect(answer.httpStatus).toBe(422);
    expect(JSON.parse(answer.text)).toMatchObject({ code: 'callback-address-refused', ruleId: 'SEC-2' });
    expect(await evidence.decision(message.uetr)).toBeUndefined();
  });
});

test('every message that any party saw is valid, and no party saw a rule broken (MSG-3)', () =>
  expectSoundMessages(gateway));
