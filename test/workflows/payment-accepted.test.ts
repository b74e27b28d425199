// The way of an accepted payment on real parts: both ways in which a destination answers, in-memory and replayed.
import { describe, expect, test } from 'vitest';
import { testGateway } from '../harness/gateway.ts';
import { bestQuote, instruction, parsePacs002, submit } from '../harness/payer.ts';

const gateway = await testGateway();
const { journal } = gateway.sandbox;

const of =
  (uetr: string, party: string, kind: string) =>
  (entry: { party: string; kind: string; uetr?: string; direction: string }) =>
    entry.uetr === uetr &&
    entry.party.startsWith(party) &&
    entry.kind === kind &&
    entry.direction === 'received';

describe('a payment whose destination answers at once', () => {
  test('is ACTC, then ACCC at the callback, confirmed to the destination and told to the FX provider', async () => {
    const quote = await bestQuote(gateway);
    const message = instruction(quote, { account: '5550000001' });
    const answer = await submit(gateway, message);
    expect([answer.httpStatus, answer.report?.status, answer.text]).toEqual([
      200,
      'ACTC',
      expect.any(String),
    ]);
    const callback = await journal.waitFor(of(message.uetr, 'source/', 'pacs002'), 10_000);
    expect(parsePacs002(callback.bytes!).status).toBe('ACCC');
    await journal.waitFor(of(message.uetr, 'destination/', 'pacs002'), 10_000);
    await journal.waitFor(of(message.uetr, 'fxp/', 'fxtr017'), 10_000);
    expect(journal.entries().filter(of(message.uetr, 'destination/', 'pacs008'))).toHaveLength(1);
  });
});

describe('a payment whose destination answers later', () => {
  test('is ACCC at the callback and told to the FX provider', async () => {
    const quote = await bestQuote(gateway);
    const message = instruction(quote, { account: '5550000002' });
    const answer = await submit(gateway, message);
    expect([answer.httpStatus, answer.report?.status, answer.text]).toEqual([
      200,
      'ACTC',
      expect.any(String),
    ]);
    const callback = await journal.waitFor(of(message.uetr, 'source/', 'pacs002'), 10_000);
    expect(parsePacs002(callback.bytes!).status).toBe('ACCC');
    await journal.waitFor(of(message.uetr, 'fxp/', 'fxtr017'), 10_000);
  });
});
