// The notification of the FX provider (NOT-2).
import { expect, test } from 'vitest';
import { buildFxtr017, readFxtr017, type Fxtr017 } from '../../../core/iso20022/fxtr017.ts';
import { textAt } from '../../../core/iso20022/tree.ts';
import { trade as values } from '../../harness/trade.ts';
import { validTree } from '../../xml/fixtures.ts';

test('each figure and party stands where the interface specification says', async () => {
  const document = await validTree('fxtr017', buildFxtr017(values));
  const text = (path: string) => textAt(document, `FXTradStsAndDtlsNtfctn/${path}`);
  expect({
    uniqueReference: text('StsDtls/MtchgSysUnqRef'),
    status: text('StsDtls/CurSts/StsCd/Cd'),
    tradeDate: text('TradInf/TradDt'),
    originatorReference: text('TradInf/OrgtrRef'),
    commonReference: text('TradInf/CmonRef'),
    productType: text('TradInf/PdctTp'),
    split: text('TradInf/SpltTradInd'),
    tradingSide: text('TradgSdId/SubmitgPty/AnyBIC/AnyBIC'),
    counterpartySide: text('CtrPtySdId/SubmitgPty/AnyBIC/AnyBIC'),
    buy: text('TradAmts/TradgSdBuyAmt/Amt'),
    sell: text('TradAmts/TradgSdSellAmt/Amt'),
    settlementDate: text('TradAmts/SttlmDt'),
    rate: text('AgrdRate/XchgRate'),
    unit: text('AgrdRate/UnitCcy'),
    quoted: text('AgrdRate/QtdCcy'),
    delivery: text('TradgSdSttlmInstrs/DlvryAgt/PtyId/AcctNb'),
    receiving: text('TradgSdSttlmInstrs/RcvgAgt/AnyBIC/AnyBIC'),
    counterpartyDelivery: text('CtrPtySdSttlmInstrs/DlvryAgt/AnyBIC/AnyBIC'),
    counterpartyReceiving: text('CtrPtySdSttlmInstrs/RcvgAgt/PtyId/AcctNb'),
  }).toEqual({
    uniqueReference: '6f1f3a529d0c4f7e8a432f4b7a1c9e01',
    status: 'STLD',
    tradeDate: '2026-11-21',
    originatorReference: '6f1f3a529d0c4f7e8a432f4b7a1c9e01',
    commonReference: '0b5c8d2e4a614d3f9b7a1c2d3e4f5a6b',
    productType: 'ISTHMUS',
    split: 'false',
    tradingSide: 'LOTUSGS0',
    counterpartySide: 'MERISGS0',
    buy: '25000',
    sell: '1000',
    settlementDate: '2026-11-21',
    rate: '25',
    unit: 'SGD',
    quoted: 'THB',
    delivery: 'MERI-TH-THB',
    receiving: 'LOTUTHS0',
    counterpartyDelivery: 'LOTUSGS0',
    counterpartyReceiving: 'MERI-SG-SGD',
  });
});

test('what is read is what was built', async () => {
  expect(readFxtr017(await validTree('fxtr017', buildFxtr017(values)))).toEqual({ ok: true, value: values });
});

test('institutions without BIC are named by LEI or by their other id', async () => {
  const others: Fxtr017 = {
    ...values,
    sourcePsp: { lei: '999900LOTUSGS0000022' },
    destinationPsp: { otherId: 'MYFERN001' },
    destinationSap: { lei: '999900HARBTHS0000012' },
  };
  expect(readFxtr017(await validTree('fxtr017', buildFxtr017(others)))).toEqual({ ok: true, value: others });
});
