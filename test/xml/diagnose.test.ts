// The explanation of a refusal: the element, what was found, what was expected, and the kind of fault. It must
// agree with the engine on every message, and show no personal data.
import { describe, expect, test } from 'vitest';
import { messages, type MessageName } from '../../core/iso20022/messages.ts';
import { readPacs008 } from '../../core/iso20022/pacs008.ts';
import { rejectionOf } from '../../core/iso20022/violation.ts';
import { additionalInformation, explain } from '../../core/rejections/explanation.ts';
import { diagnose } from '../../xml/diagnose.ts';
import { openDocument } from '../../xml/libxml2.ts';
import type { ComplexType } from '../../xml/schema-model.ts';
import { libxml2, lotus, officialFaults, officialNote, officialPresent, readFixture } from './fixtures.ts';
import { generate, loadModel, officialModel, officialTypes, pick, randomFrom } from './generate.ts';
import { mutate } from '../fuzz/mutate.ts';
import { edit as editText } from '../harness/patches.ts';
import { samples } from '../harness/only-in-all.ts';

const names = Object.keys(messages) as MessageName[];
const models = new Map(names.map((name) => [name, loadModel(name)]));
const modelOf = (name: MessageName) => models.get(name) ?? loadModel(name);

/** Replaces exactly one place of a text; default: a valid pacs.008. */
const edit = (from: string | RegExp, to: string, text = lotus) => editText(text, from, to);

async function violationsOf(text: string | Buffer, name: MessageName = 'pacs008') {
  const parsed = libxml2.parse(Buffer.from(text), [name]);
  if (!parsed.ok) throw new Error(parsed.refusal.detail);
  const violations = await parsed.value.validate();
  parsed.value.dispose();
  return violations;
}

async function toldOf(text: string, name: MessageName = 'pacs008'): Promise<readonly string[]> {
  return (await violationsOf(text, name)).map((violation) => explain(rejectionOf(violation)));
}

describe('agrees with the engine', () => {
  const mutations = Number(process.env['FUZZ_CASES'] ?? samples(500, 5_000));

  test(`on ${mutations} messages broken at random: what is refused is explained, what is valid has nothing against it, here or officially${officialNote}`, async () => {
    const random = randomFrom(Number(process.env['FUZZ_SEED'] ?? 20_261_121));
    let refused = 0;
    let accepted = 0;
    let slowestMs = 0;
    let text = '';
    let name: MessageName = 'pacs008';
    for (let index = 0; index < mutations; index += 1) {
      if (index % 4 === 0) {
        name = random() < 0.5 ? 'pacs008' : pick(random, names);
        text = generate(name, modelOf(name), random);
      }
      const broken = mutate(text, text, random);
      const start = performance.now();
      const opened = openDocument(broken, [name]);
      if (!opened.ok) continue;
      const found = [...diagnose(opened.value.reading(), modelOf(name))];
      opened.value.handle.dispose();
      const violations = await violationsOf(broken, name);
      slowestMs = Math.max(slowestMs, performance.now() - start);
      if (violations.length > 0) refused += 1;
      else {
        accepted += 1;
        if (officialPresent) expect(officialFaults(name, broken), broken.toString()).toEqual([]);
        if (name === 'pacs008') readPacs008(opened.value.reading().root); // must not throw
      }
      expect(found.length > 0, `${JSON.stringify(found)}\n${broken.toString()}`).toBe(violations.length > 0);
      for (const violation of violations) {
        expect(violation.fault, JSON.stringify(violation)).toBeDefined();
        expect(explain(rejectionOf(violation))).toMatch(/^[ -~]{1,1000}$/);
        expect(additionalInformation(rejectionOf(violation))).toMatch(/^[ -~]{1,105}$/);
      }
    }
    expect(refused).toBeGreaterThan(mutations / 4);
    expect(accepted).toBeGreaterThan(mutations / 20);
    expect(accepted).toBeLessThan(mutations / 2);
    expect(slowestMs).toBeLessThan(5_000);
  });
});

const tx = 'CdtTrfTxInf';
const iso = 'not valid ISO 20022';
const unused = 'valid ISO 20022, but not used in this scheme';
const place = 'wrong place or count';
const value = 'wrong value';

describe('says which element, what stands there, what was expected, and which of four it is', () => {
  test.each([
    [
      'a code that the scheme does not use',
      edit('SHAR', 'DEBT'),
      `MSG-5 ${tx}/ChrgBr: must be SHAR (FF01, ${unused}). Found: DEBT.`,
    ],
    [
      'one of several codes',
      edit('>NORM<', '>URGT<'),
      `MSG-5 ${tx}/PmtTpInf/InstrPrty: must be HIGH or NORM (FF01, ${value}). Found: URGT.`,
    ],
    [
      'a pattern, in words',
      edit('"SGD">1000.00', '"SGD">1,000.00'),
      `MSG-4 ${tx}/IntrBkSttlmAmt: must be: Plain decimal: no sign, no leading zeros, a point only between digits (FF01, ${value}). Found: 1,000.00.`,
    ],
    [
      'decimals',
      edit('"SGD">1000.00', '"SGD">1000.000001'),
      `MSG-4 ${tx}/IntrBkSttlmAmt: more than 5 decimals (CH20, ${value}). Found: 1000.000001. Expected: Plain decimal: no sign, no leading zeros, a point only between digits.`,
    ],
    [
      'a strange character, without the text',
      edit('Somchai Jaidee', 'Somchai\u202EJaidee'),
      `MSG-4 ${tx}/Cdtr/Nm: must be: Human-readable text: not blank, no control characters, line breaks or marks that change the writing direction (FF01, ${value}). Found: U+202E at position 8 of 14. Expected: Up to 140 readable characters.`,
    ],
    [
      'white space around a time',
      edit(/(<AccptncDtTm>)/, '$1 '),
      `MSG-4 ${tx}/AddtlDtTm/AccptncDtTm: must be: Date and time with seconds and time zone, as in 2026-01-05T12:00:00+08:00 or 2026-01-05T04:00:00Z, years 1000 to 9999, without whitespace around it (FF01, ${value}). Found: 25 characters, white space around it.`,
    ],
    [
      'an element that is missing, and where it belongs',
      edit(/<ChrgBr>[^<]*<\/ChrgBr>/, ''),
      `MSG-5 ${tx}/ChrgBr: mandatory element missing (CH21, ${place}). Found: nothing. Expected: ChrgBr, after AgrdRate and before ChrgsInf: SHAR.`.replace(
        'MSG-5',
        'MSG-4',
      ),
    ],
    [
      'one of several that is missing',
      edit(/(<DbtrAgt>\s*<FinInstnId>)\s*<BICFI>[^<]*<\/BICFI>/, '$1'),
      `MSG-4 ${tx}/DbtrAgt/FinInstnId/BICFI: mandatory element missing (CH21, ${place}). Found: nothing. Expected: one of BICFI, ClrSysMmbId, LEI or Othr.`,
    ],
    [
      'an element that ISO 20022 has and the scheme does not use',
      edit('<ChrgBr>', '<XchgRate>25</XchgRate><ChrgBr>'),
      `MSG-4 ${tx}/XchgRate: not used in this scheme (FF01, ${unused}). Found: it is after AgrdRate. Expected: no such element.`,
    ],
    [
      'an element that ISO 20022 does not have there, without its name',
      edit('<SttlmInf>', '<Sum>1</Sum><SttlmInf>'),
      `MSG-4 /Document/FIToFICstmrCdtTrf/GrpHdr: holds an unknown element (FF01, ${iso}). Found: an unknown element after NbOfTxs. Expected: only MsgId, CreDtTm, NbOfTxs, SttlmInf.`.replace(
        '/Document/FIToFICstmrCdtTrf/',
        '',
      ),
    ],
    [
      'an element out of place',
      edit(
        /(<UnitCcy>[^<]*<\/UnitCcy>)\s*(<QtdCcy>[^<]*<\/QtdCcy>)\s*(<PreAgrdXchgRate>[^<]*<\/PreAgrdXchgRate>)/,
        '$2$3$1',
      ),
      `MSG-4 ${tx}/AgrdRate/UnitCcy: in the wrong place (FF01, ${place}). Found: it is after PreAgrdXchgRate. Expected: first, before QtdCcy.`,
    ],
    [
      'two of which only one may be',
      edit('<Prtry>SGDFAST</Prtry>', '<Cd>SGD</Cd><Prtry>SGDFAST</Prtry>'),
      `MSG-4 GrpHdr/SttlmInf/ClrSys/Prtry: only one of Cd or Prtry (FF01, ${place}). Found: more than one of them.`,
    ],
    [
      'a proprietary code',
      edit('<Cd>GDDS</Cd>', '<Prtry>goods</Prtry>'),
      `MSG-4 ${tx}/Purp/Prtry: Cd is required, not Prtry (CH21, ${unused}). Found: Prtry.`,
    ],
    [
      'an attribute of anybody',
      edit('<Dbtr>', '<Dbtr xmlns:q="urn:q" q:secret="1">'),
      `MSG-4 ${tx}/Dbtr: an attribute of another namespace (FF01, ${iso}). Found: an attribute with a prefix. Expected: no attribute.`,
    ],
    [
      'an amount without currency',
      edit(' Ccy="SGD">1000', '>1000'),
      `MSG-4 ${tx}/IntrBkSttlmAmt: Ccy is missing (FF01, ${place}). Found: no Ccy. Expected: Currency code of three letters in upper case.`,
    ],
    [
      'text between elements, without the text',
      edit('<Dbtr>', '<Dbtr>Aisha'),
      `MSG-4 ${tx}/Dbtr: text where only elements are allowed (FF01, ${iso}). Found: text. Expected: only Nm, PstlAdr, Id, CtryOfRes, CtctDtls.`,
    ],
  ])('%s', async (_, text, told) => {
    expect(await toldOf(text)).toEqual([told]);
  });
});

/** Matches of all leaf elements with text. */
const leaves = (text: string) =>
  [...text.matchAll(/<(\w+)(?: [^<>]*)?>([^<>]+)<\/\1>/g)].filter(
    ([, , inner]) => (inner ?? '').trim() !== '',
  );

describe('shows nothing of a person, an account, an address or an id', () => {
  const sources = [
    ['pacs008', readFixture('pacs008', 'sg-th-full.xml').toString()],
    ['acmt023', readFixture('acmt023', 'account.xml').toString()],
    ['acmt023', readFixture('acmt023', 'proxy.xml').toString()],
    ['acmt024', readFixture('acmt024', 'found.xml').toString()],
    ['pacs002', readFixture('pacs002', 'rejected.xml').toString()],
  ] as const;
  /** Names of elements whose values may be shown, unless they stand in a person or an address. */
  const mayShow =
    /^(Cd|Amt|.*Amt|.*Dt|.*Tm|.*Rate|.*Ccy|Ccy|InstrPrty|ChrgBr|SttlmMtd|NbOfTxs|TxSts|DbtCdtRptgInd|Vrfctn)$/;

  test.each(sources)('%s: no value that cannot be what it should be is repeated', async (name, text) => {
    for (const leaf of leaves(text)) {
      const [whole, element = '', inner = ''] = leaf;
      const at = (given: string) =>
        text.slice(0, leaf.index) +
        whole.replace(`>${inner}<`, `>${given}<`) +
        text.slice(leaf.index + whole.length);
      for (const broken of [`${inner}\u0085`, `\u0085${inner}`]) {
        for (const told of await toldOf(at(broken), name)) {
          if (inner.length > 3 && !mayShow.test(element)) expect(told, element).not.toContain(inner);
        }
      }
      for (const given of ['Zq9Zq', '987654321098765432109876543219', '31-12-1969', 'Zq Zq/']) {
        for (const told of await toldOf(at(given), name)) {
          if (told.includes(given)) expect(element).toMatch(mayShow);
          if (/\/(Dbtr|Cdtr|UltmtDbtr|UltmtCdtr|Pty|PstlAdr)\//.test(told)) expect(told).not.toContain(given);
        }
      }
    }
  });
});

describe('what ISO 20022 has and the scheme does not use', () => {
  test.skipIf(!officialPresent).each(names)(
    `%s: the schema lists it, no more and no less${officialNote}`,
    (name) => {
      const own = modelOf(name);
      const official = officialModel(name);
      const types = officialTypes(name);
      const differences: string[] = [];
      const namesOf = (type: ComplexType | undefined) => new Set(type?.options.flat().map((one) => one.name));
      const visit = (ownType: string, officialType: string, path: readonly string[]) => {
        const type = own.complexTypes.get(ownType);
        if (type === undefined) return;
        const others = [...namesOf(official.complexTypes.get(officialType))].filter(
          (one) => !namesOf(type).has(one),
        );
        const listed = [...type.leftOut];
        if (others.toSorted().join() !== listed.toSorted().join()) {
          differences.push(`${path.join('/')}: ${others.join(' ')}, not ${listed.join(' ')}`);
        }
        for (const particle of type.options.flat()) {
          const inner = [...path, particle.name];
          visit(particle.type, types.get(inner.join('/')) ?? '', inner);
        }
      };
      visit('Document', 'Document', []);
      expect(differences).toEqual([]);
    },
  );

  test.each(names)('%s: every sentence of its types can be told as it stands', (name) => {
    const { simpleTypes, complexTypes } = modelOf(name);
    for (const [type, { documentation }] of simpleTypes) expect(documentation, type).toMatch(/^[ -~]+$/);
    for (const { leftOut } of complexTypes.values())
      for (const one of leftOut) expect(one).toMatch(/^[A-Z][A-Za-z0-9]*$/);
  });
});
