// Every problem beside an input that causes it: the whole text is compared, so that it can be read beside its input
// (MSG-13, SEC-4). The compiler demands an entry for every row of the table.
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { problems, type ProblemCode } from '../../../api/http/problems.ts';
import { buildPacs008 } from '../../../core/iso20022/build-pacs008.ts';
import { buildPacs002 } from '../../../core/iso20022/pacs002.ts';
import { endingIn } from '../../../fixtures/endings.ts';
import { instruction, ownExchange, type Changes } from '../../../fixtures/instruction.ts';
import { readDocument } from '../../docs/documents.ts';
import { evidenceOf } from '../../harness/evidence.ts';
import { testGateway } from '../../harness/gateway.ts';
import { bestQuote, submit } from '../../harness/payer.ts';

const gateway = await testGateway();
const evidence = evidenceOf(gateway);

async function pay(changes: Changes) {
  const message = instruction(await bestQuote(gateway), changes);
  expect((await submit(gateway, message)).httpStatus).toBe(200);
  return message;
}
const credited = await pay({});
await evidence.closed(credited.uetr);
const waiting = await pay({ ending: endingIn.silent });
await evidence.arrival(waiting.uetr, 'destination', 'pacs008');

interface Caused {
  /** Who asks: a client id; null: nobody. */
  readonly by: string | null;
  /** As in `GET /countries/sg`. */
  readonly asks: string;
  /** An object goes as JSON, a text as XML. */
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
  /** With <uuid> and <time> in place of those. */
  readonly told: string;
}
/** A problem that takes more than a request: the test that causes it. */
interface ShownBy {
  readonly shownBy: string;
  /** How that test calls it; default: by its code. */
  readonly as?: string;
}

const corridor = '/quotes/SG/SGD/TH/THB';
const asLotus = 'finInstIdType=BICFI&finInstId=LOTUSGS0';
const nobody = '00000000-0000-4000-8000-000000000001';
const rate = {
  sourceCountry: 'SG',
  sourceCurrency: 'SGD',
  destinationCountry: 'TH',
  destinationCurrency: 'THB',
  rate: '25',
};
const report = (uetr: string, original: object = {}) =>
  buildPacs002({
    messageIdentification: randomUUID().slice(0, 20),
    creationDateTime: new Date().toISOString(),
    status: 'ACCC',
    original: { uetr, ...original },
  });
const because = 'ticket 4711';
const change = (objects: readonly object[]) => ({ because, objects });

const cases: Record<ProblemCode, Caused | ShownBy> = {
  'invalid-request': {
    by: 'LOTUSGS0',
    asks: 'GET /countries/sg',
    told: 'countryCode must be two capital letters (ISO 3166 alpha-2), as in SG; not "sg".',
  },
  'invalid-cursor': {
    by: 'operator',
    asks: 'GET /payments?cursor=x',
    told: 'The cursor is not one that this list returned. Leave it out to begin with the first page.',
  },
  unauthenticated: {
    by: null,
    asks: 'GET /countries',
    told: 'Send an access token: Authorization: Bearer <token>. POST /oauth/token issues one (client credentials).',
  },
  'invalid-token': {
    by: null,
    asks: 'GET /countries',
    headers: { authorization: 'Bearer abc' },
    told: 'The token is malformed, or its signature is wrong. POST /oauth/token issues one (client credentials).',
  },
  forbidden: {
    by: 'MERISGS0',
    asks: 'GET /payments',
    told: 'This requires the role operator (of the scheme) or ipso (operator of a payment system) or psp; MERISGS0 has the role fxp (FX provider).',
  },
  'not-own-institution': {
    by: 'LOTUSGS0',
    asks: `GET ${corridor}/SGD/1000?finInstIdType=BICFI&finInstId=BANYSGS0`,
    told: 'A PSP may only ask for quotes for itself, and LOTUSGS0 asked for BICFI BANYSGS0. The role operator may ask for any PSP.',
  },
  'fxp-not-named': { shownBy: 'test/api/auth/tokens.test.ts' },
  'not-found': {
    by: 'LOTUSGS0',
    asks: 'GET /nowhere',
    told: 'There is nothing at GET /nowhere; /reference lists every address.',
  },
  'unknown-rule': {
    by: null,
    asks: 'GET /rules/PAX-7',
    told: 'There is no such rule. GET /rules lists them all.',
  },
  'unknown-country': {
    by: 'LOTUSGS0',
    asks: 'GET /countries/XX',
    told: 'The service has no country XX; GET /countries lists them.',
  },
  'unknown-currency': {
    by: 'LOTUSGS0',
    asks: 'GET /currencies/XXX',
    told: 'The service has no currency XXX; GET /currencies lists them.',
  },
  'currency-not-of-country': {
    by: 'LOTUSGS0',
    asks: 'GET /countries/SG/currencies/THB/max-amounts',
    told: 'In SG, the service does not use THB, only SGD.',
  },
  'unknown-address-type': {
    by: 'LOTUSGS0',
    asks: 'GET /address-types/XYZ/inputs',
    told: 'There is no address type XYZ; GET /countries/{countryCode}/address-types lists those of a country.',
  },
  'unknown-institution': {
    by: 'LOTUSGS0',
    asks: 'GET /fin-insts/any/BICFI/NOBODY00',
    told: 'There is no institution BICFI NOBODY00; GET /fin-insts/any lists them.',
  },
  'unknown-corridor': {
    by: 'LOTUSGS0',
    asks: 'GET /fees-and-amounts/SG/SGD/SG/SGD/SGD/1000/1',
    told: 'The service has no corridor SG SGD to SG SGD: source and destination must be two countries of the service.',
  },
  'unknown-fee-formula': { shownBy: 'test/api/fees.test.ts' },
  'unknown-quote': {
    by: 'LOTUSGS0',
    asks: `GET /quotes/${nobody}/intermediary-agents`,
    told: 'There is no quote <uuid> that LOTUSGS0 may read; a PSP reads the quotes that it asked for itself.',
  },
  'unknown-object': {
    by: 'operator',
    asks: 'GET /admin/scheme/fee-formulas/XX:XXX',
    told: 'fee-formulas has no XX:XXX, and never had. GET /admin/scheme/fee-formulas lists what it has.',
  },
  'unknown-change': {
    by: 'operator',
    asks: `GET /admin/changes/${nobody}`,
    told: 'There is no such change. GET /admin/changes lists them.',
  },
  'scheme-error': {
    by: 'operator',
    asks: 'POST /admin/changes',
    body: change([{ kind: 'currencies', ends: 'THB' }]),
    told: 'Nothing is changed: /clearing-systems/THBPPAY/currencyCode names the currency THB, which does not exist, or ends by then. Enter it first or in the same change, or change this object, too. And 1 more: see errors.',
  },
  'change-not-pending': { shownBy: 'test/api/scheme.test.ts' },
  'own-change': { shownBy: 'test/api/scheme.test.ts' },
  'not-own-change': { shownBy: 'test/api/scheme.test.ts' },
  'endpoint-untried': { shownBy: 'test/activities/probe-endpoints.test.ts' },
  'change-outdated': { shownBy: 'test/api/scheme.test.ts' },
  'unknown-alert': {
    by: 'operator',
    asks: 'GET /alerts/999999',
    told: 'There is no alert 999999; GET /alerts?state=open,taken,closed lists them all.',
  },
  'alert-closed': { shownBy: 'test/api/closed-case.test.ts' },
  'alert-not-closed': { shownBy: 'test/api/case-without-alerts.test.ts' },
  'alert-kinds': { shownBy: 'test/api/alerts.test.ts' },
  'alerts-unseen': { shownBy: 'test/api/closed-case.test.ts' },
  'already-taken': { shownBy: 'test/api/alerts.test.ts' },
  'nothing-to-deliver': {
    by: 'operator',
    asks: `POST /payments/${credited.uetr}/redeliveries`,
    body: {},
    told: 'All of it was taken: callback <time>, confirmation <time>, notification <time>. A kind that is named goes out again all the same (kinds; ops redeliver --kind).',
  },
  'not-judged-yet': { shownBy: 'test/api/not-judged.test.ts' },
  'payment-decided': {
    by: 'operator',
    asks: `POST /payments/${credited.uetr}/enquiries`,
    body: {},
    told: 'The final status of <uuid> is ACCC: nothing is left to ask.',
  },
  'deadline-past': { shownBy: 'test/api/enquiry-past-deadline.test.ts' },
  'unknown-party': {
    by: 'operator',
    asks: 'POST /parties/NOBODY/pause',
    body: { because },
    told: 'NOBODY is neither a payment system nor an FX provider; GET /parties lists both.',
  },
  'already-paused': { shownBy: 'test/api/pauses.test.ts' },
  'not-paused': {
    by: 'operator',
    asks: 'POST /parties/THBPPAY/resumption',
    body: { because },
    told: 'THBPPAY is not paused; GET /parties says who is.',
  },
  'unknown-book': {
    by: 'operator',
    asks: 'GET /reconciliation?date=2026-01-05&clearingSystem=NOBODY',
    told: 'There is no book of NOBODY that operator may read. Name a payment system by clearingSystem, or an account by sap and account.',
  },
  'unknown-page': {
    by: 'operator',
    asks: 'GET /reconciliation/camt054?date=2026-01-05&clearingSystem=THBPPAY&page=2',
    told: 'The notification has 1 page: ask for page 1.',
  },
  'period-not-closed': {
    by: 'operator',
    asks: 'GET /reconciliation?from=2099-01-05T00:00:00Z&to=2099-01-05T01:00:00Z&clearingSystem=THBPPAY',
    told: 'The period can be read from <time> on.',
  },
  'payment-not-in-doubt': {
    by: 'operator',
    asks: `POST /payments/${waiting.uetr}/outcomes`,
    body: { status: 'ACCC', evidence: 'mail of 04:10' },
    told: '<uuid> is not INDOUBT: the gateway still asks its destination by itself (TIM-2). Wait until it is, 24 hours after acceptance.',
  },
  'outcome-stands': { shownBy: 'test/api/recorded-outcomes.test.ts' },
  'outcome-not-yours': { shownBy: 'test/api/recorded-outcomes.test.ts' },
  'outcome-differs': { shownBy: 'test/api/recorded-outcomes.test.ts' },
  'outcome-overtaken': { shownBy: 'test/activities/settled-while-sent.test.ts', as: 'sent-since' },
  'outcome-ended': { shownBy: 'test/api/recorded-outcomes.test.ts' },
  'unknown-outcome': {
    by: 'operator',
    asks: `POST /payments/${waiting.uetr}/outcomes/${nobody}/withdrawal`,
    body: { because },
    told: 'No outcome <uuid> was recorded for <uuid>; GET /payments/{uetr} lists those that were.',
  },
  'message-refused': {
    by: 'SGDFAST',
    asks: 'POST /iso20022/validate',
    body: '<a/>',
    told: 'The body is refused: the namespace of the root element must be urn:iso:std:iso:20022:tech:xsd:pacs.008.001.13 or urn:iso:std:iso:20022:tech:xsd:pacs.002.001.15 or urn:iso:std:iso:20022:tech:xsd:acmt.023.001.04 or urn:iso:std:iso:20022:tech:xsd:acmt.024.001.04 or urn:iso:std:iso:20022:tech:xsd:fxtr.017.001.06 or urn:iso:std:iso:20022:tech:xsd:camt.054.001.11 or urn:iso:std:iso:20022:tech:xsd:pacs.028.001.06.',
  },
  'unknown-payment': {
    by: 'operator',
    asks: `GET /payments/${nobody}`,
    told: 'There is no payment <uuid>: nothing was taken in under it. What came and was refused at once, before anything was stored, is in the logs only: search them for the UETR.',
  },
  'unknown-message': {
    by: 'SGDFAST',
    asks: `GET /payments/${credited.uetr}/messages/${nobody}`,
    told: 'Your side of payment <uuid> has no message <uuid>; GET /payments/{uetr} lists the messages that you may read.',
  },
  'message-not-kept': { shownBy: 'test/workflows/messages-not-kept.test.ts' },
  'message-changed': { shownBy: 'test/system/changed-messages.test.ts' },
  'not-the-destination': {
    by: 'PHPINST',
    asks: 'POST /iso20022/pacs002',
    body: report(waiting.uetr),
    told: 'Only its destination operator may report on a payment; PHPINST is not the destination of <uuid>. This report does not count. If you have credited it, call the operators of the scheme.',
  },
  'original-ids-differ': {
    by: 'THBPPAY',
    asks: 'POST /iso20022/pacs002',
    body: report(waiting.uetr, { messageIdentification: 'ANOTHER', messageNameId: 'pacs.008.001.13' }),
    told: 'OrgnlMsgId must be the MsgId of the pacs.008 that you got from us. This report does not count: send a correct one. If you have credited it, call the operators of the scheme.',
  },
  'message-invalid': {
    by: 'THBPPAY',
    asks: 'POST /iso20022/pacs002',
    body: report(waiting.uetr).replace('>ACCC<', '>ABCD<'),
    told: 'MSG-4 TxInfAndSts/TxSts: must be ACCC, RJCT, BLCK, ACWP or ACTC (FF01, wrong value). Found: ABCD. This report does not count: send a correct one. If you have credited it, call the operators of the scheme.',
  },
  'callback-address-refused': {
    by: 'SGDFAST',
    asks: 'POST /iso20022/pacs008?pacs002Endpoint=https%3A%2F%2Felsewhere.example%2F',
    body: buildPacs008(instruction(ownExchange())),
    told: 'The callback address is not under a callback origin registered by the operator of the submitting clearing system; the operators of the scheme register one.',
  },
  'method-not-allowed': {
    by: 'LOTUSGS0',
    asks: 'DELETE /countries',
    told: 'This address accepts the methods GET, HEAD, OPTIONS, not DELETE.',
  },
  'request-in-progress': { shownBy: 'test/api/rates.test.ts' },
  'payload-too-large': {
    by: 'MERISGS0',
    asks: 'POST /api/v1/rates',
    body: { rate: 'x'.repeat(70_000) },
    told: 'A body must not exceed 64 KiB.',
  },
  'unsupported-media-type': {
    by: 'MERISGS0',
    asks: 'POST /api/v1/rates',
    body: 'rate',
    told: 'Send Content-Type: application/json, UTF-8, not compressed; not "application/xml".',
  },
  'too-many-decimals': {
    by: 'LOTUSGS0',
    asks: `GET ${corridor}/SGD/10.001?${asLotus}`,
    told: '10.001 has 3 decimals, SGD has 2: round the amount before you send it.',
  },
  'amount-too-small': {
    by: 'LOTUSGS0',
    asks: 'GET /fees-and-amounts/SG/SGD/TH/THB/SGD/1/25',
    told: 'After the creditor agent fee nothing is left to pay: the amount is 25 in destination currency, and the fee on it 75.03. Ask for a larger amount.',
  },
  'amount-too-large': {
    by: 'LOTUSGS0',
    asks: 'GET /fees-and-amounts/SG/SGD/TH/THB/SGD/9999999999999999/99999',
    told: 'One of the amounts has more than 18 digits, which no message can carry. Ask for a smaller amount.',
  },
  'amount-currency-not-of-corridor': {
    by: 'LOTUSGS0',
    asks: 'GET /fees-and-amounts/SG/SGD/TH/THB/USD/10/25',
    told: 'USD is neither SGD nor THB: give the amount in one of them.',
  },
  'unknown-psp': {
    by: 'LOTUSGS0',
    asks: `GET ${corridor}/SGD/1000?finInstIdType=BICFI&finInstId=NOBODY00`,
    told: 'There is no PSP BICFI NOBODY00; GET /countries/SG/fin-insts/psp lists the PSPs that are allowed here.',
  },
  'psp-not-of-source-country': {
    by: 'operator',
    asks: `GET ${corridor}/SGD/1000?finInstIdType=BICFI&finInstId=LOTUTHS0`,
    told: 'BICFI LOTUTHS0 is not a PSP of SG; GET /countries/SG/fin-insts/psp lists them.',
  },
  'same-currency-corridor': {
    by: 'MERISGS0',
    asks: 'POST /api/v1/rates',
    body: { ...rate, destinationCurrency: 'SGD' },
    told: 'A rate needs two different currencies; this one has SGD on both sides.',
  },
  'corridor-not-set-up': { shownBy: 'test/api/rates.test.ts' },
  'source-sap-not-validated': { shownBy: 'test/api/rates.test.ts' },
  'destination-sap-not-validated': { shownBy: 'test/api/rates.test.ts' },
  'unit-currency-unknown': {
    by: 'MERISGS0',
    asks: 'POST /api/v1/tier_improvements',
    body: { unitCurrency: 'XXX', threshold: '1', improvementBasisPoints: '1' },
    told: 'The service has no currency XXX; GET /currencies lists them.',
  },
  'too-many-tiers': { shownBy: 'test/api/tier-limit.test.ts' },
  'idempotency-key-reused': { shownBy: 'test/api/rates.test.ts' },
  'request-timeout': { shownBy: 'test/api/http/connections.test.ts' },
  'expectation-failed': { shownBy: 'test/api/http/malformed.test.ts', as: '417' },
  'headers-too-large': {
    by: 'LOTUSGS0',
    asks: 'GET /countries',
    headers: { 'x-long': 'x'.repeat(17 * 1024) },
    told: 'The address and headers are larger than 16 KiB, or more than 100 lines. Send fewer or shorter headers.',
  },
  'too-many-messages': { shownBy: 'test/api/http/pace.test.ts' },
  overloaded: { shownBy: 'test/api/http/admission.test.ts' },
  'too-many-bytes': { shownBy: 'test/system/bytes-of-a-day.test.ts' },
  'callback-address-changed': { shownBy: 'test/faults/repeated-decisions.test.ts' },
  'signature-refused': { shownBy: 'test/system/signed-by-parties.test.ts' },
  'too-many-requests': { shownBy: 'test/api/limits.test.ts' },
  'too-many-undecided': { shownBy: 'test/system/undecided-limit.test.ts' },
  'too-many-connections': { shownBy: 'test/api/http/connections.test.ts' },
  internal: { shownBy: 'test/telemetry/traces-lost.test.ts' },
  unavailable: { shownBy: 'test/api/database-away.test.ts' },
};

const withoutIds = (text: string) =>
  text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>')
    .replaceAll(/20\d\d-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/127\.0\.0\.1:\d+/g, '<host>');

async function send({ by, asks, body, headers = {} }: Caused) {
  const [method = '', path = ''] = asks.split(' ');
  const isJson = typeof body === 'object';
  const response = await fetch(`${gateway.url}${path}`, {
    method,
    headers: {
      ...(by !== null && { authorization: `Bearer ${await gateway.token(by)}` }),
      ...(body !== undefined && { 'content-type': isJson ? 'application/json' : 'application/xml' }),
      ...headers,
    },
    ...(body !== undefined && { body: isJson ? JSON.stringify(body) : body }),
  });
  return (await response.json()) as {
    readonly code: string;
    readonly status: number;
    readonly detail: string;
  };
}

const entries = Object.entries(cases) as [ProblemCode, Caused | ShownBy][];
const caused = entries.flatMap(([code, one]) => ('asks' in one ? [[code, one] as const] : []));
const shown = entries.flatMap(([code, one]) => ('shownBy' in one ? [[code, one] as const] : []));

describe('what a problem says, beside the request that causes it (MSG-13)', () => {
  test.each(caused)('%s', async (code, one) => {
    const { code: is, status, detail } = await send(one);
    expect([is, status, withoutIds(detail)]).toEqual([code, problems[code].status, one.told]);
  });

  test.each(shown)('%s is caused by another test', (code, { shownBy, as = code }) => {
    expect(readDocument(shownBy)).toMatch(new RegExp(`\\b${as}\\b`));
  });
});
