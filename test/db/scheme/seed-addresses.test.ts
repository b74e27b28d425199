// The demo's address forms: patterns, labels and XPaths. The official schemas are compared if they are present.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { rows } from './seed-rows.ts';

describe('address types and inputs', () => {
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
