// Unusual elements around the status of a destination's pacs.002 do not change its effect. Operators are told of
// them.
import { describe, expect, test } from 'vitest';
import type { Pacs002 } from '../../core/iso20022/pacs002.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { parsePacs002 } from '../harness/payer.ts';
import { postReport, reportOn, undecided } from '../harness/reports.ts';
import { officialFaults, officialPresent } from '../xml/fixtures.ts';

const gateway = await testGateway({ settings: { XERCES_SHARE: '1' } }); // both engines check every message
const evidence = evidenceOf(gateway);

/** An undecided payment, and the ids of its forwarded pacs.008. */
async function forwarded(): Promise<{ uetr: string; original: Pacs002['original'] }> {
  const { uetr } = await undecided(gateway);
  const { messageId = '' } = await evidence.arrival(uetr, 'destination', 'pacs008');
  return { uetr, original: { messageIdentification: messageId, messageNameId: 'pacs.008.001.13', uetr } };
}

const reasons = '<StsRsnInf><Rsn><Cd>AC04</Cd></Rsn></StsRsnInf>';

describe('what surrounds a final undoes nothing (PAY-11)', () => {
  test.each([
    ['no OrgnlGrpInf', /<OrgnlGrpInf>.*<\/OrgnlGrpInf>/s, '', 'AC04', undefined],
    ['a reason code of a later edition', '>AC04<', '>AC17<', 'AC17', undefined],
    [
      'a reason in own words',
      '<Cd>AC04</Cd>',
      '<Prtry>limit of the day\n</Prtry>',
      'NARR',
      'limit of the day?',
    ],
    ['no reason', reasons, '', 'NARR', 'the destination gave no reason that can be passed on'],
    [
      'all that follows a status',
      '</TxInfAndSts>',
      '<OrgnlTxRef><IntrBkSttlmDt>2026-11-21</IntrBkSttlmDt><Dbtr><Pty><Nm>A</Nm></Pty></Dbtr></OrgnlTxRef>' +
        '<SplmtryData><Envlp><x:a xmlns:x="urn:x" x:b="1"/></Envlp></SplmtryData></TxInfAndSts>',
      'AC04',
      undefined,
    ],
    [
      'comments, an instruction and CDATA',
      /<TxSts>RJCT<\/TxSts>/,
      '<!-- by the night desk --><?ours x?><TxSts>RJ<!-- - -->CT</TxSts><?ours?>',
      'AC04',
      undefined,
    ],
    ['CDATA', '>AC04<', '><![CDATA[AC04]]><', 'AC04', undefined],
    ['a declared encoding, all in ASCII', 'encoding="UTF-8"', 'encoding="ISO-8859-1"', 'AC04', undefined],
    ['a date without time zone', /(<CreDtTm>[^<]*)Z</, '$1<', 'AC04', undefined],
    ['the name of the message without version', '>pacs.008.001.13<', '>pacs.008<', 'AC04', undefined],
  ] as const)('%s', async (what, from, to, reasonCode, words) => {
    const { uetr, original } = await forwarded();
    const plain = reportOn(original, { status: 'RJCT', reasonCode: 'AC04' });
    const report = plain.replace(from, to);
    expect(report).not.toBe(plain);
    if (officialPresent) expect(officialFaults('pacs002', report)).toEqual([]);
    const answer = await postReport(gateway, report);
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('<TxSts>RJCT<')]);
    expect(await evidence.decision(uetr)).toMatchObject({
      status: 'RJCT',
      reason_code: reasonCode,
      decided_by: 'destination',
    });
    const { bytes = '' } = await evidence.arrival(uetr, 'source', 'pacs002', 'RJCT');
    const callback = parsePacs002(bytes);
    expect([callback.reasonCode, callback.additionalInformation]).toEqual([reasonCode, words && [words]]);
    // the guideline judges what remains without comments
    const isUsual = /NARR|CDATA|ASCII/.test(what) || what.startsWith('the name'); // our own guideline allows these
    expect(await evidence.audit(uetr)).toEqual(isUsual ? [] : ['payment.report-deviates']);
  });

  test('the same bytes again are told to operators once, and in words', async () => {
    const { uetr, original } = await forwarded();
    const report = reportOn(original, { status: 'RJCT', reasonCode: 'TK08' });
    for (let times = 0; times < 3; times += 1) expect((await postReport(gateway, report)).status).toBe(200);
    const events = await gateway.db
      .selectFrom('audit_events')
      .select(['severity', 'kind', 'party', 'detail'])
      .where('subject_id', '=', uetr)
      .execute();
    expect(events).toEqual([
      {
        severity: 'info',
        kind: 'payment.report-deviates',
        party: 'THBPPAY',
        detail: {
          count: 1,
          reportMessageId: expect.any(String) as string,
          deviations: expect.stringMatching(/^MSG-4 .*StsRsnInf\/Rsn\/Cd: .*Found: TK08/) as string,
        },
      },
    ]);
  });

  test('an id of a group that contradicts ours: 409', async () => {
    const { uetr, original } = await forwarded();
    const other =
      '<OrgnlGrpInfAndSts><OrgnlMsgId>OTHER</OrgnlMsgId><OrgnlMsgNmId>pacs.008.001.13</OrgnlMsgNmId></OrgnlGrpInfAndSts>';
    const answer = await postReport(
      gateway,
      reportOn(original).replace('<TxInfAndSts>', `${other}<TxInfAndSts>`),
    );
    expect(answer.status).toBe(409);
    expect(await answer.json()).toMatchObject({ code: 'original-ids-differ' });
    expect(await evidence.decision(uetr)).toBeUndefined();
  });
});
