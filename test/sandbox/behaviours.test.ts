// Behaviours of the sandbox's destinations over HTTP (sandbox/behaviours.ts). test/workflows/orchestration.ts plays the others
// through a whole gateway.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { JournalEntry } from '../../sandbox/journal-file.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { endingIn } from '../../fixtures/endings.ts';
import { edit } from '../harness/patches.ts';
import {
  forwardedPacs008,
  instruct,
  readReport,
  startGatewayStub,
  startTestSandbox,
  statementOf,
  type Forwarded,
  type GatewayStub,
} from './fixture.ts';

let gateway: GatewayStub;
let sandbox: Sandbox;

beforeEach(async () => {
  gateway = await startGatewayStub();
  sandbox = await startTestSandbox(gateway);
});

afterEach(async () => {
  await sandbox.close();
  await gateway.close();
});

/** Confirms every report with the status that it states, as the gateway does with the first final (PAY-9). */
function confirmWith(forwarded: Forwarded, status: 'ACCC' | 'RJCT'): void {
  gateway.respond = () => ({ status: 200, body: statementOf(forwarded, status) });
}

const movements = () => sandbox.journal.entries().filter((entry) => entry.kind === 'ledger');
const violations = () => sandbox.journal.entries().filter((entry) => entry.violation !== undefined);
const confirmed = (entry: JournalEntry) =>
  entry.note === 'in the HTTP answer' && entry.direction === 'received';

/** Resolves when so many confirmations have been taken. */
async function untilConfirmed(count: number): Promise<void> {
  await sandbox.journal.waitFor(() => sandbox.journal.entries().filter(confirmed).length >= count, 60_000);
}

test.each([endingIn.creditedLater, '7777', 'IBAN'])(
  '%s: 202 with an empty body, then ACCC by a message with a token of role ipso for the clearing system',
  async (digits) => {
    const forwarded = forwardedPacs008({ ending: digits });
    confirmWith(forwarded, 'ACCC');
    const answer = await instruct(sandbox, gateway, forwarded);
    expect(answer).toMatchObject({ status: 202, bytes: Buffer.alloc(0) });
    expect(movements()).toHaveLength(0);
    await untilConfirmed(1);
    expect(gateway.reports).toMatchObject([
      { authorization: 'Bearer token-THBPPAY-1', contentType: 'application/xml' },
    ]);
    expect(await readReport(gateway.reports[0]!.bytes)).toMatchObject({ status: 'ACCC' });
    expect(movements()).toMatchObject([{ status: 'moved' }]);
    expect(violations()).toEqual([]);
  },
);

test('0005: 202 and never more, an enquiry too', async () => {
  const silent = forwardedPacs008({ ending: endingIn.silent });
  const talking = forwardedPacs008({ ending: endingIn.creditedLater });
  confirmWith(talking, 'ACCC');
  expect((await instruct(sandbox, gateway, silent)).status).toBe(202);
  expect((await instruct(sandbox, gateway, silent)).status).toBe(202);
  await instruct(sandbox, gateway, talking); // came later, has its report by now
  await untilConfirmed(1);
  expect(gateway.reports).toHaveLength(1);
  expect(await readReport(gateway.reports[0]!.bytes)).toMatchObject({ original: { uetr: talking.uetr } });
  expect(movements().filter((entry) => entry.uetr === silent.uetr)).toEqual([]);
});

test('0007: the connection is reset after the request was read and the money moved; an enquiry reveals ACCC', async () => {
  const forwarded = forwardedPacs008({ ending: endingIn.cut });
  await expect(instruct(sandbox, gateway, forwarded)).rejects.toMatchObject({ code: 'ECONNRESET' });
  expect(movements()).toMatchObject([{ status: 'moved' }]);
  const enquiry = await instruct(sandbox, gateway, forwarded);
  expect(enquiry.status).toBe(200);
  expect(await readReport(enquiry.bytes)).toMatchObject({ status: 'ACCC' });
  expect(movements()).toHaveLength(1);
  expect(sandbox.journal.entries().filter((entry) => entry.note === 'enquiry')).toHaveLength(1);
});

describe('the same instruction again', () => {
  test('is an enquiry: the known outcome in the same bytes, and no second movement of money (DUP-1)', async () => {
    const forwarded = forwardedPacs008({ ending: endingIn.creditedLater });
    confirmWith(forwarded, 'ACCC');
    await instruct(sandbox, gateway, forwarded);
    expect((await instruct(sandbox, gateway, forwarded)).status).toBe(202); // not known yet
    await untilConfirmed(1);
    const enquiry = await instruct(sandbox, gateway, forwarded);
    expect(enquiry.status).toBe(200);
    expect(enquiry.bytes.equals(gateway.reports[0]!.bytes)).toBe(true);
    expect(movements()).toHaveLength(1);
    const seen = sandbox.journal.entries().filter((entry) => entry.kind === 'pacs008');
    expect(seen.map(({ note, httpStatus }) => [note, httpStatus])).toEqual([
      [undefined, 202],
      ['enquiry', 202],
      ['enquiry', 200],
    ]);
    expect(new Set(seen.map(({ sha256 }) => sha256)).size).toBe(1);
  });

  test('sent twenty times at once moves money once', async () => {
    const forwarded = forwardedPacs008({ ending: endingIn.creditedAtOnce });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => instruct(sandbox, gateway, forwarded)),
    );
    expect(new Set(answers.map(({ bytes }) => bytes.toString())).size).toBe(1);
    expect(movements()).toHaveLength(1);
  });

  test('with other bytes is refused and journaled as a violation; the first stays untouched (I-2)', async () => {
    const forwarded = forwardedPacs008({ ending: endingIn.creditedAtOnce });
    const first = await instruct(sandbox, gateway, forwarded);
    const other = { ...forwarded, text: edit(forwarded.text, 'Canary Somchai', 'Canary Somsak') };
    expect((await instruct(sandbox, gateway, other)).status).toBe(409);
    expect(violations()).toMatchObject([{ uetr: forwarded.uetr, httpStatus: 409 }]);
    expect((await instruct(sandbox, gateway, forwarded)).bytes.equals(first.bytes)).toBe(true);
  });
});

describe('a report that the gateway does not take', () => {
  test('is sent again in the same bytes until 2xx, with a new token after 401', async () => {
    const forwarded = forwardedPacs008({ ending: endingIn.creditedLater });
    const statuses = [503, 401, 500, 200];
    gateway.respond = () => {
      const status = statuses.shift() ?? 200;
      return status === 200 ? { status, body: statementOf(forwarded, 'ACCC') } : { status };
    };
    await instruct(sandbox, gateway, forwarded);
    await untilConfirmed(1);
    expect(gateway.reports.map(({ authorization }) => authorization)).toEqual([
      'Bearer token-THBPPAY-1',
      'Bearer token-THBPPAY-1',
      'Bearer token-THBPPAY-2',
      'Bearer token-THBPPAY-2',
    ]);
    expect(new Set(gateway.reports.map(({ bytes }) => bytes.toString())).size).toBe(1);
    const attempts = sandbox.journal.entries().filter((entry) => entry.direction === 'sent');
    expect(attempts.map(({ httpStatus }) => httpStatus)).toEqual([503, 401, 500, 200]);
  });

  test('is given up after the last delay; each attempt is journaled with why it failed', async () => {
    const forwarded = forwardedPacs008({ ending: endingIn.creditedLater });
    const { pacs002Endpoint } = gateway;
    await gateway.close();
    gateway = await startGatewayStub();
    const given = new Promise<string>((resolve) => {
      void sandbox.close().then(async () => {
        sandbox = await startTestSandbox(gateway, { log: (event) => resolve(event) });
        await instruct(sandbox, { ...gateway, pacs002Endpoint }, forwarded);
      });
    });
    expect(await given).toBe('report-given-up');
    const attempts = sandbox.journal.entries().filter((entry) => entry.direction === 'sent');
    expect(attempts.map(({ note }) => note)).toEqual(Array.from({ length: 6 }, () => 'ECONNREFUSED'));
    expect(movements()).toHaveLength(1);
  });
});
