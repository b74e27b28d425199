// One source repeats payments that were rejected: each repeat is answered from the record, and what they start in the
// engine is bounded, however many they are (DUP-1, SEC-7).
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { buildPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { testGateway } from '../harness/gateway.ts';
import { bestQuote, inTurn, submitXml } from '../harness/payer.ts';

const gateway = await testGateway({ settings: { MESSAGES_PER_MINUTE: '0' } });

/** How often callbacks were asked for again. */
async function askedAgain(): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select coalesce(sum(asks - 1), 0)::int as n from deliveries where kind = 'callback'`.execute(gateway.db);
  return rows[0]?.n ?? 0;
}

const quote = await bestQuote(gateway);
const rejected = () => buildPacs008({ ...instruction(quote), purpose: 'ZZZZ' });

test('twenty repeats of a rejected payment at once ask for its callback once, and all get the same answer (DUP-1)', async () => {
  const xml = rejected();
  const first = await submitXml(gateway, xml);
  expect(first.report?.status).toBe('RJCT');
  const before = await askedAgain();
  const repeats = await Promise.all(Array.from({ length: 20 }, () => submitXml(gateway, xml)));
  expect(new Set(repeats.map(({ text }) => text))).toEqual(new Set([first.text]));
  expect((await askedAgain()) - before).toBe(1);
});

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
}, 120_000);
