/**
 * Turns schema violations into rejections: element and kind of fault. The XML engine has validated the message; this
 * file only assigns the ISO code.
 */
import { reject, type Rejection, type RejectionDetails } from '../rejections/rejection.ts';
import { compact } from '../compact.ts';
import { within, withoutPositions } from './tree.ts';

export interface Violation extends RejectionDetails {
  /**
   * `missing`: a mandatory element is absent or empty. `proprietary`: `Prtry` in place of a required external code.
   * `decimals`: more decimals than the type allows. `surplus`: one element too many. `invalid`: anything else.
   */
  readonly kind: 'missing' | 'proprietary' | 'decimals' | 'surplus' | 'invalid';
  /**
   * From `/Document` on. It contains only names that the schema knows, and a position where siblings share a name. For
   * an unknown element it is the XPath of the parent.
   */
  readonly xpath: string;
  /**
   * True if the value at the XPath is usable and was judged separately: only its place is wrong, or an
   * element beside it.
   */
  readonly isReadable?: true;
  /** The engine's message. It may quote values, so it must not be logged, stored or shown. */
  readonly message: string;
}

/** Further violations are dropped (docs/explanation/architecture.md, order of intake). */
export const maxViolations = 20;

/** Elements that the schema restricts because of MSG-5, and for no other reason. */
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

/** The rejection of a message that violates the gateway's schema. */
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
 * Whether a part of a message was judged and found valid, whatever is wrong elsewhere.
 * @param path from `/Document` on, without positions; it stands for all elements at that path
 */
export function foundValid(path: string, violations: readonly Violation[]): boolean {
  return !violations.some((violation) => {
    const xpath = withoutPositions(violation.xpath);
    if (violation.kind === 'surplus') return within(xpath, path); // not judged, but readers of its parent ignore it
    return violation.isReadable !== true && (within(path, xpath) || within(xpath, path));
  });
}
