/**
 * What a schema says against a message, put into the words of the rules: which element, and of which kind.
 * The verdict is the XML engine's; this file only gives it its ISO code (MSG-4).
 */
import { reject, type Rejection, type RejectionDetails } from '../rejection.ts';
import { compact } from './parties.ts';
import { withoutPositions } from './tree.ts';

export interface Violation extends RejectionDetails {
  /**
   * `missing`: a mandatory element is not there or empty. `proprietary`: `Prtry` where an external code is required.
   * `decimals`: more decimals than the type has. `surplus`: one more than there may be. `invalid`: anything else.
   */
  readonly kind: 'missing' | 'proprietary' | 'decimals' | 'surplus' | 'invalid';
  /**
   * From `/Document` on, of names that the schema knows and of nothing else (MSG-13), with a position where siblings share a
   * name. Of an element that it does not know, the XPath is that of its parent.
   */
  readonly xpath: string;
  /** What stands at the XPath is what a reader finds there, and was judged apart: the fault is its place, or something beside it. */
  readonly isReadable?: true;
  /** The engine's own words about the message. They may repeat values of it: never log, store or tell them (SEC-3). */
  readonly message: string;
}

/** Violations beyond this number are not kept (docs/explanation/architecture.md, order of intake). */
export const maxViolations = 20;

/** Elements whose whole point in the schema is a rule of MSG-5. */
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

/** The rejection of a message that is not valid by the project's schema. */
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

/** Whether an element is the other or stands in it. */
export const within = (inner: string, outer: string) => inner === outer || inner.startsWith(`${outer}/`);

/**
 * Whether a part of a message was judged and found fit to be read, whatever else was found.
 * @param path of an element, from `/Document` on, without positions; all elements at it are meant
 */
export function foundValid(path: string, violations: readonly Violation[]): boolean {
  return !violations.some((violation) => {
    const xpath = withoutPositions(violation.xpath);
    if (violation.kind === 'surplus') return within(xpath, path); // not judged; readers of its parent do not look at it
    return violation.isReadable !== true && (within(path, xpath) || within(xpath, path));
  });
}
