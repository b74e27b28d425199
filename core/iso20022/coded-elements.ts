/**
 * The external code set of each coded element (MSG-4), found by the last names of its path, in every message. Codes
 * that a schema itself lists (priorities, statuses) are left to the schema.
 */
import { reject, type Rejection } from '../rejection.ts';
import { codeSets, type CodeSet, type CodeSetName } from './external-codes.ts';
import { xpathOf, type XmlElement } from './tree.ts';
import { visible } from './visible-values.ts';

/** How an element's code is judged: by a code set, or not here, for the reason in a rule. */
export type Coding = { readonly set: CodeSetName } | { readonly passedBy: string; readonly because: string };

/** By the last names of the element's path; the longest match counts. */
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

/** Codes of ISO 3166 and ISO 4217, which are not ISO 20022 code sets: by the last name alone. */
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
 * @param path names of elements, from the message element to the coded one
 */
export function codingOf(path: readonly string[]): Coding | undefined {
  let suffix = path.at(-1) ?? '';
  let found = standing[suffix];
  for (let length = 2; length <= Math.min(longestSuffix, path.length); length += 1) {
    suffix = `${path.at(-length)}/${suffix}`;
    if (suffix === 'Tp/Cd' && path.at(-3)?.endsWith('Acct') === false) continue; // of an account alone
    found = codings[suffix] ?? found;
  }
  return found;
}

/** An element and its ancestors, up to the one whose codes are judged. */
interface Link {
  readonly element: XmlElement;
  readonly outer: Link | undefined;
}

/** From the outermost element to the innermost. */
function chainOf(link: Link): readonly XmlElement[] {
  const chain: XmlElement[] = [];
  for (let one: Link | undefined = link; one !== undefined; one = one.outer) chain.unshift(one.element);
  return chain;
}

/**
 * A rejection for each code that is not in its set, in document order (MSG-4).
 * @param root the element whose codes are judged, @param xpath its XPath
 */
export function findUnknownCodes(root: XmlElement, xpath: string): readonly Rejection[] {
  const rejections: Rejection[] = [];
  const visit = (link: Link) => {
    for (const element of link.element.children) {
      const inner = { element, outer: link };
      if (element.name !== 'Cd') {
        if (element.children.length > 0) visit(inner);
        continue;
      }
      const chain = chainOf(inner);
      const set = setOf(chain.map(({ name }) => name));
      if (set === undefined || set.codes.has(element.text)) continue;
      const where = `${xpath}${xpathOf(chain).slice(`/${root.name}`.length)}`;
      const found = visible('code', where, element.text) ?? `${Array.from(element.text).length} characters`;
      rejections.push(
        reject('code-unknown', where, undefined, { found, expected: `a code of ${set.isoName}` }),
      );
    }
  };
  visit({ element: root, outer: undefined });
  return rejections;
}

function setOf(path: readonly string[]): CodeSet | undefined {
  const coding = codingOf(path);
  return coding !== undefined && 'set' in coding ? codeSets[coding.set] : undefined;
}
