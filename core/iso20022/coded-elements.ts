/**
 * Which code set each coded element is held against (MSG-4), found by the names that lead to it: every message, wherever
 * the element stands. What a schema lists itself (priorities, statuses) is the schema's matter.
 */
import { reject, type Rejection } from '../rejection.ts';
import { codeSets, type CodeSetName } from './external-codes.ts';
import { xpathOf, type XmlElement } from './tree.ts';

/** How an element's code is judged: by a set of codes, or not here, for the reason that a rule gives. */
export type Coding = { readonly set: CodeSetName } | { readonly passedBy: string; readonly because: string };

/** By the last names of the way to the element; the longest that fits counts. */
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

/** Codes of ISO 3166 and ISO 4217, which have no code set of ISO 20022: by the last name alone. */
const standing: Readonly<Record<string, Coding>> = {
  Ctry: { passedBy: 'MSG-9', because: 'a country by its form; those that matter are looked up (RES-2)' },
  CtryOfRes: { passedBy: 'MSG-9', because: 'a country by its form' },
  CtryOfBirth: { passedBy: 'MSG-9', because: 'a country by its form' },
  Ccy: { passedBy: 'MSG-9', because: 'the currency of an account by its form' },
  UnitCcy: { passedBy: 'MSG-4', because: "it must be the corridor's" },
  QtdCcy: { passedBy: 'MSG-4', because: "it must be the corridor's" },
};

const longestSuffix = 4;

/** @param path names of elements, from the message element to the coded one */
export function codingOf(path: readonly string[]): Coding | undefined {
  for (let length = Math.min(longestSuffix, path.length); length >= 2; length -= 1) {
    const coding = codings[path.slice(-length).join('/')];
    if (coding !== undefined) return coding;
  }
  return standing[path.at(-1) ?? ''];
}

/**
 * A rejection for each code that is not in its set, in document order (MSG-4).
 * @param root the element whose codes are judged, @param xpath its XPath
 */
export function findUnknownCodes(root: XmlElement, xpath: string): readonly Rejection[] {
  const rejections: Rejection[] = [];
  const visit = (way: readonly XmlElement[]) => {
    for (const child of way.at(-1)?.children ?? []) {
      const inner = [...way, child];
      if (child.name !== 'Cd') visit(inner);
      else if (isUnknown(child.text, codingOf(inner.map(({ name }) => name)))) {
        rejections.push(reject('code-unknown', `${xpath}${xpathOf(inner).slice(`/${root.name}`.length)}`));
      }
    }
  };
  visit([root]);
  return rejections;
}

function isUnknown(code: string, coding: Coding | undefined): boolean {
  return coding !== undefined && 'set' in coding && !codeSets[coding.set].codes.has(code);
}
