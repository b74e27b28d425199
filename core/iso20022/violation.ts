/**
 * Turns the violations of a schema into rejections: which element, and which kind of fault. The XML engine has judged;
 * this file only assigns the ISO code.
 */
import { reject, type Rejection, type RejectionDetails } from '../rejections/rejection.ts';
import { compact } from '../compact.ts';
import { within, withoutPositions } from './tree.ts';

export interface Violation extends RejectionDetails {
  /**
   * `missing`: a mandatory element is absent or empty. `proprietary`: `Prtry` where an external code is required.
   * `decimals`: more decimals than the type allows. `surplus`: one too many. `invalid`: anything else.
   */
  readonly kind: 'missing' | 'proprietary' | 'decimals' | 'surplus' | 'invalid';
  /**
   * From `/Document` on, with names that the schema knows and nothing else, and a position where siblings
   * share a name. For an unknown element, the XPath of its parent.
   */
  readonly xpath: string;
  /** The value at the XPath can be read, and was judged separately: the fault is its place, or something beside it. */
  readonly isReadable?: true;
  /** The engine's own message. It may repeat values: never log, store or show it. */
  readonly message: string;
}

/** Violations beyond this number are not kept (docs/explanation/architecture.md, order of intake). */
export const maxViolations = 20;

/** Elements that the schema restricts for MSG-5 only. */
const guidelineElements: ReadonlySet<string> = new Set([
  'MsgId',
  'NbOfTxs',
  'SttlmMtd',
  'InstrId',
  'EndToEndId',
  'TxId',
  'UETR',
  'ClrSysRef',
  'InstrPrty',
  'ChrgBr',
  'CdtTrfTxInf',
]);

function lastName(xpath: string): string {
  return xpath.slice(xpath.lastIndexOf('/') + 1).replace(/\[\d+\]$/, '');
}

/** The rejection of a message that is not valid against the project's schema. */
export function rejectionOf(violation: Violation): Rejection {
  const { kind, xpath, text, fault, found, expected, isReadable } = violation;
  const details = compact<RejectionDetails>({ text, fault, found, expected });
  switch (kind) {
    case 'missing':
      return reject('element-missing', xpath, undefined, details);
    case 'proprietary':
      return reject('code-required', xpath, undefined, details);
    case 'decimals':
      return reject('too-many-decimals', xpath, undefined, details);
    case 'surplus':
    case 'invalid': {
      const isOfGuideline =
        guidelineElements.has(lastName(xpath)) && (kind === 'surplus' || isReadable !== true);
      return reject(isOfGuideline ? 'guideline-violated' : 'schema-invalid', xpath, undefined, details);
    }
  }
}

/**
 * Whether a part of a message was judged and found valid, whatever else was found.
 * @param path of an element, from `/Document` on, without positions; all elements at it are meant
 */
export function foundValid(path: string, violations: readonly Violation[]): boolean {
  return !violations.some((violation) => {
    const xpath = withoutPositions(violation.xpath);
    if (violation.kind === 'surplus') return within(xpath, path); // not judged; readers of its parent ignore it
    return violation.isReadable !== true && (within(path, xpath) || within(xpath, path));
  });
}
