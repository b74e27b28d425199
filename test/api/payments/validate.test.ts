// The dry run reports every violation, in the words of a submission, and stores nothing.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { validateRoutes } from '../../../api/payments/dry-run.ts';
import type { OrProblem } from '../../../fixtures/bodies.ts';
import { testDatabase } from '../../harness/database.ts';
import { allFixtures, libxml2, lotus, readFixture } from '../../xml/fixtures.ts';
import { refusedByReading, refusedByReference, refusedBySchema } from '../../xml/refused-messages.ts';
import { edit } from '../../harness/patches.ts';
import { fresh, told, type DryRun } from './dry-run.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';

const database = await testDatabase();
let api: RunningApi;
beforeAll(async () => {
  api = await startApi(database.url, { modules: [validateRoutes(libxml2)] });
});
afterAll(() => api.close());

function post(body: string | Uint8Array, client: string | null = 'SGDFAST', contentType = 'application/xml') {
  return send(body, client, { 'content-type': contentType });
}

async function send(body: string | Uint8Array, client: string | null, given: Record<string, string>) {
  const token = client === null ? {} : { authorization: `Bearer ${await api.token(client)}` };
  const headers = { ...token, ...given };
  return api.request<OrProblem<DryRun>>('/iso20022/validate', { method: 'POST', headers, body });
}

async function dryRun(body: string | Uint8Array, client = 'SGDFAST'): Promise<DryRun> {
  const answer = await post(body, client);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

describe('a message without fault', () => {
  test.each([
    ...(['sg-th-lotus.xml', 'sg-th-own-fx.xml', 'sg-my-no-bic.xml'] as const).map(
      (file) => ['pacs008', file, 'SGDFAST', ['schema', 'rules', 'reference-data']] as const,
    ),
    ['pacs008', 'hk-de-iban.xml', 'CNYFPS', ['schema', 'rules', 'reference-data']],
    ['pacs002', 'credited.xml', 'THBPPAY', ['schema', 'rules']],
    ['acmt023', 'proxy.xml', 'SGDFAST', ['schema', 'rules', 'reference-data']],
    ['acmt024', 'found.xml', 'THBPPAY', ['schema', 'rules']],
    ['pacs028', 'enquiry.xml', 'SGDFAST', ['schema']],
  ] as const)('%s/%s is valid', async (message, file, client, judged) => {
    const run = await dryRun(fresh(readFixture(message, file)), client);
    expect(run).toMatchObject({ valid: true, judged, violations: [] });
    expect(run.message.replace('.', '').slice(0, 7)).toBe(message);
  });
});

describe('what was not judged is listed by name (MSG-14)', () => {
  const namesOf = async (file: Parameters<typeof readFixture>, client: string) => {
    const { notJudged } = await dryRun(fresh(readFixture(...file)), client);
    return notJudged.map(({ name, ruleId }) => `${ruleId} ${name}`);
  };
  const replaced = ['MSG-9 CreDtTm', 'MSG-10 IntrBkSttlmDt', 'MSG-10 InstgAgt', 'MSG-10 InstdAgt'];
  test('of a payment with a quote', async () => {
    expect(await namesOf(['pacs008', 'sg-th-lotus.xml'], 'SGDFAST')).toEqual([
      'PAY-4 quote',
      'PAY-6 destination maximum',
      'DUP-2 duplicates',
      'SEC-2 callback address',
      'TIM-4 freshness at submission',
      ...replaced,
    ]);
  });

  test('of a payment without one, whose own account, fee and maximum are judged (PAY-5)', async () => {
    expect(await namesOf(['pacs008', 'sg-th-own-fx.xml'], 'SGDFAST')).toEqual([
      'DUP-2 duplicates',
      'SEC-2 callback address',
      'TIM-4 freshness at submission',
      ...replaced,
    ]);
  });

  test('of the other messages', async () => {
    expect(await namesOf(['acmt023', 'proxy.xml'], 'SGDFAST')).toEqual([
      'DUP-2 duplicates',
      'SEC-2 callback address',
      'RES-2 account or proxy',
    ]);
    expect(await namesOf(['pacs002', 'credited.xml'], 'THBPPAY')).toEqual([
      'PAY-8 the payment it is about',
      'PAY-7 an earlier final status',
    ]);
    expect(await namesOf(['acmt024', 'found.xml'], 'THBPPAY')).toEqual(['RES-2 the request it answers']);
    expect(await namesOf(['pacs028', 'enquiry.xml'], 'SGDFAST')).toEqual(['TIM-2 the payment it is about']);
  });
});

describe('a message with faults', () => {
  test('all of them are told: schema, rules and reference data, each as AddtlInf would carry it', async () => {
    let xml = fresh(lotus);
    xml = edit(xml, 'SHAR', 'DEBT');
    xml = edit(xml, /<Ustrd>[^<]*/, '<Ustrd>a&#x85;b');
    xml = edit(xml, '"SGD">1001.00', '"SGD">0.001');
    xml = edit(xml, '>CASH<', '>ZZZZ<');
    xml = edit(xml, /(<CdtrAgt>\s*<FinInstnId>\s*<BICFI>)LOTUTHS0/, '$1NOBATHS0');
    const run = await dryRun(xml, 'MYRRPP');
    expect(told(run)).toEqual([
      'FF01 MSG-5 CdtTrfTxInf/ChrgBr',
      'FF01 MSG-4 CdtTrfTxInf/RmtInf/Ustrd',
      'FF01 MSG-4 CdtTrfTxInf/PmtTpInf/CtgyPurp/Cd',
      'AGNT MSG-5 GrpHdr/SttlmInf/ClrSys/Prtry',
      'CURR MSG-4 CdtTrfTxInf/IntrBkSttlmAmt',
      'CH20 MON-2 CdtTrfTxInf/InstdAmt',
      'AGNT PAY-6 CdtTrfTxInf/DbtrAgt',
      'RC07 PAY-6 CdtTrfTxInf/CdtrAgt',
    ]);
    expect(run.valid).toBe(false);
    expect(run.judged).toEqual(['schema', 'rules', 'reference-data']);
    expect(run.violations[0]).toEqual({
      id: 'guideline-violated',
      isoCode: 'FF01',
      ruleId: 'MSG-5',
      xpath: '/Document/FIToFICstmrCdtTrf/CdtTrfTxInf/ChrgBr',
      text: 'must be SHAR',
      fault: 'not-used',
      explanation:
        'MSG-5 CdtTrfTxInf/ChrgBr: must be SHAR (FF01, valid ISO 20022, but not used in this scheme). Found: DEBT.',
      additionalInformation: 'MSG-5 CdtTrfTxInf/ChrgBr: must be SHAR. Found: DEBT.',
    });
  });

  test('what a country requires, and every amount that is wrong, is told at once', async () => {
    let xml = fresh(readFixture('pacs008', 'sg-th-full.xml'));
    xml = edit(xml, /<CtgyPurp>[^]*?<\/CtgyPurp>/, '');
    xml = edit(xml, '"SGD">1000.00', '"SGD">0.00');
    xml = edit(xml, '"THB">25000.00', '"THB">0');
    expect(told(await dryRun(xml))).toEqual([
      'FF01 MSG-4 CdtTrfTxInf/IntrBkSttlmAmt',
      'FF01 MSG-4 CdtTrfTxInf/RgltryRptg[1]/Dtls[1]/Amt',
      'CH21 MSG-7 CdtTrfTxInf/PmtTpInf/CtgyPurp/Cd',
    ]);
  });

  test('the agents of charges may be named by any identifier of the two PSPs, and by none of another (MSG-6)', async () => {
    const source = /(<Amt Ccy="SGD">1.00<\/Amt>\s*<Agt>\s*<FinInstnId>)\s*<BICFI>LOTUSGS0<\/BICFI>/;
    const destination = /(<Amt Ccy="THB">100.00<\/Amt>\s*<Agt>\s*<FinInstnId>)\s*<BICFI>LOTUTHS0<\/BICFI>/;
    const member = (system: string, id: string) =>
      `$1<ClrSysMmbId><ClrSysId><Prtry>${system}</Prtry></ClrSysId><MmbId>${id}</MmbId></ClrSysMmbId>`;
    const named = (one: string, other: string) => edit(edit(fresh(lotus), source, one), destination, other);
    const lei = '$1<LEI>999900LOTUSGS0000022</LEI>';
    expect(told(await dryRun(named(lei, member('THBPPAY', 'LOTUTH01'))))).toEqual([]);
    expect(told(await dryRun(named(member('SGDFAST', 'LOTUSG01'), '$1<BICFI>LOTUTHS0XXX</BICFI>')))).toEqual(
      [],
    );
    const { violations } = await dryRun(named(lei.replace('22<', '23<'), lei));
    expect(violations.map(({ explanation }) => explanation)).toEqual([
      'MSG-6 CdtTrfTxInf/ChrgsInf[1]/Agt: not the agent of these charges (FF01, wrong value). Found: an institution that the service does not know. Expected: the institution in DbtrAgt, by any of its identifiers.',
      'MSG-6 CdtTrfTxInf/ChrgsInf[2]/Agt: not the agent of these charges (FF01, wrong value). Found: another institution. Expected: the institution in CdtrAgt, by any of its identifiers.',
    ]);
  });

  test('a value that the schema refuses is told once: no rule judges what follows from it', async () => {
    const xml = edit(fresh(lotus), /(<DbtrAgt>\s*<FinInstnId>\s*<BICFI>)LOTUSGS0/, '$1lotus');
    const run = await dryRun(xml);
    expect(told(run)).toEqual(['FF01 MSG-4 CdtTrfTxInf/DbtrAgt/FinInstnId/BICFI']);
    expect(run.notJudged).toEqual(
      expect.arrayContaining([
        {
          name: 'agent of the source PSP fee',
          ruleId: 'MSG-6',
          reason: 'The schema refuses what it needs: CdtTrfTxInf/DbtrAgt.',
        },
        expect.objectContaining({ name: 'debtor agent', ruleId: 'PAY-6' }),
      ]),
    );
  });

  test('another root: nothing of it can be judged, and that is said', async () => {
    const run = await dryRun(lotus.replaceAll('Document', 'BizMsgEnvlp'));
    expect(run).toMatchObject({ valid: false, judged: ['schema'] });
    expect(run.violations.map(({ explanation }) => explanation)).toEqual([
      'MSG-4 /Document: the root element must be Document (FF01, not valid ISO 20022). Found: another root element.',
    ]);
    expect(run.notJudged.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['rules of the message', 'reference data', 'quote', 'duplicates']),
    );
  });

  test('more than 20 faults of the schema are cut to 20', async () => {
    const report =
      '<RgltryRptg><Dtls><Tp>&#x85;</Tp><Ctry>sg</Ctry><Amt Ccy="x">+1</Amt></Dtls></RgltryRptg>';
    const run = await dryRun(edit(fresh(lotus), '<RmtInf>', `${report.repeat(10)}<RmtInf>`));
    expect(run.violations).toHaveLength(20);
    expect(run.notJudged[0]?.name).toBe('faults of the schema beyond the first 20');
    expect(run.judged).toEqual(['schema']);
  });

  test.each([...refusedBySchema, ...refusedByReading, ...refusedByReference])(
    '$fault: the first violation is what a submission is told',
    async ({ text, key, isoCode, ruleId, path }) => {
      const isOfTime = path.endsWith('AccptncDtTm');
      const { violations, valid } = await dryRun(isOfTime ? text : fresh(text));
      expect(valid).toBe(false);
      const xpath = path === '' ? '/Document' : `/Document/FIToFICstmrCdtTrf/${path}`;
      expect(violations[0]).toMatchObject({ id: key, isoCode, ruleId, xpath });
    },
  );

  test('a pacs.002 RJCT without reason, an acmt.023 without country: their own rules', async () => {
    const rejected = readFixture('pacs002', 'rejected.xml').toString();
    expect(told(await dryRun(edit(rejected, /<StsRsnInf>[^]*<\/StsRsnInf>/, '')))).toEqual([
      'CH21 MSG-11 TxInfAndSts/StsRsnInf/Rsn/Cd',
    ]);
    const account = readFixture('acmt023', 'account.xml').toString();
    const [country] = told(await dryRun(edit(account, /<Assgne>[^]*<\/Assgne>/, '<Assgne/>')));
    expect(country).toMatch(/^CH21 RES-2 /);
  });
});

describe('what is no message of ours', () => {
  test.each(['pacs.008.001.08', 'pacs.008.001.12', 'pacs.002.001.10', 'acmt.023.001.03'])(
    '%s: the answer names the namespace that is expected',
    async (older) => {
      const kind = older.slice(0, 8);
      const xml = edit(lotus, 'pacs.008.001.13', older);
      const expected = { 'pacs.008': '001.13', 'pacs.002': '001.15', 'acmt.023': '001.04' }[kind] ?? '';
      const answer = await post(xml);
      expect([answer.status, answer.body]).toMatchObject([400, { code: 'message-refused', ruleId: 'MSG-2' }]);
      const { detail } = answer.body as { detail: string };
      expect(detail.match(/urn:iso:std:iso:20022:tech:xsd:[a-z0-9.]+\d/g)).toEqual([
        `urn:iso:std:iso:20022:tech:xsd:${kind}.${expected}`,
      ]);
    },
  );

  test.each([
    ['not XML', 'pacs.008', 400],
    ['a DOCTYPE', `<!DOCTYPE x>${lotus}`, 400],
    ['nothing', '', 400],
    ['not UTF-8', Buffer.from(lotus, 'utf16le'), 400],
  ])('%s is refused', async (_, body, status) => {
    const answer = await post(body);
    expect([answer.status, answer.body]).toMatchObject([status, { code: 'message-refused' }]);
  });

  test('size and content type are judged before anything else (MSG-2)', async () => {
    expect((await post('x'.repeat(256 * 1024 + 1))).status).toBe(413);
    expect((await post(lotus, 'SGDFAST', 'application/json')).status).toBe(415);
    expect(
      (await send(lotus, 'SGDFAST', { 'content-type': 'text/xml', 'content-encoding': 'gzip' })).status,
    ).toBe(415);
  });
});

test('a PSP and an operator may ask too; an FX provider may not: 403', async () => {
  for (const client of ['LOTUSGS0', 'operator']) expect((await post(lotus, client)).status).toBe(200);
  expect((await post(lotus, 'MERISGS0')).status).toBe(403);
});

test('without a token: 401', async () => {
  expect((await post(lotus, null)).status).toBe(401);
});

test('nothing is stored', async () => {
  const counted = sql`select (select count(*) from messages) + (select count(*) from payments) as money,
    (select count(*) from resolutions) as resolutions, (select count(*) from audit_events) as events`;
  const counts = async () => (await counted.execute(api.db)).rows;
  const before = await counts(); // that the demo's scheme was entered is an event
  for (const { bytes } of allFixtures()) await dryRun(bytes);
  expect(await counts()).toEqual(before);
});
