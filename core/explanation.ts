/**
 * How a rejection is told: short in `AddtlInf` (MSG-11), long in the header `Isthmus-Rejection` and in dry runs (MSG-13).
 * Both are plain ASCII; of the sender's own text they repeat no more than the rejection holds.
 */
import type { Rejection } from './rejection.ts';

/** Which of four a refusal is (MSG-13), in words. */
export const faults = {
  'not-iso-20022': 'not valid by ISO 20022',
  'not-used': 'valid by ISO 20022, but not used in this scheme',
  'place-or-count': 'wrong place or count',
  value: 'wrong value',
} as const;
export type Fault = keyof typeof faults;

const maxAdditionalInformation = 105; // Max105Text of AddtlInf
const maxExplanation = 1_000; // a header, with room for others
const cutMark = '...';

/** Every name and text that we tell is ASCII; should one not be, it must harm no message and no header. */
const printable = (text: string) => text.replaceAll(/[^ -~]/g, '?');
const belowMessage = (xpath: string) => xpath.replace(/^\/Document\/[^/]+\//, '');

/**
 * The text of `AddtlInf` (MSG-11): rule and XPath, that of a transaction from `CdtTrfTxInf` on, cut at its head when it is too long;
 * the public text follows where there is room.
 */
export function additionalInformation(rejection: Pick<Rejection, 'ruleId' | 'xpath' | 'text'>): string {
  const { ruleId, xpath, text } = rejection;
  if (xpath === undefined) return printable(`${ruleId} ${text}`).slice(0, maxAdditionalInformation);
  const path = belowMessage(xpath);
  const room = maxAdditionalInformation - ruleId.length - 1;
  if (path.length > room) {
    return printable(`${ruleId} ${cutMark}${path.slice(path.length - room + cutMark.length)}`);
  }
  const full = `${ruleId} ${path}: ${text}`;
  return printable(full.length <= maxAdditionalInformation ? full : `${ruleId} ${path}`);
}

/**
 * The long form (MSG-13), for the header `Isthmus-Rejection` and dry runs: rule, element, what is wrong and which of the four
 * that is, what stands there, what was expected.
 * @returns one line of printable ASCII, at most 1,000 characters
 */
export function explain(rejection: Rejection): string {
  const { isoCode, ruleId, xpath, text, fault, found, expected } = rejection;
  const where = xpath === undefined ? '' : ` ${belowMessage(xpath)}:`;
  const parts = [
    `${ruleId}${where} ${text} (${fault === undefined ? isoCode : `${isoCode}, ${faults[fault]}`}).`,
    found === undefined ? '' : `Found: ${found}.`,
    expected === undefined ? '' : `Expected: ${expected}.`,
  ];
  const whole = printable(parts.filter((part) => part !== '').join(' '));
  return whole.length <= maxExplanation
    ? whole
    : `${whole.slice(0, maxExplanation - cutMark.length)}${cutMark}`;
}
