// Xerces checks a sample of the messages that libxml2 has judged. Judging does not wait for it, and a different
// verdict raises an alert.
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { sql } from 'kysely';
import { afterEach, expect, test, vi } from 'vitest';
import { buildPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { buildPacs002 } from '../../core/iso20022/pacs002.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { openGuideline } from '../../xml/guideline.ts';
import { createLibxml2Engine } from '../../xml/libxml2.ts';
import { openEngines } from '../../xml/open-engine.ts';
import { withSecondOpinion } from '../../xml/second-opinion.ts';
import { buildExampleGuideline } from '../harness/example-guideline.ts';
import { testGateway } from '../harness/gateway.ts';
import { bestQuote, submitXml } from '../harness/payer.ts';
import { eventually } from '../harness/wait.ts';

const javaHome = process.env['JAVA_HOME'];
const folders = javaHome === undefined ? (process.env['PATH'] ?? '').split(':') : [`${javaHome}/bin`];
const hasJava = folders.some((folder) => existsSync(`${folder}/java`));
if (!hasJava) {
  process.stderr.write(
    'NOT RUN: the alert of verdicts that differ: there is no Java. Install a JRE 17 (Debian: default-jre-headless), ' +
      'then npm ci, and run the tests again.\n',
  );
}
afterEach(() => vi.unstubAllEnvs());

// libxml2 has a guideline here that Xerces lacks, so their verdicts on an agent's address differ
const directory = buildExampleGuideline();
const gateway = await testGateway({
  workerEngine: createLibxml2Engine({ guideline: openGuideline({ directory }) }),
  settings: { XERCES_SHARE: '1' },
});

const widened = (xml: string) =>
  xml.replace(
    /(<CdtrAgt><FinInstnId><BICFI>[^<]*<\/BICFI>)/,
    '$1<PstlAdr><StrtNm>Rama IV Road</StrtNm><Ctry>TH</Ctry></PstlAdr>',
  );

/** A final that is valid for intake and not valid by the usage guideline. */
const withoutOriginals = buildPacs002({
  messageIdentification: 'REPORT-1',
  creationDateTime: '2026-06-01T12:00:00.000Z',
  status: 'ACCC',
  original: { uetr: randomUUID() },
});

const differences = async () => {
  const { rows } = await sql<{ severity: string; subject_id: string | null; detail: { sha256: string } }>`
    select severity, subject_id, detail from audit_events where kind = 'worker.engines-differ'`.execute(
    gateway.db,
  );
  return rows;
};
const metrics = async () => (await fetch(`${gateway.telemetryUrl('worker')}/metrics`)).text();

test.skipIf(!hasJava)(
  `verdicts that differ are one alert, by the digest of the message alone; the verdict stands (MSG-8, SEC-3)${hasJava ? '' : ' (skipped: there is no Java)'}`,
  async () => {
    const sent = new Set<string>();
    for (let nth = 1; nth <= 2; nth += 1) {
      const xml = widened(buildPacs008(instruction(await bestQuote(gateway))));
      expect(xml).toContain('Rama IV');
      sent.add(createHash('sha256').update(xml).digest('hex'));
      expect((await submitXml(gateway, xml)).report?.status).toBe('ACTC');
    }
    await eventually(
      async () => expect(await metrics()).toMatch(/message="pacs008",outcome="differs"\} 2\b/),
      { everyMs: 500, limitMs: 150_000 },
    );
    const [alert, ...others] = await differences();
    expect(others).toEqual([]);
    expect(alert).toEqual({
      severity: 'alert',
      subject_id: null,
      detail: {
        messageType: 'pacs008',
        schema: 'guideline',
        decidedBy: 'libxml2',
        verdict: 'valid',
        sha256: expect.any(String) as string,
      },
    });
    expect(sent).toContain(alert?.detail.sha256);
    await eventually(
      async () => expect(await metrics()).toMatch(/message="pacs002",outcome="same"\} [1-9]/),
      { everyMs: 500, limitMs: 60_000 },
    );
  },
);

test('the engine that decides judges by the schema that it is asked for, sampled or not (MSG-8, PAY-11)', async () => {
  const asked: string[] = [];
  const { engine, stop } = withSecondOpinion(createLibxml2Engine(), {
    share: 1,
    second: Promise.resolve(createLibxml2Engine()),
    onOutcome: (outcome, { isValid }) => {
      asked.push(`${outcome} ${isValid ? 'valid' : 'invalid'}`);
      return Promise.resolve();
    },
    onFailure: (error) => asked.push(String(error)),
  });
  const parsed = engine.parse(Buffer.from(withoutOriginals), ['pacs002']);
  if (!parsed.ok) throw new Error(parsed.refusal.detail);
  expect(await parsed.value.validate('intake')).toEqual([]);
  expect(await parsed.value.validate()).not.toEqual([]);
  parsed.value.dispose();
  await eventually(() => expect(asked).toEqual(['same valid', 'same invalid']));
  stop();
});

test('a machine without Java is told so, and libxml2 decides alone', async () => {
  vi.stubEnv('JAVA_HOME', '/nowhere');
  const { inWords } = await openEngines({ xsdEngine: 'libxml2', xercesShare: 0.01 });
  expect(await inWords).toMatch(/^libxml2 decides alone; Xerces does not work here: .*Java/);
});
