// A trade of the demo, as its fxtr.017 tells it: Lotus of Singapore sells 1,000 SGD to Meridian for 25,000 THB.
import type { Fxtr017 } from '../../core/iso20022/fxtr017.ts';

export const trade: Fxtr017 = {
  messageIdentification: 'ISTHMUS20261121000000000021',
  uetr: '6f1f3a52-9d0c-4f7e-8a43-2f4b7a1c9e01',
  quoteId: '0b5c8d2e-4a61-4d3f-9b7a-1c2d3e4f5a6b',
  completionDate: '2026-11-21',
  sourcePsp: { bicfi: 'LOTUSGS0' },
  fxp: { bicfi: 'MERISGS0' },
  tradingSideBuyAmount: { currency: 'THB', amount: '25000' },
  tradingSideSellAmount: { currency: 'SGD', amount: '1000' },
  exchangeRate: '25',
  destinationSap: { bicfi: 'HARBTHS0' },
  destinationSapAccountId: 'MERI-TH-THB',
  destinationPsp: { bicfi: 'LOTUTHS0' },
  sourceSap: { bicfi: 'HARBSGS0' },
  sourceSapAccountId: 'MERI-SG-SGD',
};
