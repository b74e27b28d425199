// The table of the problems, each beside the requests that cause it on one gateway and its whole text. Those that need more
// are in test/harness/problem-texts.ts. The compiler demands an entry for every code.
import { randomUUID } from 'node:crypto';
import type { ProblemCode } from '../../../api/http/problems/problems.ts';
import { buildPacs008 } from '../../../core/iso20022/build-pacs008.ts';
import { buildPacs002 } from '../../../core/iso20022/pacs002.ts';
import { instruction, ownExchange } from '../../../fixtures/instruction.ts';
import type { ShownElsewhere } from '../../harness/problem-texts.ts';
import { nobody, operationsCases, type Caused } from './operations-problem-cases.ts';

const corridor = '/quotes/SG/SGD/TH/THB';
const asLotus = 'finInstIdType=BICFI&finInstId=LOTUSGS0';
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

export const cases: Record<Exclude<ProblemCode, ShownElsewhere>, Caused> = {
  ...operationsCases,
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
  'unknown-quote': {
    by: 'LOTUSGS0',
    asks: `GET /quotes/${nobody}/intermediary-agents`,
    told: 'There is no quote <uuid> that LOTUSGS0 may read; a PSP reads the quotes that it asked for itself.',
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
    asks: `GET /payments/{credited}/messages/${nobody}`,
    told: 'Your side of payment <uuid> has no message <uuid>; GET /payments/{uetr} lists the messages that you may read.',
  },
  'not-the-destination': {
    by: 'PHPINST',
    asks: 'POST /iso20022/pacs002',
    body: report('{waiting}'),
    told: 'Only its destination operator may report on a payment; PHPINST is not the destination of <uuid>. This report does not count. If you have credited it, call the operators of the scheme.',
  },
  'original-ids-differ': {
    by: 'THBPPAY',
    asks: 'POST /iso20022/pacs002',
    body: report('{waiting}', { messageIdentification: 'ANOTHER', messageNameId: 'pacs.008.001.13' }),
    told: 'OrgnlMsgId must be the MsgId of the pacs.008 that you got from us. This report does not count: send a correct one. If you have credited it, call the operators of the scheme.',
  },
  'message-invalid': {
    by: 'THBPPAY',
    asks: 'POST /iso20022/pacs002',
    body: report('{waiting}').replace('>ACCC<', '>ABCD<'),
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
  'unit-currency-unknown': {
    by: 'MERISGS0',
    asks: 'POST /api/v1/tier_improvements',
    body: { unitCurrency: 'XXX', threshold: '1', improvementBasisPoints: '1' },
    told: 'The service has no currency XXX; GET /currencies lists them.',
  },
  'headers-too-large': {
    by: 'LOTUSGS0',
    asks: 'GET /countries',
    headers: { 'x-long': 'x'.repeat(17 * 1024) },
    told: 'The address and headers are larger than 16 KiB, or more than 100 lines. Send fewer or shorter headers.',
  },
  'corridor-not-set-up': {
    by: 'ZENIHKS0',
    asks: 'POST /api/v1/rates',
    body: {
      sourceCountry: 'IN',
      sourceCurrency: 'INR',
      destinationCountry: 'ID',
      destinationCurrency: 'IDR',
      rate: '190',
    },
    told: 'The FX provider is not set up for this currency pair between these countries; an operator of the scheme can set it up.',
  },
  'source-sap-not-validated': {
    by: 'POLAJPS0',
    asks: 'POST /api/v1/rates',
    body: { ...rate, sourceCountry: 'PH', sourceCurrency: 'PHP' },
    told: 'The FX provider has no nominated, validated SAP with an account in the source country and currency; an operator of the scheme can validate one.',
  },
  'destination-sap-not-validated': {
    by: 'POLAJPS0',
    asks: 'POST /api/v1/rates',
    body: { ...rate, destinationCountry: 'PH', destinationCurrency: 'PHP' },
    told: 'The FX provider has no nominated, validated SAP with an account in the destination country and currency; an operator of the scheme can validate one.',
  },
  'idempotency-key-reused': {
    first: [
      { by: 'MERISGS0', asks: 'POST /api/v1/rates', headers: { 'idempotency-key': 'monday' }, body: rate },
    ],
    by: 'MERISGS0',
    asks: 'POST /api/v1/rates',
    headers: { 'idempotency-key': 'monday' },
    body: { ...rate, rate: '26' },
    told: 'This Idempotency-Key was used for another request. Send the body of that request again, or use a new key.',
  },
};
