// Status reports: read from a destination, written to the source and back to the destination.
import { describe, expect, test } from 'vitest';
import { messages } from '../../../core/iso20022/messages.ts';
import {
  answerPacs008,
  buildPacs002,
  confirmPacs008,
  pacs008ReferencesOf,
  readPacs002,
  type Pacs002,
} from '../../../core/iso20022/pacs002.ts';
import { readPacs008, type Pacs008 } from '../../../core/iso20022/pacs008.ts';
import { readMessageKey, readPacs008References } from '../../../core/iso20022/references.ts';
import { libxml2, lotus, readFixture, validTree } from '../../xml/fixtures.ts';

async function read(text: string | Uint8Array): Promise<Pacs002> {
  const reading = readPacs002(await validTree('pacs002', text));
  if (!reading.ok) throw new Error(reading.refusal.key);
  return reading.value;
}

async function original(): Promise<Pacs008> {
  const reading = readPacs008(await validTree('pacs008', lotus));
  if (!reading.ok) throw new Error(reading.refusal.key);
  return reading.value;
}

const statement = {
  messageIdentification: 'ISTHMUS20261121000000000009',
  creationDateTime: '2026-11-21T04:00:03.000Z',
  status: 'RJCT',
  reasonCode: 'AB04',
  additionalInformation: ['PAY-4 CdtTrfTxInf/AgrdRate/QtId: quote expired'],
} as const;

const credited = {
  messageIdentification: statement.messageIdentification,
  creationDateTime: statement.creationDateTime,
  status: 'ACCC',
} as const;

const originalOfLotus = {
  messageIdentification: 'SGDFAST20261121000000000001',
  messageNameId: 'pacs.008.001.13',
  creationDateTime: '2026-11-21T04:00:00.500Z',
  instructionId: 'LOTU-INSTR-0001',
  endToEndId: 'INVOICE-2026-118',
  transactionId: 'LOTU-TX-0001',
  uetr: '6f1f3a52-9d0c-4f7e-8a43-2f4b7a1c9e01',
};

describe('reading', () => {
  test('a rejection of a destination', async () => {
    expect(await read(readFixture('pacs002', 'rejected.xml'))).toEqual({
      messageIdentification: 'THBPPAY20261121000000000002',
      creationDateTime: '2026-11-21T04:00:02.000Z',
      original: {
        messageIdentification: 'ISTHMUS20261121000000000001',
        messageNameId: 'pacs.008.001.13',
        endToEndId: 'INVOICE-2026-118',
        uetr: '6f1f3a52-9d0c-4f7e-8a43-2f4b7a1c9e01',
      },
      status: 'RJCT',
      reasonCode: 'AC04',
      additionalInformation: ['account closed'],
      instructingAgent: { bicfi: 'LOTUTHS0' },
      instructedAgent: { bicfi: 'HARBTHS0' },
    });
  });

  test('a rejection without reason code is refused (MSG-11)', async () => {
    const text = readFixture('pacs002', 'rejected.xml')
      .toString()
      .replace(/<Rsn>[^]*<\/Rsn>/, '');
    expect(readPacs002(await validTree('pacs002', text))).toMatchObject({
      ok: false,
      refusal: { isoCode: 'CH21', ruleId: 'MSG-11' },
    });
  });

  test('a status that the scheme does not use is not valid (PAY-7)', async () => {
    const text = readFixture('pacs002', 'credited.xml').toString().replace('ACCC', 'ACSC');
    await expect(validTree('pacs002', text)).rejects.toThrow(/TxSts/);
  });
});

describe('building (MSG-11, PAY-9)', () => {
  test('the answer to the source repeats its ids and swaps its agents', async () => {
    expect(await read(answerPacs008(pacs008ReferencesOf(await original()), statement))).toEqual({
      ...statement,
      original: originalOfLotus,
      instructingAgent: { bicfi: 'HARBSGS0' },
      instructedAgent: { bicfi: 'LOTUSGS0' },
    });
  });

  test('the confirmation goes the way of the message that it confirms', async () => {
    const confirmation = await read(confirmPacs008(pacs008ReferencesOf(await original()), credited));
    expect(confirmation).toMatchObject({
      status: 'ACCC',
      instructingAgent: { bicfi: 'LOTUSGS0' },
      instructedAgent: { bicfi: 'HARBSGS0' },
    });
  });

  test('what is read of a report is what it was built from', async () => {
    const values = await read(readFixture('pacs002', 'credited.xml'));
    expect(await read(buildPacs002(values))).toEqual(values);
  });
});

describe('answering a pacs.008 that is not valid (MSG-3)', () => {
  const wrong = lotus
    .replace('INVOICE-2026-118', 'bad//id')
    .replace('2026-11-21T04:00:00.500Z', 'yesterday')
    .replace('<BICFI>LOTUSGS0', '<BICFI>lotus')
    .replace('>LOTU-TX-0001<', `>${'x'.repeat(36)}<`);

  test('what cannot be repeated is left out, and the answer is valid', async () => {
    const parsed = libxml2.parse(Buffer.from(wrong), ['pacs008']);
    if (!parsed.ok) throw new Error(parsed.refusal.detail);
    const document = parsed.value.document();
    parsed.value.dispose();
    const key = { messageIdentification: originalOfLotus.messageIdentification, uetr: originalOfLotus.uetr };
    const references = readPacs008References(document, key, messages.pacs008.identifier);
    const answer = await read(answerPacs008(references, statement));
    expect(answer.original).toEqual({
      messageIdentification: originalOfLotus.messageIdentification,
      messageNameId: 'pacs.008.001.13',
      instructionId: 'LOTU-INSTR-0001',
      uetr: originalOfLotus.uetr,
    });
  });

  test.each([
    ['a message id', /<MsgId>.*<\/MsgId>/, '<MsgId></MsgId>', { element: 'MsgId', problem: 'missing' }],
    [
      'a message id of 36 characters',
      /<MsgId>.*<\/MsgId>/,
      `<MsgId>${'x'.repeat(36)}</MsgId>`,
      { element: 'MsgId', problem: 'malformed' },
    ],
    ['a UETR', /<UETR>.*<\/UETR>/, '', { element: 'UETR', problem: 'missing' }],
    ['a lower-case UETR', /6f1f3a52/, '6F1F3A52', { element: 'UETR', problem: 'malformed' }],
    ['a UETR of version 4', /-4f7e-/, '-1f7e-', { element: 'UETR', problem: 'malformed' }],
  ])('without %s no answer could be given (MSG-2)', (_, from, to, problem) => {
    const parsed = libxml2.parse(Buffer.from(lotus.replace(from, to)), ['pacs008']);
    if (!parsed.ok) throw new Error(parsed.refusal.detail);
    const document = parsed.value.document();
    parsed.value.dispose();
    expect(readMessageKey('pacs008', document)).toMatchObject({
      ok: false,
      refusal: problem,
    });
  });
});
