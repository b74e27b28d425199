/**
 * What a schema says against a message, put into the words of the rules: which element, and of which kind.
 * The verdict is the XML engine's; this file only gives it its ISO code (MSG-4).
 */
import { reject, type Rejection } from '../rejection.ts';

export interface Violation {
  /**
   * `missing`: a mandatory element is not there or empty. `proprietary`: `Prtry` where an external code is required.
   * `decimals`: more decimals than the type has. `invalid`: anything else.
   */
  readonly kind: 'missing' | 'proprietary' | 'decimals' | 'invalid';
  /** From `/Document` on, names without prefix, with a position where siblings share a name. */
  readonly xpath: string;
  /** XPath of the element whose further content the engine did not judge, where elements do not stand as they must. */
  readonly stoppedIn?: string;
  /** The engine's own words. They may repeat values of the message: never log or store them (SEC-3). */
  readonly message: string;
}

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
  const { kind, xpath } = violation;
  switch (kind) {
    case 'missing':
      return reject('element-missing', xpath);
    case 'proprietary':
      return reject('code-required', xpath);
    case 'decimals':
      return reject('too-many-decimals', xpath);
    case 'invalid':
      return reject(guidelineElements.has(lastName(xpath)) ? 'guideline-violated' : 'schema-invalid', xpath);
  }
}

const withoutPositions = (xpath: string) => xpath.replaceAll(/\[\d+\]/g, '');
/** Whether an element is the other or stands in it. */
export const within = (inner: string, outer: string) => inner === outer || inner.startsWith(`${outer}/`);

/**
 * Whether these parts of a message were judged and found valid, whatever else was found.
 * @param paths of elements, from `/Document` on, without positions
 */
export function foundValid(paths: readonly string[], violations: readonly Violation[]): boolean {
  const unsafe = violations.flatMap(({ xpath, stoppedIn = xpath }) =>
    [xpath, stoppedIn].map(withoutPositions),
  );
  const isRoot = (xpath: string) => !xpath.includes('/', 1); // whatever its name is, nothing below it was judged
  return !unsafe.some((one) => isRoot(one) || paths.some((path) => within(path, one) || within(one, path)));
}
