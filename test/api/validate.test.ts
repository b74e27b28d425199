// The dry run: every violation and not only the first, told as a submission would be told, and nothing stored.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { validateRoutes } from '../../api/validate.ts';
import { createLibxml2Engine } from '../../xml/libxml2.ts';
import { testDatabase } from '../harness/database.ts';
import { allFixtures, lotus, readFixture } from '../xml/fixtures.ts';
import { refusedByReading, refusedByReference, refusedBySchema } from '../xml/refused-messages.ts';
import { startApi, type Answer, type RunningApi } from './running-api.ts';

const database = await testDatabase();
let api: RunningApi;
beforeAll(async () => {
  api = await startApi(database.url, { modules: [validateRoutes(createLibxml2Engine())] });
});
afterAll(() => api.close());

interface Violation {
  id: string;
  isoCode: string;
  ruleId: string;
  xpath: string | null;
  additionalInformation: string;
}
interface DryRun {
  message: string;
  valid: boolean;
  judged: string[];
  violations: Violation[];
}

function post(body: string | Uint8Array, client: string | null = 'SGDFAST', contentType = 'application/xml') {
  return send(body, client, { 'content-type': contentType });
}

async function send(
  body: string | Uint8Array,
  client: string | null,
  headers: Record<string, string>,
): Promise<Answer> {
  const token = client === null ? {} : { authorization: `Bearer ${await api.token(client)}` };
  return api.request('/iso20022/validate', { method: 'POST', headers: { ...token, ...headers }, body });
}

async function dryRun(body: string | Uint8Array, client = 'SGDFAST'): Promise<DryRun> {
  const answer = await post(body, client);
  expect(answer.status, answer.text).toBe(200);
  return answer.body as DryRun;
}

/** The acceptance time of a fixture, moved to the present. */
const fresh = (xml: string | Buffer, now = new Date()) =>
  xml.toString().replace(/(<AccptncDtTm>)[^<]*/, `$1${now.toISOString()}`);
const short = (xpath: string | null) => xpath?.replace(/^\/Document\/\w+\/?/, '') ?? '';
const told = ({ violations }: DryRun) =>
  violations.map((one) => `${one.isoCode} ${one.ruleId} ${short(one.xpath)}`.trim());

/** Replaces exactly one place. */
function edit(xml: string, from: string | RegExp, to: string): string {
  const edited = xml.replace(from, to);
  if (edited === xml) throw new Error(`nothing to replace: ${String(from)}`);
  return edited;
}

describe('a message without fault', () => {
  test.each([
    ['pacs008', 'sg-th-lotus.xml', 'SGDFAST', ['schema', 'rules', 'reference-data']],
    ['pacs008', 'sg-th-own-fx.xml', 'SGDFAST', ['schema', 'rules', 'reference-data']],
    ['pacs008', 'sg-my-no-bic.xml', 'SGDFAST', ['schema', 'rules', 'reference-data']],
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
      'FF01 MSG-6 CdtTrfTxInf/ChrgsInf[2]/Agt',
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
      text: 'against the usage guideline',
      additionalInformation: 'MSG-5 CdtTrfTxInf/ChrgBr: against the usage guideline',
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

  test('without a quote the fee, the own account and the maximum are judged too (PAY-5, PAY-6)', async () => {
    const own = fresh(readFixture('pacs008', 'sg-th-own-fx.xml'));
    expect(told(await dryRun(edit(own, /("THB">)[\d.]+/, '$10.01')))).toEqual([
      'AM09 PAY-5 CdtTrfTxInf/ChrgsInf[2]/Amt',
    ]);
    expect(told(await dryRun(edit(own, 'LOTU-TH-THB', 'MERI-TH-THB')))).toEqual([
      'RC11 PAY-5 CdtTrfTxInf/IntrmyAgt2Acct',
    ]);
  });

  test('an acceptance time is held against the present (TIM-4)', async () => {
    const now = Date.now();
    expect(told(await dryRun(fresh(lotus, new Date(now - 180_000))))).toEqual([
      'TM01 TIM-4 CdtTrfTxInf/AddtlDtTm/AccptncDtTm',
    ]);
    expect(told(await dryRun(fresh(lotus, new Date(now + 60_000))))).toEqual([
      'TM01 TIM-4 CdtTrfTxInf/AddtlDtTm/AccptncDtTm',
    ]);
  });

  test('a value that the schema refuses is told once: no rule judges what follows from it', async () => {
    const xml = edit(fresh(lotus), /(<DbtrAgt>\s*<FinInstnId>\s*<BICFI>)LOTUSGS0/, '$1lotus');
    expect(told(await dryRun(xml))).toEqual([
      'FF01 MSG-4 CdtTrfTxInf/DbtrAgt/FinInstnId/BICFI',
      'FF01 MSG-6 CdtTrfTxInf/ChrgsInf[1]/Agt',
    ]);
  });

  test('where the schema finds fault with what the rules need, it says that they were not judged', async () => {
    const run = await dryRun(edit(fresh(lotus), '"SGD">1000.00', '"SGD">1,000'), 'MYRRPP');
    expect(run.judged).toEqual(['schema']);
    expect(told(run)).toEqual(['FF01 MSG-4 CdtTrfTxInf/IntrBkSttlmAmt']);
  });

  test.each([
    ['an element where it may not stand', edit(lotus, '<PmtTpInf>', '<PrvsInstgAgt1/><PmtTpInf>')],
    ['another root', lotus.replaceAll('Document', 'BizMsgEnvlp')],
    ['two transactions', edit(lotus, /(<CdtTrfTxInf>[^]*<\/CdtTrfTxInf>)/, '$1$1')],
  ])('%s keeps the schema from what follows it, so that the rules are not judged', async (_, text) => {
    const broken = edit(text, '<PreAgrdXchgRate>25', '<PreAgrdXchgRate>2.5.2');
    expect(await dryRun(broken)).toMatchObject({ valid: false, judged: ['schema'] });
  });

  test('a party that lacks its name keeps no rule from being judged', async () => {
    const run = await dryRun(
      edit(fresh(lotus), /(<Cdtr>\s*)<Nm>[^<]*<\/Nm>/, '$1').replace('>CASH<', '>ZZZZ<'),
    );
    expect(told(run)).toEqual([
      'CH21 MSG-4 CdtTrfTxInf/Cdtr/Nm',
      'FF01 MSG-4 CdtTrfTxInf/PmtTpInf/CtgyPurp/Cd',
    ]);
  });

  test('more than 20 faults of the schema are cut to 20', async () => {
    const report =
      '<RgltryRptg><Dtls><Tp>&#x85;</Tp><Ctry>sg</Ctry><Amt Ccy="x">+1</Amt></Dtls></RgltryRptg>';
    const run = await dryRun(edit(fresh(lotus), '<RmtInf>', `${report.repeat(10)}<RmtInf>`));
    expect(run.violations).toHaveLength(20);
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

  test('another document altogether is told all six', async () => {
    const { status, body } = await post('<Document xmlns="urn:x"/>');
    expect(status).toBe(400);
    expect((body as { detail: string }).detail.match(/urn:iso/g)).toHaveLength(6);
  });

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

test.each(['LOTUSGS0', 'MERISGS0', 'operator'])('%s may not ask: 403', async (client) => {
  expect((await post(lotus, client)).status).toBe(403);
});

test('without a token: 401', async () => {
  expect((await post(lotus, null)).status).toBe(401);
});

test('nothing is stored', async () => {
  for (const { bytes } of allFixtures()) await dryRun(bytes);
  for (const table of ['messages', 'payments', 'resolutions', 'audit_events'] as const) {
    const { count } = await api.db
      .selectFrom(table)
      .select((query) => query.fn.countAll<string>().as('count'))
      .executeTakeFirstOrThrow();
    expect([table, count]).toEqual([table, '0']);
  }
});
