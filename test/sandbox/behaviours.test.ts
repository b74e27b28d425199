/** Every behaviour of the destination operators, over HTTP (sandbox/behaviours.ts). */
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
  await sandbox.journal.waitFor(() => sandbox.journal.entries().filter(confirmed).length >= count, 5_000);
}

test('0001: ACCC at once in the HTTP answer, as a valid pacs.002 about our message, and 24,900 THB are credited', async () => {
  const forwarded = forwardedPacs008({ ending: endingIn.creditedAtOnce });
  const answer = await instruct(sandbox, gateway, forwarded);
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toBe('application/xml');
  expect(await readReport(answer.bytes)).toMatchObject({
    status: 'ACCC',
    original: { messageIdentification: forwarded.messageId, uetr: forwarded.uetr, endToEndId: 'INVOICE-118' },
    instructingAgent: { bicfi: 'LOTUTHS0' }, // swapped against the original (MSG-11)
    instructedAgent: { bicfi: 'HARBTHS0' },
  });
  expect(movements()).toMatchObject([
    { status: 'moved', amount: '25000', currency: 'THB', creditedAmount: '24900', uetr: forwarded.uetr },
  ]);
  expect(gateway.reports).toHaveLength(0);
});

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

test.each([
  [endingIn.rejected, { status: 'RJCT', reasonCode: 'AC04' }],
  [endingIn.blocked, { status: 'BLCK' }],
])('%s: %j in the HTTP answer, and no money moves', async (digits, statement) => {
  const answer = await instruct(sandbox, gateway, forwardedPacs008({ ending: digits }));
  expect(answer.status).toBe(200);
  expect(await readReport(answer.bytes)).toMatchObject(statement);
  expect(movements()).toEqual([]);
});

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

test('0006: ACCC only after the HIGH deadline, counted from AccptncDtTm; the money that moved goes back when told so', async () => {
  const acceptedAt = Date.now() - 700; // deadline 1 s after acceptance
  const forwarded = forwardedPacs008({ ending: endingIn.tooLate, priority: 'HIGH', acceptedAt });
  confirmWith(forwarded, 'RJCT');
  expect((await instruct(sandbox, gateway, forwarded)).status).toBe(202);
  await untilConfirmed(1);
  const sent = await sandbox.journal.waitFor((entry) => entry.direction === 'sent', 1_000);
  expect(Date.parse(sent.at)).toBeGreaterThanOrEqual(acceptedAt + 1_000);
  expect(sent).toMatchObject({ status: 'ACCC', httpStatus: 200 });
  expect(movements()).toMatchObject([{ status: 'moved' }, { status: 'reversed', amount: '25000' }]);
  expect(violations()).toEqual([]);
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

test('0008: HTTP 503 three times, then ACCC, and money moves once', async () => {
  const forwarded = forwardedPacs008({ ending: endingIn.refusing });
  for (const expected of [503, 503, 503]) {
    expect((await instruct(sandbox, gateway, forwarded)).status).toBe(expected);
    expect(movements()).toEqual([]);
  }
  const answer = await instruct(sandbox, gateway, forwarded);
  expect(answer.status).toBe(200);
  expect(await readReport(answer.bytes)).toMatchObject({ status: 'ACCC' });
  expect(movements()).toHaveLength(1);
});

test('0009: the same ACCC three times, byte for byte, and money moves once', async () => {
  const forwarded = forwardedPacs008({ ending: endingIn.repeating });
  confirmWith(forwarded, 'ACCC');
  expect((await instruct(sandbox, gateway, forwarded)).status).toBe(202);
  await untilConfirmed(3);
  expect(gateway.reports).toHaveLength(3);
  expect(new Set(gateway.reports.map(({ bytes }) => bytes.toString())).size).toBe(1);
  expect(movements()).toHaveLength(1);
});

test('0010: ACCC and then RJCT in a message of its own; ACCC stays the truth', async () => {
  const forwarded = forwardedPacs008({ ending: endingIn.contradicting });
  confirmWith(forwarded, 'ACCC');
  expect((await instruct(sandbox, gateway, forwarded)).status).toBe(202);
  await untilConfirmed(2);
  const [first, second] = await Promise.all(gateway.reports.map(({ bytes }) => readReport(bytes)));
  expect(first).toMatchObject({ status: 'ACCC' });
  expect(second).toMatchObject({ status: 'RJCT', reasonCode: 'AC04' });
  expect(second?.messageIdentification).not.toBe(first?.messageIdentification);
  expect(movements()).toMatchObject([{ status: 'moved' }]);
  expect(violations()).toEqual([]);
});

test('0011: ACWP in the HTTP answer, also to an enquiry, then ACCC by a message', async () => {
  const forwarded = forwardedPacs008({ ending: endingIn.interim });
  confirmWith(forwarded, 'ACCC');
  const answer = await instruct(sandbox, gateway, forwarded);
  expect(await readReport(answer.bytes)).toMatchObject({ status: 'ACWP' });
  const enquiry = await instruct(sandbox, gateway, forwarded);
  expect(enquiry.bytes.equals(answer.bytes)).toBe(true);
  expect(movements()).toEqual([]);
  await untilConfirmed(1);
  expect(await readReport(gateway.reports[0]!.bytes)).toMatchObject({ status: 'ACCC' });
  expect(movements()).toHaveLength(1);
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
