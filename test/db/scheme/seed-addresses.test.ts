/** The demo's address forms against the seed data, and their XPaths against the official schemas where present. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { expectUnique, rows } from './seed-rows.ts';

describe('address types and inputs', () => {
  const codesOf = (country: string): string[] =>
    rows.address_type_countries
      .filter((row) => row.country_code === country)
      .map((row) => rows.address_types.find((type) => type.address_type_id === row.address_type_id)!)
      .sort((a, b) => a.display_order - b.display_order)
      .map((type) => type.address_type_code);
  const inputsOf = (typeId: string): string[] =>
    rows.address_type_inputs
      .filter((row) => row.address_type_id === typeId)
      .sort((a, b) => a.position - b.position)
      .map((row) => row.address_input_id);
  interface Input {
    id: string;
    label: { addressTypeCode: string; title: Record<string, string> } | null;
    attributes: Record<string, unknown>;
    xPath: { acmt023: string | null; pacs008: string | null };
  }
  const inputs = rows.address_inputs.map((row): Input => ({
    id: row.address_input_id,
    label: row.label as Input['label'],
    attributes: row.attributes as Input['attributes'],
    xPath: row.iso20022_xpath as Input['xPath'],
  }));

  it.each([
    ['SG', ['ACCT', 'MBNO']],
    ['MY', ['ACCT', 'MBNO']],
    ['TH', ['ACCT', 'MBNO']],
    ['PH', ['ACCT', 'MBNO', 'EMAL']],
    ['IN', ['ACCT', 'MBNO', 'EMAL']],
    ['ID', ['ACCT', 'MBNO', 'EMAL']],
    ['HK', ['ACCT', 'ACCT']], // one per payment system
    ['DE', ['IBAN', 'ACCT']],
    ['FR', ['IBAN', 'ACCT']],
    ['JP', ['ACCT']],
  ])('%s takes %j', (country, codes) => {
    expect(codesOf(country)).toEqual(codes);
  });

  it('each pattern is checked by browsers, which compile it with the flag v, and takes its placeholder', () => {
    const withPattern = inputs.filter(({ attributes }) => 'pattern' in attributes);
    expect(withPattern.length).toBeGreaterThan(3);
    for (const { attributes } of withPattern) {
      const { pattern, placeholder } = attributes as { pattern: string; placeholder: string };
      const checked = new RegExp(`^(?:${pattern})$`, 'v');
      expect([pattern, checked.test(placeholder), checked.test(`${placeholder} <`)]).toEqual([
        pattern,
        true,
        false,
      ]);
    }
  });

  it('an account type names its payment system, a proxy type its directory, neither both', () => {
    for (const type of rows.address_types) {
      const account = ['ACCT', 'IBAN'].includes(type.address_type_code);
      expect([type.clearing_system_id !== null, type.proxy_directory_id !== null]).toEqual([
        account,
        !account,
      ]);
    }
    expectUnique(rows.address_types.map((type) => type.address_type_id));
  });

  it('an account needs its number and institution; proxies in PH need the institution too', () => {
    expect(inputsOf('SGDFAST-ACCT')).toEqual(['account-number', 'institution-bic', 'address-type-acct']);
    expect(inputsOf('SG-MBNO')).toEqual(['mobile-number', 'address-type-mbno']);
    expect(inputsOf('PH-MBNO')).toEqual(['mobile-number', 'institution-bic', 'address-type-mbno']);
    expect(inputsOf('PH-EMAL')).toEqual(['email-address', 'institution-bic', 'address-type-emal']);
  });

  it('every input is used, and every type ends with its own hidden code', () => {
    const used = new Set(rows.address_type_inputs.map((row) => row.address_input_id));
    expect([...used].sort()).toEqual(inputs.map((input) => input.id).sort());
    for (const { address_type_id: typeId, address_type_code: code } of rows.address_types) {
      const last = inputs.find((input) => input.id === inputsOf(typeId).at(-1));
      expect(last?.attributes).toEqual({
        name: 'addressTypeCode',
        type: 'hidden',
        required: true,
        value: code,
      });
    }
  });

  it('hidden inputs have a value and no label; the others a title in en and de and a placeholder that matches', () => {
    for (const { label, attributes } of inputs) {
      if (attributes['type'] === 'hidden') {
        expect(label).toBeNull();
        expect(Object.keys(attributes).sort()).toEqual(['name', 'required', 'type', 'value']);
      } else {
        expect(Object.keys(label?.title ?? {}).sort()).toEqual(['de', 'en']);
        const { pattern, placeholder } = attributes as { pattern: string; placeholder: string };
        expect(placeholder).toMatch(new RegExp(pattern, 'u'));
      }
    }
  });

  it('XPaths lead to the account, its proxy or the agent; the creditor account is CdtrAcct (REF-5)', () => {
    const pathsOf = (id: string) => inputs.find((input) => input.id === id)?.xPath;
    expect(pathsOf('account-number')).toEqual({
      acmt023: '/Document/IdVrfctnReq/Vrfctn/PtyAndAcctId/Acct/Id/Othr/Id',
      pacs008: '/Document/FIToFICstmrCdtTrf/CdtTrfTxInf/CdtrAcct/Id/Othr/Id',
    });
    expect(pathsOf('address-type-acct')).toEqual({ acmt023: null, pacs008: null });
  });

  const shared = '../shared/iso20022';
  it.runIf(existsSync(shared))(
    'every XPath leads to an element of the official schema, proxy codes are ISO codes',
    () => {
      for (const [message, file] of [
        ['acmt023', 'acmt.023.001.04'],
        ['pacs008', 'pacs.008.001.13'],
      ] as const) {
        const schema = readFileSync(`${shared}/xsd/${file}.xsd`, 'utf8');
        const paths = inputs.map((input) => input.xPath[message]).filter((path) => path !== null);
        expect(paths.length).toBeGreaterThan(0);
        for (const path of paths) expect([path, leadsSomewhere(schema, path)]).toEqual([path, true]);
      }
      const codes = readFileSync(`${shared}/codesets/external_proxy_account_type_code.json`, 'utf8');
      for (const code of ['MBNO', 'EMAL']) expect(codes).toContain(`"${code}"`);
    },
  );
});

/** Follows the path through the named types of a schema. */
function leadsSomewhere(schema: string, path: string): boolean {
  let type: string | undefined = 'Document';
  for (const name of path.split('/').slice(2)) {
    const body: string | undefined = new RegExp(
      `<xs:complexType name="${type ?? ''}">.*?</xs:complexType>`,
      's',
    ).exec(schema)?.[0];
    type = new RegExp(`<xs:element [^>]*name="${name}" type="(\\w+)"`).exec(body ?? '')?.[1];
  }
  return type !== undefined;
}
