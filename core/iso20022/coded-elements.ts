/**
 * Maps each coded element of every message to its external code set, by the last names of its path. The
 * schema itself checks the codes that it lists (priorities, statuses).
 */
import { reject, type Rejection } from '../rejections/rejection.ts';
import { elementsNamed, xpathOf, type XmlElement } from './tree.ts';
import { codeSets, isoNames, type CodeSetName } from './external-codes.ts';
import { visible } from './lexical.ts';

/**
 * The code set against which a code is checked, or the rule and the reason why this file does not check it.
 */
export type Coding = { readonly set: CodeSetName } | { readonly passedBy: string; readonly because: string };

/** Keyed by the last names of the element's path; the longest match wins. */
const codings: Readonly<Record<string, Coding>> = {
  'Purp/Cd': { set: 'purpose' },
  'CtgyPurp/Cd': { set: 'categoryPurpose' },
  'SvcLvl/Cd': { set: 'serviceLevel' },
  'LclInstrm/Cd': { set: 'localInstrument' },
  'Tp/Cd': { set: 'accountType' },
  'Prxy/Tp/Cd': { set: 'proxyType' },
  'ClrSysMmbId/ClrSysId/Cd': { set: 'memberSystem' },
  'Id/Othr/SchmeNm/Cd': { set: 'accountScheme' },
  'OrgId/Othr/SchmeNm/Cd': { set: 'organisationScheme' },
  'PrvtId/Othr/SchmeNm/Cd': { set: 'personScheme' },
  'CdtrRefInf/Tp/CdOrPrtry/Cd': { set: 'creditorReferenceType' },
  'InstrForCdtrAgt/Cd': { set: 'creditorAgentInstruction' },
  'StsRsnInf/Rsn/Cd': { set: 'statusReason' },
  'Rpt/Rsn/Cd': { passedBy: 'RES-4', because: 'any of up to four characters passes' },
  'SttlmInf/ClrSys/Cd': { passedBy: 'MSG-5', because: "it must be the submitter's clearing system" },
  'FinInstnId/Othr/SchmeNm/Cd': { passedBy: 'MSG-9', because: 'ISO 20022 publishes no code for it' },
  'RgltryRptg/Dtls/Cd': { passedBy: 'MSG-9', because: 'authorities give these codes, not ISO 20022' },
};

/** Codes of ISO 3166 and ISO 4217, which are not ISO 20022 code sets. Keyed by the last name alone. */
const standing: Readonly<Record<string, Coding>> = {
  Ctry: { passedBy: 'MSG-9', because: 'a country by its form; those that matter are looked up (RES-2)' },
  CtryOfRes: { passedBy: 'MSG-9', because: 'a country by its form' },
  CtryOfBirth: { passedBy: 'MSG-9', because: 'a country by its form' },
  Ccy: { passedBy: 'MSG-9', because: 'the currency of an account by its form' },
  UnitCcy: { passedBy: 'MSG-4', because: "it must be the corridor's" },
  QtdCcy: { passedBy: 'MSG-4', because: "it must be the corridor's" },
};

const longestSuffix = 4;

/**
 * @param path element names from the message element to the coded element
 * @internal exported for tests
 */
export function codingOf(path: readonly string[]): Coding | undefined {
  let suffix = path.at(-1) ?? '';
  let found = standing[suffix];
  for (let length = 2; length <= Math.min(longestSuffix, path.length); length += 1) {
    suffix = `${path.at(-length)}/${suffix}`;
    if (suffix === 'Tp/Cd' && path.at(-3)?.endsWith('Acct') === false) continue; // this code set is for accounts only
    found = codings[suffix] ?? found;
  }
  return found;
}

/**
 * Returns a rejection for each code that is not in its set, in document order.
 * @param root the element whose descendants are checked
 * @param xpath the XPath of `root`
 */
export function findUnknownCodes(root: XmlElement, xpath: string): readonly Rejection[] {
  const { edition, codes } = codeSets();
  return elementsNamed('Cd', root).flatMap((chain) => {
    const coding = codingOf(chain.map(({ name }) => name));
    const code = chain.at(-1)?.text ?? '';
    if (coding === undefined || !('set' in coding) || codes[coding.set].has(code)) return [];
    const where = `${xpath}${xpathOf(chain).slice(`/${root.name}`.length)}`;
    const details = {
      text: `code not in edition ${edition} of its code set`,
      found: visible('code', where, code) ?? `${Array.from(code).length} characters`,
      expected: `a code of ${isoNames[coding.set]}`,
    };
    return [reject('code-unknown', where, undefined, details)];
  });
}
