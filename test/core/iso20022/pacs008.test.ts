// A pacs.008 read, and the one that leaves for the destination.
import { describe, expect, test } from 'vitest';
import {
  buildForwardedPacs008,
  buildPacs008,
  type ForwardedLeg,
} from '../../../core/iso20022/build-pacs008.ts';
import { readForwardedPacs008, readPacs008, type Pacs008 } from '../../../core/iso20022/pacs008.ts';
import { elementAt, renderDocument, type XmlElement } from '../../../core/iso20022/tree.ts';
import { messages } from '../../../core/iso20022/messages.ts';
import { allFixtures, lotus, readFixture, validTree } from '../../xml/fixtures.ts';

async function read(text: string | Uint8Array): Promise<Pacs008> {
  const reading = readPacs008(await validTree('pacs008', text));
  if (!reading.ok) throw new Error(reading.refusal.key);
  return reading.value;
}

async function readForwarded(text: string): Promise<Pacs008> {
  const reading = readForwardedPacs008(await validTree('pacs008', text));
  if (!reading.ok) throw new Error(reading.refusal.key);
  return reading.value;
}

const leg: ForwardedLeg = {
  messageIdentification: 'ISTHMUS20261121000000000001',
  creationDateTime: '2026-11-21T04:00:01.000Z',
  clearingSystemId: 'THBPPAY',
  interbankSettlementAmount: { currency: 'THB', amount: '25000' },
  settlementDate: '2026-11-21',
  instructingAgent: { bicfi: 'HARBTHS0' },
  instructedAgent: { bicfi: 'LOTUTHS0' },
};

/** Paths and texts of all leaves below an element, with attributes. */
function leaves(element: XmlElement, path = ''): readonly string[] {
  const here = `${path}/${element.name}`;
  if (element.children.length > 0) return element.children.flatMap((child) => leaves(child, here));
  return [`${here} ${JSON.stringify(element.attributes)} ${element.text}`];
}

const transactionOf = (document: XmlElement) => {
  const transaction = elementAt(document, 'FIToFICstmrCdtTrf/CdtTrfTxInf');
  if (transaction === undefined) throw new Error('no transaction');
  return transaction;
};

describe('reading (MSG-5, MSG-6)', () => {
  test('every value stands where the rules say', async () => {
    const values = await read(lotus);
    expect({ ...values, header: values.header.name, transaction: values.transaction.name }).toEqual({
      header: 'GrpHdr',
      transaction: 'CdtTrfTxInf',
      messageIdentification: 'SGDFAST20261121000000000001',
      creationDateTime: '2026-11-21T04:00:00.500Z',
      clearingSystemId: 'SGDFAST',
      instructionId: 'LOTU-INSTR-0001',
      endToEndId: 'INVOICE-2026-118',
      transactionId: 'LOTU-TX-0001',
      uetr: '6f1f3a52-9d0c-4f7e-8a43-2f4b7a1c9e01',
      clearingSystemReference: 'FAST-000001',
      priority: 'NORM',
      categoryPurpose: 'CASH',
      purpose: 'GDDS',
      interbankSettlementAmount: { currency: 'SGD', amount: '1000.00' },
      settlementDate: '2026-11-21',
      acceptanceDateTime: { text: '2026-11-21T04:00:00.000Z', epochMs: Date.UTC(2026, 10, 21, 4) },
      instructedAmount: { currency: 'SGD', amount: '1001.00' },
      agreedRate: {
        preAgreedExchangeRate: '25',
        unitCurrency: 'SGD',
        quotedCurrency: 'THB',
        quoteId: '0b5c8d2e-4a61-4d3f-9b7a-1c2d3e4f5a6b',
      },
      charges: [
        { currency: 'SGD', amount: '1.00', agent: { bicfi: 'LOTUSGS0' } },
        { currency: 'THB', amount: '100.00', agent: { bicfi: 'LOTUTHS0' } },
      ],
      instructingAgent: { bicfi: 'LOTUSGS0' },
      instructedAgent: { bicfi: 'HARBSGS0' },
      intermediaryAgent1: { bicfi: 'HARBSGS0' },
      intermediaryAgent1Account: { otherId: 'MERI-SG-SGD' },
      intermediaryAgent2: { bicfi: 'HARBTHS0' },
      intermediaryAgent2Account: { otherId: 'MERI-TH-THB' },
      debtorAgent: { bicfi: 'LOTUSGS0' },
      creditorAgent: { bicfi: 'LOTUTHS0' },
      debtorAccount: { otherId: '1234567890' },
      creditorAccount: { otherId: '6600000001' },
    });
  });

  test('an acceptance time of another zone, with nanoseconds, is the same moment in UTC milliseconds', async () => {
    const { acceptanceDateTime } = await read(readFixture('pacs008', 'hk-de-iban.xml'));
    expect(acceptanceDateTime.epochMs).toBe(Date.UTC(2026, 10, 21, 4, 0, 0, 123));
  });

  test('agents without BIC, IBAN accounts and proxies are read', async () => {
    const noBic = await read(readFixture('pacs008', 'sg-my-no-bic.xml'));
    expect(noBic.debtorAgent).toEqual({ lei: '999900LOTUSGS0000022' });
    expect(noBic.creditorAgent).toEqual({ memberId: { clearingSystemId: 'MYRRPP', memberId: 'BANYMY01' } });
    const iban = await read(readFixture('pacs008', 'hk-de-iban.xml'));
    expect(iban.creditorAccount).toEqual({ iban: 'DE89370400440532013000' });
    const proxy = await read(readFixture('pacs008', 'sg-id-high.xml'));
    expect(proxy.creditorAccount).toEqual({
      otherId: '5500000002',
      proxy: { type: 'MBNO', id: '+62-81200000001' },
    });
    expect(proxy.priority).toBe('HIGH');
  });

  test('without currencies of the rate, those of the amounts count; without priority, NORM', async () => {
    const short = lotus
      .replace(/<UnitCcy>.*<\/UnitCcy>/, '')
      .replace(/<QtdCcy>.*<\/QtdCcy>/, '')
      .replace(/<InstrPrty>.*<\/InstrPrty>/, '');
    const values = await read(short);
    expect(values.agreedRate).toMatchObject({ unitCurrency: 'SGD', quotedCurrency: 'THB' });
    expect(values.priority).toBe('NORM');
  });

  test('a source may not fill in what only the forwarded message carries (MSG-10)', async () => {
    const forwarded = buildForwardedPacs008(await read(lotus), leg);
    const reading = readPacs008(await validTree('pacs008', forwarded));
    expect(reading).toMatchObject({
      ok: false,
      refusal: {
        isoCode: 'FF01',
        ruleId: 'MSG-10',
        xpath: '/Document/FIToFICstmrCdtTrf/CdtTrfTxInf/PrvsInstgAgt1',
      },
    });
  });
});

describe('forwarding (MSG-9, MSG-10)', () => {
  test('exactly the elements that MSG-10 names change', async () => {
    const received = await validTree('pacs008', lotus);
    const forwarded = await validTree('pacs008', buildForwardedPacs008(await read(lotus), leg));
    const before = leaves(transactionOf(received));
    const after = leaves(transactionOf(forwarded));
    expect(before.filter((one) => !after.includes(one))).toEqual([
      '/CdtTrfTxInf/IntrBkSttlmAmt {"Ccy":"SGD"} 1000.00',
      '/CdtTrfTxInf/InstgAgt/FinInstnId/BICFI {} LOTUSGS0',
      '/CdtTrfTxInf/InstdAgt/FinInstnId/BICFI {} HARBSGS0',
      '/CdtTrfTxInf/IntrmyAgt1/FinInstnId/BICFI {} HARBSGS0',
      '/CdtTrfTxInf/IntrmyAgt1Acct/Id/Othr/Id {} MERI-SG-SGD',
    ]);
    expect(after.filter((one) => !before.includes(one))).toEqual([
      '/CdtTrfTxInf/IntrBkSttlmAmt {"Ccy":"THB"} 25000',
      '/CdtTrfTxInf/PrvsInstgAgt1/FinInstnId/BICFI {} HARBSGS0',
      '/CdtTrfTxInf/PrvsInstgAgt1Acct/Id/Othr/Id {} MERI-SG-SGD',
      '/CdtTrfTxInf/InstgAgt/FinInstnId/BICFI {} HARBTHS0',
      '/CdtTrfTxInf/InstdAgt/FinInstnId/BICFI {} LOTUTHS0',
    ]);
  });

  test('the group header is that of the leg', async () => {
    const forwarded = await readForwarded(buildForwardedPacs008(await read(lotus), leg));
    expect(forwarded).toMatchObject({
      messageIdentification: leg.messageIdentification,
      creationDateTime: leg.creationDateTime,
      clearingSystemId: 'THBPPAY',
      settlementDate: '2026-11-21',
      previousInstructingAgent1: { bicfi: 'HARBSGS0' },
      previousInstructingAgent1Account: { otherId: 'MERI-SG-SGD' },
    });
    expect(forwarded.intermediaryAgent1).toBeUndefined();
  });

  test('absent intermediary agents are filled in from the quote (PAY-4)', async () => {
    const received = await read(readFixture('pacs008', 'sg-my-no-bic.xml'));
    const forwarded = await readForwarded(
      buildForwardedPacs008(received, {
        ...leg,
        interbankSettlementAmount: { currency: 'MYR', amount: '331.25' },
        previousInstructingAgent1: { bicfi: 'HARBSGS0' },
        previousInstructingAgent1Account: { otherId: 'POLA-SG-SGD' },
        intermediaryAgent2: { bicfi: 'HARBMYS0' },
        intermediaryAgent2Account: { otherId: 'POLA-MY-MYR' },
      }),
    );
    expect(forwarded).toMatchObject({
      previousInstructingAgent1: { bicfi: 'HARBSGS0' },
      previousInstructingAgent1Account: { otherId: 'POLA-SG-SGD' },
      intermediaryAgent2: { bicfi: 'HARBMYS0' },
      intermediaryAgent2Account: { otherId: 'POLA-MY-MYR' },
    });
  });

  test('with own FX and no intermediary agent 1 there is no previous instructing agent', async () => {
    const received = await read(readFixture('pacs008', 'sg-th-own-fx.xml'));
    const forwarded = await readForwarded(buildForwardedPacs008(received, leg));
    expect(forwarded.previousInstructingAgent1).toBeUndefined();
    expect(forwarded.intermediaryAgent2Account).toEqual({ otherId: 'LOTU-TH-THB' });
  });

  test.each(allFixtures().filter(({ message }) => message === 'pacs008'))(
    '$name, forwarded, is valid and the same text every time',
    async ({ bytes }) => {
      const received = await read(bytes);
      const text = buildForwardedPacs008(received, leg);
      await validTree('pacs008', text);
      expect(buildForwardedPacs008(await read(bytes), leg)).toBe(text);
    },
  );

  test('a name that is markup leaves as it came', async () => {
    const received = await read(lotus.replace('Somchai Jaidee', 'A&amp;B &lt;/Nm&gt; "x" 你好'));
    const forwarded = await readForwarded(buildForwardedPacs008(received, leg));
    expect(elementAt(forwarded.transaction, 'Cdtr/Nm')?.text).toBe('A&B </Nm> "x" 你好');
  });
});

describe('building', () => {
  test('what is built from values is read as those values', async () => {
    const { transaction, acceptanceDateTime, ...values } = await read(lotus);
    expect(transaction.name).toBe('CdtTrfTxInf');
    const text = buildPacs008({
      ...values,
      acceptanceDateTime: acceptanceDateTime.text,
      debtor: { name: 'Aisha Tan', townName: 'Singapore', country: 'SG' },
      creditor: { name: 'Somchai Jaidee' },
      remittanceInformation: 'Invoice 118',
    });
    expect(await read(text)).toMatchObject({ ...values, acceptanceDateTime });
  });

  test.each(allFixtures())(
    '$name, written out again from its tree, stays valid',
    async ({ message, bytes }) => {
      const document = await validTree(message, bytes);
      const again = await validTree(message, renderDocument(messages[message].namespace, document));
      expect(leaves(again)).toEqual(leaves(document));
    },
  );
});
