// One source repeats decided payments. Each repeat is answered from the record, and the callbacks that repeats
// cause are bounded.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { buildPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { resolutionWorkflowId } from '../../contract/ids.ts';
import { buildAcmt023 } from '../../fixtures/acmt023.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { fromTheOther, other } from '../harness/another-payer.ts';
import { askXml, resolutionEvidence, proxyRequest } from '../harness/asker.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { bestQuote, inTurn, submit, submitXml } from '../harness/payer.ts';
import { problemTexts } from '../harness/problem-texts.ts';

const gateway = await testGateway({ settings: { MESSAGES_PER_MINUTE: '0' } });

/** How often callbacks were asked for again. */
async function askedAgain(): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select coalesce(sum(asks - 1), 0)::int as n from deliveries where kind = 'callback'`.execute(gateway.db);
  return rows[0]?.n ?? 0;
}

const quote = await bestQuote(gateway);
const rejected = () => buildPacs008({ ...instruction(quote), purpose: 'ZZZZ' });

test('repeats of a hundred and fifty rejected payments are answered, and at most 60 callbacks are asked for again in a minute (DUP-1, SEC-7)', async () => {
  const xmls = Array.from({ length: 150 }, rejected);
  const send = (xml: string) => inTurn(() => submitXml(gateway, xml));
  const firsts = await Promise.all(xmls.map(send));
  expect(new Set(firsts.map(({ report }) => report?.status))).toEqual(new Set(['RJCT']));
  const before = await askedAgain();
  const beganIn = Math.floor(Date.now() / 60_000);
  const again = await Promise.all(xmls.map(send));
  const minutes = Math.floor(Date.now() / 60_000) - beganIn + 1;
  expect(again.map(({ text }) => text)).toEqual(firsts.map(({ text }) => text));
  expect((await askedAgain()) - before).toBeGreaterThan(0);
  expect((await askedAgain()) - before).toBeLessThanOrEqual(60 * minutes);
});

test('while one system repeats decided payments without an end, the HIGH payment of another is credited (SEC-7, OVL-2)', async () => {
  const xmls = Array.from({ length: 20 }, rejected);
  await Promise.all(xmls.map((xml) => inTurn(() => submitXml(gateway, xml))));
  const payment = { ...(await fromTheOther(gateway)), priority: 'HIGH' as const };
  let isOn = true;
  let repeats = 0;
  const flood = xmls.map(async (xml) => {
    while (isOn) {
      await submitXml(gateway, xml);
      repeats += 1;
    }
  });
  await expect.poll(() => repeats, { interval: 5 }).toBeGreaterThan(40);
  expect((await submit(gateway, payment, { clientId: other })).report?.status).toBe('ACTC');
  const final = await evidenceOf(gateway).arrival(payment.uetr, 'source', 'pacs002');
  isOn = false;
  await Promise.all(flood);
  expect(final.status).toBe('ACCC');
});

test('repeats of a question that nobody has answered yet wait for its answer, ask the directory no more, and fill no history (DUP-1, OVL-2)', async () => {
  const request = proxyRequest('+66839900408');
  const xml = buildAcmt023(request);
  const first = askXml(gateway, xml);
  await expect
    .poll(async () => (await resolutionEvidence(gateway).row(request.messageIdentification)) !== undefined)
    .toBe(true);
  const repeats = await Promise.all(Array.from({ length: 60 }, () => inTurn(() => askXml(gateway, xml))));
  const { text, answer } = await first;
  expect(answer?.reasonCode).toBe('AB08');
  expect(new Set(repeats.map((one) => `${one.httpStatus} ${one.text}`))).toEqual(new Set([`200 ${text}`]));
  expect(resolutionEvidence(gateway).about('+66839900408', 'acmt023')).toHaveLength(1);
  const id = resolutionWorkflowId('SGDFAST', request.messageIdentification);
  const { events } = await gateway.temporal.workflow.getHandle(id).fetchHistory();
  const updates = events?.filter((one) => one.workflowExecutionUpdateAcceptedEventAttributes) ?? [];
  expect(updates.length).toBeLessThan(8);
});

test('who changes the callback address of a payment a hundred times is told to stop, and an operator hears of it (DUP-1, OVL-2)', async () => {
  const xml = rejected();
  const address = (nth: number) => `${gateway.sandbox.callbackUrl('SGDFAST')}?n=${nth}`;
  const send = (nth: number) => inTurn(() => submitXml(gateway, xml, { callbackUrl: address(nth) }));
  for (let nth = 0; nth <= 100; nth += 1) expect((await send(nth)).httpStatus).toBe(200);
  const refused = await send(101);
  expect([refused.httpStatus, JSON.parse(refused.text)]).toEqual([
    422,
    expect.objectContaining({
      code: 'callback-address-changed',
      ruleId: 'OVL-2',
      detail: problemTexts['callback-address-changed'].told,
    }),
  ]);
  expect((await send(100)).httpStatus).toBe(200);
  const { rows } = await sql`
    select party from audit_events where kind = 'party.at-limit' and detail ->> 'limit' = 'callback-addresses'`.execute(
    gateway.db,
  );
  expect(rows).toEqual([{ party: 'SGDFAST' }]);
});
