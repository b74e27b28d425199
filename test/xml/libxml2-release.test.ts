// Which libxml2 decides about messages. libxml2-wasm neither exports its version nor keeps it in the binary, so the module is
// asked for what a release changed, and each security release that it lacks stands here with why its flaws are out of reach.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { XmlDocument, XmlValidateError, XsdValidator } from 'libxml2-wasm';
import { expect, it } from 'vitest';

interface SecurityRelease {
  readonly version: string;
  readonly date: string;
  readonly flaws: Readonly<Record<string, string>>;
}

const noDoctype = 'only in a document with a DOCTYPE, which MSG-2 refuses before libxml2 sees it';
const noSize = 'only with texts of more than a GiB, and a body has 256 KiB at most (MSG-2)';
const ownSchemas = 'only in a schema, and we compile no schema of a party';

/** As known on 2026-11-29: no release of libxml2-wasm holds them yet. */
const lacking: readonly SecurityRelease[] = [
  { version: '2.15.3', date: '2026-04-15', flaws: { 'CVE-2026-6732': noDoctype } },
  {
    version: '2.15.4',
    date: '2026-09-05',
    flaws: {
      'CVE-2026-11979': 'only in the program xmlcatalog, which is not in the module',
      'CVE-2026-86137': ownSchemas,
      'CVE-2026-86138': noSize,
      'CVE-2026-86139': noSize,
      'CVE-2026-86140': noDoctype,
      'CVE-2026-86141': ownSchemas,
      'CVE-2026-86142': 'XPointer, which we do not call',
      'CVE-2026-86143': noSize,
      'CVE-2026-86144': 'XInclude, which we do not call',
    },
  },
];

/** The release of libxml2-wasm that these reasons were written for. */
const judged = '0.7.2';

it('libxml2-wasm is the release whose missing security releases of libxml2 are known and out of reach', () => {
  const file = join(import.meta.dirname, '..', '..', 'node_modules', 'libxml2-wasm', 'package.json');
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string };
  expect(version, 'look up which libxml2 it holds, and take out of `lacking` what that has').toBe(judged);
  for (const { flaws } of lacking) expect(Object.keys(flaws)).not.toEqual([]);
});

it('the libxml2 inside is not older or newer than this file says', () => {
  // 2.15.3 takes a range that begins with an escape for a range; before, it was three characters
  const schema = XmlDocument.fromString(`<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
    <xs:element name="a"><xs:simpleType><xs:restriction base="xs:string">
      <xs:pattern value="[\\+-9]"/>
    </xs:restriction></xs:simpleType></xs:element>
  </xs:schema>`);
  const document = XmlDocument.fromString('<a>5</a>');
  const validator = XsdValidator.fromDoc(schema);
  const validate = () => validator.validate(document);
  if (lacking.some(({ version }) => version === '2.15.3')) expect(validate).toThrow(XmlValidateError);
  else expect(validate).not.toThrow();
  for (const one of [validator, document, schema]) one.dispose();
});
