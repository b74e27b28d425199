// Writes schemas/examples: the messages of one payment, one resolution and one daily book. The two requests
// come from the fixtures of the tests. The message builders of Isthmus make the others. Usage: `npx node
// docs/reference/examples.ts`.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ParseOption, XmlDocument } from 'libxml2-wasm';
import { buildForwardedAcmt023, readAcmt023, requestReferencesOf } from '../../core/iso20022/acmt023.ts';
import { answerAcmt023, passOnAcmt024, readAcmt024 } from '../../core/iso20022/acmt024.ts';
import { buildForwardedPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { buildCamt054 } from '../../core/iso20022/camt054.ts';
import { buildFxtr017 } from '../../core/iso20022/fxtr017.ts';
import type { MessageName } from '../../core/iso20022/messages.ts';
import { originalReferencesOf } from '../../core/iso20022/references.ts';
import {
  answerPacs008,
  buildPacs002,
  confirmPacs008,
  pacs008ReferencesOf,
  type StatusStatement,
} from '../../core/iso20022/pacs002.ts';
import { enquireAboutPacs008 } from '../../core/iso20022/pacs028.ts';
import { readForwardedPacs008, readPacs008 } from '../../core/iso20022/pacs008.ts';
import type { XmlElement } from '../../core/iso20022/tree.ts';
import { additionalInformation, returnCredit } from '../../core/rejections/explanation.ts';
import { reject, type Rejection } from '../../core/rejections/rejection.ts';
import type { Result } from '../../core/result.ts';
import type { RejectionKey } from '../../core/rejections/rejection-table.ts';
import { createLibxml2Engine } from '../../xml/libxml2.ts';

const root = join(import.meta.dirname, '..', '..');
const exampleFolder = join(root, 'schemas', 'examples');

const fixture = (path: string) => readFileSync(join(root, 'test', 'fixtures', path), 'utf8');
const engine = createLibxml2Engine();

function read<Value>(name: MessageName, xml: string, reader: (document: XmlElement) => Result<Value, Rejection>): Value {
  const parsed = engine.parse(Buffer.from(xml), [name]);
  if (!parsed.ok) throw new Error(parsed.refusal.detail);
  const document = parsed.value.document();
  parsed.value.dispose(); // frees the parsed document, which the element tree does not use
  const reading = reader(document);
  if (!reading.ok) throw new Error(reading.refusal.text);
  return reading.value;
}

/** Makes a message id in the gateway's format: a UUID without hyphens. */
const ourId = (n: number) => `7c9e6679742540de944be07fc1f90a${String(n).padStart(2, '0')}`;
const at = (seconds: string) => `2026-11-21T04:00:${seconds}Z`;
const bic = (bicfi: string) => ({ bicfi });

type Statement = Omit<StatusStatement, 'messageIdentification' | 'creationDateTime'>;

function refusal(key: RejectionKey, ...more: readonly string[]): Statement {
  const rejection = reject(key);
  const { isoCode: reasonCode } = rejection;
  return { status: 'RJCT', reasonCode, additionalInformation: [additionalInformation(rejection), ...more] };
}

/**
 * Builds the messages of the fixture's payment: 1,000 SGD at a rate of 25 are 25,000 THB, of which 24,900 THB
 * are credited.
 */
function paymentExamples(): Readonly<Record<string, string>> {
  const instruction = fixture('pacs008/sg-th-lotus.xml');
  const received = read('pacs008', instruction, readPacs008);
  const forwarded = buildForwardedPacs008(received, {
    messageIdentification: ourId(1),
    creationDateTime: at('00.700'),
    clearingSystemId: 'THBPPAY',
    interbankSettlementAmount: { currency: 'THB', amount: '25000' },
    settlementDate: '2026-11-21',
    instructingAgent: bic('HARBTHS0'),
    instructedAgent: bic('LOTUTHS0'),
  });
  const leg = read('pacs008', forwarded, readForwardedPacs008);
  const answer = (n: number, seconds: string, statement: Statement) =>
    answerPacs008(pacs008ReferencesOf(received), { messageIdentification: ourId(n), creationDateTime: at(seconds), ...statement });
  const confirm = (n: number, seconds: string, statement: Statement) =>
    confirmPacs008(pacs008ReferencesOf(leg), { messageIdentification: ourId(n), creationDateTime: at(seconds), ...statement });
  const report = (statement: Statement) =>
    buildPacs002({
      messageIdentification: 'THBPPAY20261121000000000001',
      creationDateTime: at('01.000'),
      original: originalReferencesOf(leg),
      ...statement,
      instructingAgent: bic('LOTUTHS0'),
      instructedAgent: bic('HARBTHS0'),
    });
  return {
    'pacs008': instruction,
    'pacs002-actc': answer(2, '00.720', { status: 'ACTC' }),
    'pacs002-rjct': answer(2, '00.720', refusal('quote-expired')),
    'pacs002-accc': answer(3, '01.050', { status: 'ACCC' }),
    'pacs008-forwarded': forwarded,
    'pacs002-report-accc': report({ status: 'ACCC' }),
    'pacs002-report-rjct': report({ status: 'RJCT', reasonCode: 'AC04' }),
    'pacs002-report-acwp': report({ status: 'ACWP' }),
    'pacs002-confirmation-accc': confirm(4, '01.050', { status: 'ACCC' }),
    'pacs002-confirmation-rjct': confirm(4, '20.010', refusal('deadline-expired', returnCredit)),
    'pacs028': enquireAboutPacs008(leg, { messageIdentification: ourId(5), creationDateTime: '2026-11-21T04:01:00.700Z' }),
    'fxtr017': buildFxtr017({
      messageIdentification: ourId(6),
      uetr: received.uetr,
      quoteId: received.agreedRate.quoteId ?? '',
      completionDate: '2026-11-21',
      sourcePsp: bic('LOTUSGS0'),
      fxp: bic('MERISGS0'),
      tradingSideBuyAmount: { currency: 'THB', amount: '25000' },
      tradingSideSellAmount: { currency: 'SGD', amount: '1000' },
      exchangeRate: '25',
      destinationSap: bic('HARBTHS0'),
      destinationSapAccountId: 'MERI-TH-THB',
      destinationPsp: bic('LOTUTHS0'),
      sourceSap: bic('HARBSGS0'),
      sourceSapAccountId: 'MERI-SG-SGD',
    }),
  };
}

/**
 * Builds the messages of a resolution: Thailand's proxy directory resolves the mobile number of the fixture.
 */
function resolutionExamples(): Readonly<Record<string, string>> {
  const request = fixture('acmt023/proxy.xml');
  const received = read('acmt023', request, readAcmt023);
  const forwarded = buildForwardedAcmt023(received, {
    messageIdentification: ourId(7),
    creationDateTime: '2026-11-21T03:59:00.300Z',
    assignee: { otherId: 'TH-PROXY' },
    country: 'TH',
  });
  const ours = requestReferencesOf(read('acmt023', forwarded, readAcmt023));
  const asked = { account: received.account };
  const found = answerAcmt023(ours, {
    messageIdentification: 'THBPPAY20261121000000000011',
    creationDateTime: '2026-11-21T03:59:01.000Z',
    assigner: { otherId: 'TH-PROXY' },
    assignee: bic('LOTUSGS0'),
    verified: true,
    asked,
    found: {
      partyName: 'Somchai Jaidee',
      account: { otherId: '6600000001' },
      accountName: 'S. JAIDEE',
      agent: bic('LOTUTHS0'),
    },
  });
  const original = requestReferencesOf(received);
  const passedOn = passOnAcmt024(read('acmt024', found, readAcmt024), original, {
    messageIdentification: ourId(8),
    creationDateTime: '2026-11-21T03:59:01.050Z',
  });
  const refused = answerAcmt023(original, {
    messageIdentification: ourId(8),
    creationDateTime: '2026-11-21T03:59:08.000Z',
    assigner: { otherId: 'ISTHMUS' },
    assignee: bic('LOTUSGS0'),
    verified: false,
    reasonCode: 'AB08',
    asked,
  });
  return {
    'acmt023': request,
    'acmt024-true': passedOn,
    'acmt024-false': refused,
    'acmt023-forwarded': forwarded,
    'acmt024-directory': found,
  };
}

/** Builds the source system's daily book for the day of the payment. */
function bookExamples(): Readonly<Record<string, string>> {
  const received = read('pacs008', fixture('pacs008/sg-th-lotus.xml'), readPacs008);
  const [none, one] = [{ number: 0, sum: '0' }, { number: 1, sum: '1000' }];
  const counted = { all: one, credits: none, debits: one };
  const book = buildCamt054({
    messageIdentification: '20261121SGDFAST.1',
    id: '20261121SGDFAST',
    page: 1,
    isLastPage: true,
    from: '2026-11-21T00:00:00.000Z',
    to: '2026-11-22T00:00:00.000Z',
    book: 'SGDFAST',
    currency: 'SGD',
    ...counted,
    byStatus: [{ status: 'ACCC', ...counted, net: { amount: '1000', direction: 'DBIT' } }],
    entries: [
      {
        reference: 1,
        amount: { currency: 'SGD', amount: '1000' },
        direction: 'DBIT',
        status: 'ACCC',
        decidedAt: '2026-11-21T04:00:01.700Z',
        messageIdentification: received.messageIdentification,
        endToEndId: received.endToEndId,
        uetr: received.uetr,
        counterAmount: { currency: 'THB', amount: '25000' },
        debtorAgent: bic('LOTUSGS0'),
        creditorAgent: bic('LOTUTHS0'),
      },
    ],
  });
  return { camt054: book };
}

/** Indents XML with one element per line. Text stays on the line of its element. */
function indented(xml: string): string {
  using document = XmlDocument.fromString(xml, { option: ParseOption.XML_PARSE_NOBLANKS });
  return `<?xml version="1.0" encoding="UTF-8"?>\n${document.toString({ format: true, noDeclaration: true })}`;
}

/** Returns the contents of the files in schemas/examples, by file name. */
export function exampleFiles(): Readonly<Record<string, string>> {
  const examples = { ...paymentExamples(), ...resolutionExamples(), ...bookExamples() };
  return Object.fromEntries(Object.entries(examples).map(([name, xml]) => [`${name}.xml`, indented(xml)]));
}

if (process.argv[1] === import.meta.filename) {
  mkdirSync(exampleFolder, { recursive: true });
  for (const [name, text] of Object.entries(exampleFiles())) writeFileSync(join(exampleFolder, name), text);
}
