import { describe, expect, test } from 'vitest';
import {
  buildForwardedAcmt023,
  readAcmt023,
  readRequestReferences,
  requestReferencesOf,
  type Acmt023,
} from '../../../core/iso20022/acmt023.ts';
import { buildAcmt023, type OriginalAcmt023 } from '../../../fixtures/acmt023.ts';
import { answerAcmt023, passOnAcmt024, readAcmt024, type Acmt024 } from '../../../core/iso20022/acmt024.ts';
import { readPacs008References } from '../../../core/iso20022/references.ts';
import { branch, elementAt, leaf, textAt, type XmlElement } from '../../../core/iso20022/tree.ts';
import { officialNote, readFixture, validTree } from '../../xml/fixtures.ts';

const key = { messageIdentification: 'OUR1', creationDateTime: '2026-11-21T04:00:00.000Z' };

async function request(file: string): Promise<Acmt023> {
  const reading = readAcmt023(await validTree('acmt023', readFixture('acmt023', file)));
  if (!reading.ok) throw new Error(reading.refusal.text);
  return reading.value;
}

async function answer(file: string): Promise<Acmt024> {
  const reading = readAcmt024(await validTree('acmt024', readFixture('acmt024', file)));
  if (!reading.ok) throw new Error(reading.refusal.text);
  return reading.value;
}

const original: OriginalAcmt023 = {
  messageIdentification: 'SRC1',
  creationDateTime: '2026-11-21T03:59:00.000Z',
  destinationCountry: 'PH',
  verificationId: 'V-1',
  account: { proxy: { type: 'MBNO', id: '+63900000001' } },
  creditorAgent: { bicfi: 'LOTUPHS0' },
  currency: 'PHP',
  assigner: { bicfi: 'LOTUSGS0' },
  partyName: 'Maria Santos',
};

describe('reading', () => {
  test('a request names country, account or proxy, and agent', async () => {
    expect(await request('proxy.xml')).toMatchObject({
      destinationCountry: 'TH',
      verificationId: 'V-1',
      account: { proxy: { type: 'MBNO', id: '+66800000001' } },
    });
    expect(await request('account.xml')).toMatchObject({
      destinationCountry: 'MY',
      account: { otherId: '1100000001' },
      creditorAgent: { bicfi: 'LOTUMYS0' },
    });
  });

  test('what is built is read back', async () => {
    const reading = readAcmt023(await validTree('acmt023', buildAcmt023(original)));
    const { messageIdentification, destinationCountry, verificationId, account, creditorAgent, currency } =
      original;
    const value = {
      messageIdentification,
      destinationCountry,
      verificationId,
      account,
      creditorAgent,
      currency,
    };
    expect(reading).toMatchObject({ ok: true, value });
  });

  test('neither account nor proxy: CH21 (RES-2)', async () => {
    const reading = readAcmt023(await validTree('acmt023', buildAcmt023({ ...original, account: {} })));
    expect(reading).toMatchObject({
      ok: false,
      refusal: {
        isoCode: 'CH21',
        ruleId: 'RES-2',
        xpath: expect.stringContaining('Acct/Id') as string,
        expected: 'an account (Id) or a proxy (Prxy)',
      },
    });
  });

  test('an answer says what was found, or why not', async () => {
    expect(await answer('found.xml')).toMatchObject({
      verified: true,
      found: {
        partyName: 'Somchai Jaidee',
        account: { otherId: '6600000001' },
        accountName: 'S. JAIDEE',
        agent: { bicfi: 'LOTUTHS0' },
      },
    });
    expect(await answer('not-registered.xml')).toMatchObject({ verified: false, reasonCode: 'BE23' });
  });

  test('false without a reason is refused (RES-4)', async () => {
    const text = readFixture('acmt024', 'not-registered.xml')
      .toString()
      .replace(/<Rsn>.*?<\/Rsn>/s, '');
    const reading = readAcmt024(await validTree('acmt024', text));
    expect(reading).toMatchObject({ ok: false, refusal: { ruleId: 'RES-4' } });
  });
});

describe('a leg changes the assignee, MsgId and CreDtTm only (RES-3)', () => {
  const without = (element: XmlElement, ...names: readonly string[]): XmlElement =>
    branch(element.name, ...element.children.filter((one) => !names.includes(one.name)));
  const part = (tree: XmlElement, path: string) => elementAt(tree, `IdVrfctnReq/${path}`)!;

  test.each(['proxy.xml', 'account.xml', 'iban.xml'])(`%s${officialNote}`, async (file) => {
    const received = await request(file);
    const forwarded = await validTree(
      'acmt023',
      buildForwardedAcmt023(received, { ...key, assignee: { otherId: 'TH-PROXY' }, country: 'TH' }),
    );
    expect(part(forwarded, 'Assgnmt/MsgId').text).toBe('OUR1');
    expect(textAt(forwarded, 'IdVrfctnReq/Assgnmt/Assgne/Agt/FinInstnId/Othr/Id')).toBe('TH-PROXY');
    const changed = ['MsgId', 'CreDtTm', 'Assgne'];
    expect(without(part(forwarded, 'Assgnmt'), ...changed)).toEqual(
      without(elementAt(received.request, 'Assgnmt')!, ...changed),
    );
    expect(part(forwarded, 'Vrfctn')).toEqual(elementAt(received.request, 'Vrfctn'));
  });

  test('the creditor agent of a proxy gets the account that the directory found; all that was asked stays', async () => {
    const received = await request('proxy.xml');
    const forwarded = await validTree(
      'acmt023',
      buildForwardedAcmt023(received, {
        ...key,
        assignee: { bicfi: 'LOTUTHS0' },
        country: 'TH',
        account: { otherId: '6600000001' },
        creditorAgent: { bicfi: 'LOTUTHS0' },
      }),
    );
    const reading = readAcmt023(forwarded);
    expect(reading).toMatchObject({
      ok: true,
      value: {
        account: { otherId: '6600000001', proxy: { type: 'MBNO', id: '+66800000001' } },
        creditorAgent: { bicfi: 'LOTUTHS0' },
      },
    });
  });
});

describe('an answer', () => {
  test('passes on as it came, for the asker, about its own message (RES-3)', async () => {
    const [asked, said] = [await request('proxy.xml'), await answer('found.xml')];
    const references = { ...requestReferencesOf(asked), messageIdentification: 'SRC9' };
    const passed = await validTree('acmt024', passOnAcmt024(said, references, key));
    expect(elementAt(passed, 'IdVrfctnRpt/Rpt')).toEqual(elementAt(said.report, 'Rpt'));
    expect(textAt(passed, 'IdVrfctnRpt/OrgnlAssgnmt/MsgId')).toBe('SRC9');
    expect(textAt(passed, 'IdVrfctnRpt/Assgnmt/MsgId')).toBe('OUR1');
    expect(elementAt(passed, 'IdVrfctnRpt/Assgnmt/Assgnr')).toEqual(elementAt(said.report, 'Assgnmt/Assgnr'));
    expect(elementAt(passed, 'IdVrfctnRpt/Assgnmt/Assgne')?.children).toEqual(references.assigner?.children);
  });

  test('of the gateway is valid, whatever the request lacks', async () => {
    const statement = {
      ...key,
      assigner: { otherId: 'ISTHMUS' },
      assignee: { otherId: 'SGDFAST' },
      verified: false,
      reasonCode: 'FF01',
    };
    const empty = readRequestReferences(branch('Document', branch('IdVrfctnReq')), 'SRC1');
    const toNobody = await validTree('acmt024', answerAcmt023(empty, statement));
    expect(textAt(toNobody, 'IdVrfctnRpt/Rpt/OrgnlId')).toBe('NOTPROVIDED');
    expect(textAt(toNobody, 'IdVrfctnRpt/Assgnmt/Assgne/Agt/FinInstnId/Othr/Id')).toBe('SGDFAST');
    const full = requestReferencesOf(await request('account.xml'));
    expect(readAcmt024(await validTree('acmt024', answerAcmt023(full, statement)))).toMatchObject({
      ok: true,
      value: { verified: false, reasonCode: 'FF01', verificationId: 'V-1' },
    });
  });
});

test.each(['2026-02-30T00:00:00Z', '0500-01-01T00:00:00Z', '2026-01-01T00:00:00'])(
  '%s is no moment that an answer could repeat (MSG-2)',
  (moment) => {
    const resolution = branch('IdVrfctnReq', branch('Assgnmt', leaf('CreDtTm', moment)));
    expect(readRequestReferences(branch('Document', resolution), 'M1')).not.toHaveProperty(
      'creationDateTime',
    );
    const payment = branch('FIToFICstmrCdtTrf', branch('GrpHdr', leaf('CreDtTm', moment)));
    const references = readPacs008References(
      branch('Document', payment),
      { messageIdentification: 'M1', uetr: 'u' },
      'pacs.008',
    );
    expect(references.original).not.toHaveProperty('creationDateTime');
  },
);
