// The gateway checks length and check digits of an IBAN in submissions and dry runs (REF-7).
import { describe, expect, test } from 'vitest';
import { endingIn } from '../../../fixtures/endings.ts';
import { ibanOf } from '../../../fixtures/iban.ts';
import { instruction } from '../../../fixtures/instruction.ts';
import { accountRequest, ask } from '../../harness/asker.ts';
import { testGateway } from '../../harness/gateway.ts';
import { bestQuote, submit } from '../../harness/payer.ts';
import { readFixture } from '../../xml/fixtures.ts';
import { edit } from '../../harness/patches.ts';
import { fresh, told, type DryRun } from './dry-run.ts';

const gateway = await testGateway();
const right = 'DE89370400440532013000';
const checkDigits = 'no IBAN: its check digits do not fit';
const length = 'no IBAN: wrong length for its country';

const wrong = [
  ['two digits swapped', 'DE89370400440532013010', checkDigits],
  ['check digits that ISO 13616 never gives', 'DE00370400440532013050', checkDigits],
  ['the same, 01', 'DE01370400440532013032', checkDigits],
  ['the same, 99', 'DE99370400440532013014', checkDigits],
  ['a digit too few', 'DE8937040044053201300', length],
  ['a digit too many', 'DE893704004405320130000', length],
  ['of a country without IBANs', 'US89370400440532013000', 'no IBAN: its country has no IBAN'],
] as const;

async function dryRun(body: string, client: string): Promise<DryRun> {
  const answer = await fetch(`${gateway.url}/iso20022/validate`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await gateway.token(client)}`,
      'content-type': 'application/xml',
    },
    body,
  });
  expect(answer.status).toBe(200);
  return (await answer.json()) as DryRun;
}

const withIban = (kind: 'pacs008' | 'acmt023', file: string, iban: string) =>
  fresh(edit(readFixture(kind, file).toString(), right, iban));

describe('a dry run refuses, without the value (REF-7)', () => {
  test.each(wrong)('%s', async (_, iban, text) => {
    const run = await dryRun(withIban('pacs008', 'hk-de-iban.xml', iban), 'CNYFPS');
    expect(told(run)).toEqual(['AC01 REF-7 CdtTrfTxInf/CdtrAcct/Id/IBAN']);
    const [violation] = run.violations;
    expect(violation?.additionalInformation).toBe(
      `REF-7 CdtTrfTxInf/CdtrAcct/Id/IBAN: ${text}. Found: ${iban.length} characters.`,
    );
    expect(JSON.stringify(run)).not.toContain(iban.slice(4, 14));
    const request = await dryRun(withIban('acmt023', 'iban.xml', iban), 'SGDFAST');
    expect(told(request)).toEqual(['AC01 REF-7 Vrfctn/PtyAndAcctId/Acct/Id/IBAN']);
  });

  test('a right one passes, its letters in either case', async () => {
    for (const iban of ['GB33BUKB20201555555555', 'GB33bukb20201555555555', 'NO9386011117947']) {
      const run = await dryRun(withIban('pacs008', 'hk-de-iban.xml', iban), 'CNYFPS');
      expect(told(run)).toEqual([]);
    }
  });
});

describe('a submission', () => {
  const trip = { destination: 'DE', destinationCurrency: 'EUR' };

  test('of a payment to a wrong IBAN: RJCT AC01; to the right one: credited (REF-7)', async () => {
    const iban = ibanOf('DE', '37040044053201', endingIn.creditedAtOnce);
    const spoiled = iban.replace(/\d\d/, (digits) => String(Number(digits) + 1).padStart(2, '0'));
    const pay = async (one: string) =>
      submit(gateway, instruction(await bestQuote(gateway, trip), { creditorAccount: { iban: one } }));
    const { report } = await pay(spoiled);
    expect(report).toMatchObject({ status: 'RJCT', reasonCode: 'AC01' });
    expect(report?.additionalInformation?.[0]).toContain(checkDigits);
    expect((await pay(iban)).report).toMatchObject({ status: 'ACTC' });
  });

  test('of a request about a wrong IBAN: false AC01 (REF-7)', async () => {
    const request = accountRequest('', {
      destinationCountry: 'DE',
      account: { iban: 'DE89370400440532013010' },
      creditorAgent: { bicfi: 'LOTUDES0' },
    });
    expect((await ask(gateway, request)).answer).toMatchObject({ verified: false, reasonCode: 'AC01' });
  });
});
