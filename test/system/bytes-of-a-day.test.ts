// A payment system cannot fill the record without an end, whatever it sends (OVL-2): beyond the bytes of its day nothing is
// stored, what is on record is answered, and others notice nothing.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { buildAcmt023 } from '../../fixtures/acmt023.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { buildPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { fromTheOther, other } from '../harness/another-payer.ts';
import { askXml, proxyRequest } from '../harness/asker.ts';
import { testGateway } from '../harness/gateway.ts';
import { bestQuote, submit, submitXml } from '../harness/payer.ts';
import { problemTexts } from '../harness/problem-texts.ts';

const gateway = await testGateway({ settings: { MEGABYTES_PER_DAY: '1' } });
const quote = await bestQuote(gateway);

/** Some 200 KB that are judged, rejected and kept. */
const large = () =>
  buildPacs008(instruction(quote)).replace(
    '</CdtTrfTxInf>',
    `<RmtInf><Ustrd>${'x'.repeat(200_000)}</Ustrd></RmtInf></CdtTrfTxInf>`,
  );

async function storedOf(party: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from messages where party = ${party} and direction = 'in' and leg = 'source'`.execute(
    gateway.db,
  );
  return rows[0]?.n ?? 0;
}

test('beyond the bytes of a day a message is refused until midnight UTC and not stored, repeats are answered, and another pays (OVL-2)', async () => {
  const first = large();
  expect((await submitXml(gateway, first)).report?.status).toBe('RJCT');
  for (let nth = 2; nth <= 5; nth += 1)
    expect((await submitXml(gateway, large())).report?.status).toBe('RJCT');
  expect(await storedOf('SGDFAST')).toBe(5);

  const question = buildAcmt023(proxyRequest('+66811110001'));
  for (const refused of [await submitXml(gateway, large()), await askXml(gateway, question)]) {
    expect([refused.httpStatus, JSON.parse(refused.text)]).toEqual([
      429,
      expect.objectContaining({
        code: 'too-many-bytes',
        ruleId: 'OVL-2',
        detail: problemTexts['too-many-bytes'].told,
      }),
    ]);
    const retryAfter = Number(refused.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(86_400);
  }
  expect(await storedOf('SGDFAST')).toBe(5);
  expect((await submitXml(gateway, first)).report?.status).toBe('RJCT');

  const { report } = await submit(gateway, await fromTheOther(gateway), { clientId: other });
  expect(report?.status).toBe('ACTC');
  const { rows } = await sql`
    select party, detail from audit_events where kind = 'party.at-limit'`.execute(gateway.db);
  expect(rows).toEqual([{ party: 'SGDFAST', detail: { limit: 'stored-bytes' } }]);
});
