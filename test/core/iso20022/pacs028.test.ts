// The enquiry about a forwarded payment.
import { expect, test } from 'vitest';
import { buildForwardedPacs008 } from '../../../core/iso20022/build-pacs008.ts';
import { readForwardedPacs008, readPacs008 } from '../../../core/iso20022/pacs008.ts';
import type { Rejection } from '../../../core/rejections/rejection.ts';
import type { Result } from '../../../core/result.ts';
import { enquireAboutPacs008 } from '../../../core/iso20022/pacs028.ts';
import { readPacs028 } from '../../harness/pacs028.ts';
import { lotus, readFixture, validTree } from '../../xml/fixtures.ts';

function valueOf<T>(reading: Result<T, Rejection>): T {
  if (!reading.ok) throw new Error(reading.refusal.key);
  return reading.value;
}

const leg = {
  messageIdentification: 'ISTHMUS20261121000000000031',
  creationDateTime: '2026-11-21T04:01:00.000Z',
};

test('an enquiry names the forwarded message and goes its way (TIM-2)', async () => {
  const received = valueOf(readPacs008(await validTree('pacs008', lotus)));
  const text = buildForwardedPacs008(received, {
    messageIdentification: 'ISTHMUS20261121000000000001',
    creationDateTime: '2026-11-21T04:00:01.000Z',
    clearingSystemId: 'THBPPAY',
    interbankSettlementAmount: { currency: 'THB', amount: '25000' },
    settlementDate: '2026-11-21',
    instructingAgent: { bicfi: 'HARBTHS0' },
    instructedAgent: { bicfi: 'LOTUTHS0' },
  });
  const forwarded = valueOf(readForwardedPacs008(await validTree('pacs008', text)));
  const enquiry = valueOf(readPacs028(await validTree('pacs028', enquireAboutPacs008(forwarded, leg))));
  expect(enquiry).toEqual({
    ...leg,
    original: {
      messageIdentification: 'ISTHMUS20261121000000000001',
      messageNameId: 'pacs.008.001.13',
      creationDateTime: '2026-11-21T04:00:01.000Z',
      instructionId: 'LOTU-INSTR-0001',
      endToEndId: 'INVOICE-2026-118',
      transactionId: 'LOTU-TX-0001',
      uetr: '6f1f3a52-9d0c-4f7e-8a43-2f4b7a1c9e01',
    },
    acceptanceDateTime: '2026-11-21T04:00:00.000Z',
    instructingAgent: { bicfi: 'HARBTHS0' },
    instructedAgent: { bicfi: 'LOTUTHS0' },
  });
});

test('an enquiry of another sender is read', async () => {
  const enquiry = valueOf(readPacs028(await validTree('pacs028', readFixture('pacs028', 'enquiry.xml'))));
  expect(enquiry.original).toEqual({
    messageIdentification: 'ISTHMUS20261121000000000001',
    messageNameId: 'pacs.008.001.13',
    endToEndId: 'INVOICE-2026-118',
    uetr: '6f1f3a52-9d0c-4f7e-8a43-2f4b7a1c9e01',
  });
});
