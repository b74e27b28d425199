// The differences of a forwarded pacs.008: each has its rule, and any other stands out.
import { describe, expect, test } from 'vitest';
import { buildForwardedPacs008, type ForwardedLeg } from '../../../core/iso20022/build-pacs008.ts';
import { readPacs008 } from '../../../core/iso20022/pacs008.ts';
import type { XmlElement } from '../../../core/iso20022/tree.ts';
import { compareMessages, type FieldDifference } from '../../../core/rejections/message-difference.ts';
import { lotus, readFixture, validTree } from '../../xml/fixtures.ts';

const leg: ForwardedLeg = {
  messageIdentification: 'ISTHMUS20261121000000000001',
  creationDateTime: '2026-11-21T04:00:01.000Z',
  clearingSystemId: 'THBPPAY',
  interbankSettlementAmount: { currency: 'THB', amount: '25000' },
  settlementDate: '2026-11-22',
  instructingAgent: { bicfi: 'HARBTHS0' },
  instructedAgent: { bicfi: 'LOTUTHS0' },
  previousInstructingAgent1: { bicfi: 'HARBSGS0' },
  previousInstructingAgent1Account: { otherId: 'MERI-SG-SGD' },
  intermediaryAgent2: { bicfi: 'HARBTHS0' },
  intermediaryAgent2Account: { otherId: 'MERI-TH-THB' },
};

interface Pair {
  readonly received: XmlElement;
  readonly forwarded: XmlElement;
}

async function forward(text: string | Uint8Array): Promise<Pair> {
  const received = await validTree('pacs008', text);
  const reading = readPacs008(received);
  if (!reading.ok) throw new Error(reading.refusal.key);
  return { received, forwarded: await validTree('pacs008', buildForwardedPacs008(reading.value, leg)) };
}

const transaction = '/Document/FIToFICstmrCdtTrf/CdtTrfTxInf';
const group = '/Document/FIToFICstmrCdtTrf/GrpHdr';
const short = (xpath: string | undefined) => xpath?.replace('/Document/FIToFICstmrCdtTrf/', '');
const line = ({ change, ruleId, receivedXpath, forwardedXpath, received, forwarded }: FieldDifference) =>
  [ruleId ?? 'NO RULE', change, short(receivedXpath), short(forwardedXpath), received, forwarded]
    .filter((one) => one !== undefined)
    .join(' ');

describe('the difference of a forwarded message (MSG-9, MSG-10)', () => {
  test('names each field that changed, how, and the rule', async () => {
    const { received, forwarded } = await forward(lotus);
    const tx = 'CdtTrfTxInf';
    expect(compareMessages(received, forwarded).map(line)).toEqual([
      'MSG-9 changed GrpHdr/MsgId GrpHdr/MsgId SGDFAST20261121000000000001 ISTHMUS20261121000000000001',
      'MSG-9 changed GrpHdr/CreDtTm GrpHdr/CreDtTm 2026-11-21T04:00:00.500Z 2026-11-21T04:00:01.000Z',
      'MSG-10 changed GrpHdr/SttlmInf/ClrSys/Prtry GrpHdr/SttlmInf/ClrSys/Prtry SGDFAST THBPPAY',
      `MSG-10 changed ${tx}/IntrBkSttlmAmt/@Ccy ${tx}/IntrBkSttlmAmt/@Ccy SGD THB`,
      `MSG-10 changed ${tx}/IntrBkSttlmAmt ${tx}/IntrBkSttlmAmt 1000.00 25000`,
      `MSG-10 changed ${tx}/IntrBkSttlmDt ${tx}/IntrBkSttlmDt 2026-11-21 2026-11-22`,
      `MSG-10 changed ${tx}/InstgAgt/FinInstnId/BICFI ${tx}/InstgAgt/FinInstnId/BICFI LOTUSGS0 HARBTHS0`,
      `MSG-10 changed ${tx}/InstdAgt/FinInstnId/BICFI ${tx}/InstdAgt/FinInstnId/BICFI HARBSGS0 LOTUTHS0`,
      `MSG-10 moved ${tx}/IntrmyAgt1/FinInstnId/BICFI ${tx}/PrvsInstgAgt1/FinInstnId/BICFI HARBSGS0 HARBSGS0`,
      `MSG-10 moved ${tx}/IntrmyAgt1Acct/Id/Othr/Id ${tx}/PrvsInstgAgt1Acct/Id/Othr/Id MERI-SG-SGD MERI-SG-SGD`,
    ]);
  });

  test('what the quote fills in is attributed to PAY-4', async () => {
    const { received, forwarded } = await forward(
      lotus
        .replace(/<IntrmyAgt1>[^]*<\/IntrmyAgt1Acct>/, '')
        .replace(/<IntrmyAgt2Acct>[^]*<\/IntrmyAgt2Acct>/, ''),
    );
    const added = compareMessages(received, forwarded).filter((one) => one.change === 'added');
    expect(added.map(line)).toEqual([
      'PAY-4 added CdtTrfTxInf/PrvsInstgAgt1/FinInstnId/BICFI HARBSGS0',
      'PAY-4 added CdtTrfTxInf/PrvsInstgAgt1Acct/Id/Othr/Id MERI-SG-SGD',
      'PAY-4 added CdtTrfTxInf/IntrmyAgt2Acct/Id/Othr/Id MERI-TH-THB',
    ]);
  });
});

/** Every leaf of a tree, with a way to write the tree without it or with another text in it. */
function leavesOf(root: XmlElement): { path: string; change: (text: string | undefined) => XmlElement }[] {
  const visit = (
    element: XmlElement,
    path: string,
    rebuild: (child: XmlElement | undefined) => XmlElement,
  ): ReturnType<typeof leavesOf> =>
    element.children.length === 0
      ? [{ path, change: (text) => rebuild(text === undefined ? undefined : { ...element, text }) }]
      : element.children.flatMap((child, index) =>
          visit(child, `${path}/${child.name}`, (changed) =>
            rebuild({
              ...element,
              children: element.children.flatMap((one, at) =>
                at === index ? (changed === undefined ? [] : [changed]) : [one],
              ),
            }),
          ),
        );
  return visit(root, `/${root.name}`, (changed) => changed ?? root);
}

describe('a defect of the gateway', () => {
  const ours = new RegExp(
    `^(${group}/(MsgId|CreDtTm|SttlmInf/ClrSys/)|${transaction}/(IntrBkSttlmAmt|IntrBkSttlmDt|InstgAgt|InstdAgt)(/|$))`,
  );

  test('any other field that is altered or lost on the way stands out, in the fullest of messages', async () => {
    const { received, forwarded } = await forward(readFixture('pacs008', 'sg-th-full.xml'));
    const unnoticed: string[] = [];
    let fields = 0;
    for (const { path, change } of leavesOf(forwarded)) {
      if (ours.test(path)) continue;
      fields += 1;
      for (const text of ['tampered', undefined]) {
        const found = compareMessages(received, change(text)).filter((one) => one.ruleId === undefined);
        if (found.length === 0) unnoticed.push(`${path} ${text ?? 'dropped'}`);
      }
    }
    expect(fields).toBeGreaterThan(100);
    expect(unnoticed).toEqual([]);
  });
});
