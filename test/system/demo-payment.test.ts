// The demo's payment, SG to TH, 1,000 SGD, asserted to the last figure in every message that any party sees.
import { beforeAll, describe, expect, test } from 'vitest';
import { buildPacs008, type OriginalPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { readFxtr017 } from '../../core/iso20022/fxtr017.ts';
import { readAccount, readAgent } from '../../core/iso20022/parties.ts';
import { childrenNamed, elementAt, textAt, type XmlElement } from '../../core/iso20022/tree.ts';
import { paymentWorkflowId } from '../../contract/ids.ts';
import { evidenceOf, expectSoundMessages } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction, type Changes } from '../../fixtures/instruction.ts';
import { bestQuote, parsePacs002, submitXml, type Submitted } from '../harness/payer.ts';
import { trade } from '../harness/trade.ts';
import { validTree } from '../xml/fixtures.ts';

const gateway = await testGateway();
const evidence = evidenceOf(gateway);

const people = {
  debtor: 'Tan Ah Kow',
  creditor: 'Somchai Jaidee',
  debtorAccount: '111-7781',
  creditorAccount: '555-0001',
  remittance: 'Invoice 1',
};

let quoteText = '';
let message: OriginalPacs008;
let answer: Submitted;
/** The trees of what each party got. */
let submitted: XmlElement;
let forwarded: XmlElement;
let forwardedId = '';
const anyMessageId = expect.stringMatching(/^[0-9a-f]{32}$/) as string;
const anyTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
const startedAt = new Date().toISOString();

beforeAll(async () => {
  const response = await fetch(
    `${gateway.url}/quotes/SG/SGD/TH/THB/SGD/1000?finInstIdType=BICFI&finInstId=LOTUSGS0`,
    { headers: { authorization: `Bearer ${await gateway.token('LOTUSGS0')}` } },
  );
  quoteText = await response.text();
  const { quotes } = JSON.parse(quoteText) as { quotes: Parameters<typeof instruction>[0][] };
  message = instruction(quotes[0]!, {
    clearingSystemReference: 'CSR-1',
    instructedAmount: { currency: 'SGD', amount: '1000.00' },
    debtor: { name: people.debtor, townName: 'Singapore', country: 'SG' },
    creditor: { name: people.creditor, townName: 'Bangkok', country: 'TH' },
    debtorAccount: { otherId: people.debtorAccount },
    creditorAccount: { otherId: people.creditorAccount },
    remittanceInformation: people.remittance,
    intermediaryAgent1: { bicfi: 'HARBSGS0' },
    intermediaryAgent1Account: { otherId: 'MERI-SG-SGD' },
    intermediaryAgent2: { bicfi: 'HARBTHS0' },
    intermediaryAgent2Account: { otherId: 'MERI-TH-THB' },
  });
  const xml = buildPacs008(message);
  answer = await submitXml(gateway, xml);
  await evidence.closed(message.uetr);
  submitted = await validTree('pacs008', xml);
  const entry = await evidence.arrival(message.uetr, 'destination', 'pacs008');
  forwarded = await validTree('pacs008', entry.bytes ?? '');
  forwardedId = entry.messageId ?? '';
});

const transactionOf = (document: XmlElement) => elementAt(document, 'FIToFICstmrCdtTrf/CdtTrfTxInf')!;
const groupOf = (document: XmlElement) => elementAt(document, 'FIToFICstmrCdtTrf/GrpHdr')!;
const today = () => startedAt.slice(0, 10);

test('the quote: 1,000 SGD at 25 are 25,000 THB, fee 100, credited 24,900, scheme fee 1.50', () => {
  const best = (JSON.parse(quoteText) as { quotes: unknown[] }).quotes[0];
  expect(best).toMatchObject({
    fxpfinInstIdType: 'BICFI',
    fxpfinInstId: 'MERISGS0',
    exchangeRate: 25,
    debtorAgent: {
      interbankSettlementAmount: { currency: 'SGD', amount: 1000, cappedToMaxAmount: false },
      networkSchemeFee: { amount: 1.5, currency: 'SGD' },
    },
    intermediaryAgent1: { finInstId: { BICFI: 'HARBSGS0' } },
    intermediaryAgent1Account: { id: 'MERI-SG-SGD' },
    intermediaryAgent2: { finInstId: { BICFI: 'HARBTHS0' } },
    intermediaryAgent2Account: { id: 'MERI-TH-THB' },
    creditorAgent: {
      interbankSettlementAmount: { currency: 'THB', amount: 25000, cappedToMaxAmount: false },
      chargesInformation: { amount: { amount: 100, currency: 'THB' } },
      creditorAccountAmount: 24900,
    },
  });
  // as they are written, too (MON-1, MON-4)
  for (const figure of ['"exchangeRate":25,', '"amount":1000,', '"amount":1.5,', ':24900']) {
    expect(quoteText).toContain(figure);
  }
});

test('the first answer: ACTC, the source message named, agents swapped (PAY-1, MSG-11)', () => {
  expect(answer.httpStatus).toBe(200);
  expect(answer.headers.get('content-type')).toMatch(/^application\/xml/);
  expect(answer.report).toEqual({
    messageIdentification: anyMessageId,
    creationDateTime: anyTime,
    original: sourceOriginal(),
    status: 'ACTC',
    instructingAgent: { bicfi: 'HARBSGS0' },
    instructedAgent: { bicfi: 'LOTUSGS0' },
  });
});

function sourceOriginal() {
  return {
    messageIdentification: message.messageIdentification,
    messageNameId: 'pacs.008.001.13',
    creationDateTime: message.creationDateTime,
    instructionId: 'INSTR-1',
    endToEndId: 'E2E-1',
    transactionId: 'TX-1',
    uetr: message.uetr,
  };
}

describe('the forwarded pacs.008', () => {
  test('is a message of its own, for the destination system (MSG-9, MSG-10)', () => {
    const group = groupOf(forwarded);
    expect(textAt(group, 'MsgId')).toMatch(/^[0-9a-f]{32}$/);
    expect(textAt(group, 'MsgId')).not.toBe(message.messageIdentification);
    expect(Date.parse(textAt(group, 'CreDtTm') ?? '')).toBeGreaterThanOrEqual(Date.parse(startedAt));
    expect(textAt(group, 'NbOfTxs')).toBe('1');
    expect(textAt(group, 'SttlmInf/SttlmMtd')).toBe('CLRG');
    expect(textAt(group, 'SttlmInf/ClrSys/Prtry')).toBe('THBPPAY');
  });

  test('settles 25,000 THB today, from the destination SAP to the destination PSP (MSG-10)', () => {
    const transaction = transactionOf(forwarded);
    expect(elementAt(transaction, 'IntrBkSttlmAmt')).toMatchObject({
      text: '25000',
      attributes: { Ccy: 'THB' },
    });
    expect([today(), new Date().toISOString().slice(0, 10)]).toContain(textAt(transaction, 'IntrBkSttlmDt'));
    const agent = (name: string) => readAgent(elementAt(transaction, name))?.bicfi;
    const account = (name: string) => readAccount(elementAt(transaction, name))?.otherId;
    expect([agent('InstgAgt'), agent('InstdAgt')]).toEqual(['HARBTHS0', 'LOTUTHS0']);
    expect([agent('PrvsInstgAgt1'), account('PrvsInstgAgt1Acct')]).toEqual(['HARBSGS0', 'MERI-SG-SGD']);
    expect([agent('IntrmyAgt1'), account('IntrmyAgt1Acct')]).toEqual([undefined, undefined]);
    expect([agent('IntrmyAgt2'), account('IntrmyAgt2Acct')]).toEqual(['HARBTHS0', 'MERI-TH-THB']);
  });

  test('says all else as the source said it (MSG-9)', () => {
    const changed = [
      'IntrBkSttlmAmt',
      'IntrBkSttlmDt',
      'InstgAgt',
      'InstdAgt',
      'PrvsInstgAgt1',
      'PrvsInstgAgt1Acct',
      'IntrmyAgt1',
      'IntrmyAgt1Acct',
    ];
    const unchanged = (document: XmlElement) =>
      transactionOf(document).children.filter((one) => !changed.includes(one.name));
    expect(unchanged(forwarded)).toEqual(unchanged(submitted));
    const transaction = transactionOf(forwarded);
    const texts = {
      'PmtId/InstrId': 'INSTR-1',
      'PmtId/EndToEndId': 'E2E-1',
      'PmtId/TxId': 'TX-1',
      'PmtId/UETR': message.uetr,
      'PmtId/ClrSysRef': 'CSR-1',
      'PmtTpInf/InstrPrty': 'NORM',
      'PmtTpInf/CtgyPurp/Cd': 'CASH',
      'AddtlDtTm/AccptncDtTm': message.acceptanceDateTime,
      InstdAmt: '1000.00',
      'AgrdRate/UnitCcy': 'SGD',
      'AgrdRate/QtdCcy': 'THB',
      'AgrdRate/PreAgrdXchgRate': '25',
      'AgrdRate/QtId': message.agreedRate.quoteId,
      ChrgBr: 'SHAR',
      'Dbtr/Nm': people.debtor,
      'DbtrAcct/Id/Othr/Id': people.debtorAccount,
      'DbtrAgt/FinInstnId/BICFI': 'LOTUSGS0',
      'CdtrAgt/FinInstnId/BICFI': 'LOTUTHS0',
      'Cdtr/Nm': people.creditor,
      'CdtrAcct/Id/Othr/Id': people.creditorAccount,
      'Purp/Cd': 'GDDS',
      'RmtInf/Ustrd': people.remittance,
    };
    for (const [path, text] of Object.entries(texts)) expect(textAt(transaction, path), path).toBe(text);
    const charges = childrenNamed(transaction, 'ChrgsInf').map((one) => elementAt(one, 'Amt'));
    expect(charges.map((one) => `${one?.text} ${one?.attributes['Ccy']}`)).toEqual(['0 SGD', '100 THB']);
  });
});

test('the creditor gets 24,900 THB of 25,000, once (FEE-2)', () => {
  const booked = evidence.entries(message.uetr).filter((one) => one.direction === 'booked');
  expect(booked).toMatchObject([
    {
      status: 'moved',
      amount: '25000',
      currency: 'THB',
      creditedAmount: '24900',
      party: 'destination/IPSO-TH',
    },
  ]);
});

test('the final pacs.002 to the source: ACCC, once, under its MsgId (PAY-7, MSG-11, CBK-2)', () => {
  const callbacks = evidence.received(message.uetr, 'source', 'pacs002');
  expect(callbacks).toHaveLength(1);
  const report = parsePacs002(callbacks[0]?.bytes ?? '');
  expect(report).toEqual({
    messageIdentification: anyMessageId,
    creationDateTime: anyTime,
    original: sourceOriginal(),
    status: 'ACCC',
    instructingAgent: { bicfi: 'HARBSGS0' },
    instructedAgent: { bicfi: 'LOTUSGS0' },
  });
  expect(report.messageIdentification).not.toBe(answer.report?.messageIdentification);
  expect(callbacks[0]?.headers?.['webhook-id']).toBe(report.messageIdentification);
});

test('the confirmation to the destination: ACCC, of the message that it got, agents as in it (PAY-9)', () => {
  const confirmations = evidence.received(message.uetr, 'destination', 'pacs002');
  expect(confirmations).toHaveLength(1);
  expect(parsePacs002(confirmations[0]?.bytes ?? '')).toEqual({
    messageIdentification: anyMessageId,
    creationDateTime: anyTime,
    original: {
      ...sourceOriginal(),
      messageIdentification: forwardedId,
      creationDateTime: textAt(groupOf(forwarded), 'CreDtTm'),
    },
    status: 'ACCC',
    instructingAgent: { bicfi: 'HARBTHS0' },
    instructedAgent: { bicfi: 'LOTUTHS0' },
  });
});

test('the fxtr.017 to Meridian: LOTUSGS0 bought 25,000 THB and sold 1,000 SGD, at 25, settled (NOT-1, NOT-2)', async () => {
  const notifications = evidence.received(message.uetr, 'fxp', 'fxtr017');
  expect(notifications.map((one) => one.party)).toEqual(['fxp/MERISGS0']);
  const tree = await validTree('fxtr017', notifications[0]?.bytes ?? '');
  const reading = readFxtr017(tree);
  const date = textAt(tree, 'FXTradStsAndDtlsNtfctn/TradInf/TradDt');
  expect([today(), new Date().toISOString().slice(0, 10)]).toContain(date);
  expect(reading).toEqual({
    ok: true,
    value: {
      ...trade,
      messageIdentification: anyMessageId,
      uetr: message.uetr,
      quoteId: message.agreedRate.quoteId,
      completionDate: date,
    },
  });
  const hex = message.uetr.replaceAll('-', '');
  const texts = {
    'StsDtls/MtchgSysUnqRef': hex,
    'StsDtls/CurSts/StsCd/Cd': 'STLD',
    'TradInf/OrgtrRef': hex,
    'TradInf/CmonRef': message.agreedRate.quoteId?.replaceAll('-', ''),
    'TradInf/PdctTp': 'ISTHMUS',
    'TradInf/SpltTradInd': 'false',
    'TradAmts/SttlmDt': date,
    'AgrdRate/UnitCcy': 'SGD',
    'AgrdRate/QtdCcy': 'THB',
  };
  for (const [path, text] of Object.entries(texts)) {
    expect(textAt(tree, `FXTradStsAndDtlsNtfctn/${path}`), path).toBe(text);
  }
});

test('an fxtr.017 names each agent by the BIC or LEI of the messages, a branch too; else by its first BIC (NOT-2, REF-4)', async () => {
  const tell = async (changes: Changes) => {
    const sent = instruction(await bestQuote(gateway), changes);
    await submitXml(gateway, buildPacs008(sent));
    await evidence.closed(sent.uetr);
    const [notification] = evidence.received(sent.uetr, 'fxp', 'fxtr017');
    const reading = readFxtr017(await validTree('fxtr017', notification?.bytes ?? ''));
    return reading.ok ? reading.value : reading.refusal;
  };
  const named = {
    debtorAgent: { bicfi: 'LOTUSGS0XXX' },
    creditorAgent: { bicfi: 'LOTUTHS0XXX' },
    intermediaryAgent1: { bicfi: 'HARBSGS0XXX' },
    intermediaryAgent2: { bicfi: 'HARBTHS0XXX' },
  };
  expect(await tell(named)).toMatchObject({
    sourcePsp: named.debtorAgent,
    destinationPsp: named.creditorAgent,
    sourceSap: named.intermediaryAgent1,
    destinationSap: named.intermediaryAgent2,
  });
  const otherwise = {
    debtorAgent: { lei: '999900LOTUSGS0000022' },
    creditorAgent: { memberId: { clearingSystemId: 'THBPPAY', memberId: 'LOTUTH01' } },
  };
  expect(await tell(otherwise)).toMatchObject({
    sourcePsp: otherwise.debtorAgent,
    destinationPsp: { bicfi: 'LOTUTHS0' },
    sourceSap: { bicfi: 'HARBSGS0' },
    destinationSap: { bicfi: 'HARBTHS0' },
  });
});

test('Temporal tells the story: status, corridor, systems, priority, FX provider', async () => {
  const description = await gateway.temporal.workflow.getHandle(paymentWorkflowId(message.uetr)).describe();
  expect(description.status.name).toBe('COMPLETED');
  expect(await description.staticSummary()).toBe('Payment from SGDFAST to TH');
  const values = Object.fromEntries(
    description.typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]),
  );
  expect(values).toMatchObject({
    Uetr: message.uetr,
    PaymentStatus: 'ACCC',
    Corridor: 'SG-TH',
    SourceSystem: 'SGDFAST',
    DestinationSystem: 'THBPPAY',
    Priority: 'NORM',
    Fxp: expect.any(String) as string,
  });
});

test('every message that any party saw is valid, and no party saw a rule broken (MSG-3)', () =>
  expectSoundMessages(gateway));
