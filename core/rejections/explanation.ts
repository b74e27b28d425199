/**
 * Puts a rejection into words: a short text for `AddtlInf`, and a long text for the header
 * `Isthmus-Rejection` and dry runs (MSG-13). Both texts are plain ASCII, and quote no more of the message
 * than the rejection contains.
 */
import type { Rejection } from './rejection.ts';
import type { Fault } from './rejection-table.ts';

export const faults = {
  'not-iso-20022': 'not valid ISO 20022',
  'not-used': 'valid ISO 20022, but not used in this scheme',
  'place-or-count': 'wrong place or count',
  value: 'wrong value',
} as const satisfies Record<Fault, string>;

const maxAdditionalInformation = 105; // Max105Text of AddtlInf
const maxExplanation = 1_000; // characters; leaves room for other headers
const cutMark = '...';

/**
 * A safeguard: all names and texts in the code are ASCII, and other characters could break a message or a
 * header.
 */
const printable = (text: string) => text.replaceAll(/[^ -~]/g, '?');
const belowMessage = (xpath: string) => xpath.replace(/^\/Document\/[^/]+\//, '');

const minReason = 40; // characters that the reason gets, even if the XPath is long
const minText = 16; // characters of a form (`must be: ...`) that always stay; other texts stay whole

/** Cuts a text between words, so that it fits. */
function cutTail(text: string, room: number): string {
  if (text.length <= room) return text;
  const most = text.slice(0, room - cutMark.length + 1);
  const end = most.lastIndexOf(' ');
  return `${most.slice(0, end > 0 ? end : room - cutMark.length).replace(/[,:;]$/, '')}${cutMark}`;
}

/**
 * Returns the reason, with as much of the found and expected values as fits. Only a form (`must be: ...`) is
 * cut to make room for them.
 */
function reasonWithin({ text, found, expected }: ToldShort, room: number): string {
  const stands = found === undefined || found === 'nothing' ? '' : ` Found: ${found}.`;
  const whole =
    stands === '' ? [] : [`${text}.${stands}${withExpected(text, expected)}`, `${text}.${stands}`];
  const isForm = text.startsWith('must be: ');
  const fitting = (isForm ? whole : [...whole, text]).find((one) => one.length <= room);
  const left = room - stands.length;
  return fitting ?? (isForm && left >= minText ? cutTail(text, left) + stands : cutTail(text, room));
}

/**
 * Returns ` Expected: ...` without sentences that the text already contains; empty if no sentence remains.
 */
function withExpected(text: string, expected = ''): string {
  const said = (sentence: string) => text.includes(sentence);
  const left = said(expected) ? [] : expected.split('. ').filter((sentence) => !said(sentence));
  return left.length === 0 ? '' : ` Expected: ${left.join('. ')}.`;
}

/**
 * The gateway adds this to its own rejection in the message to the destination, because only the destination
 * can return the money.
 */
export const returnCredit = 'PAY-9 if you have credited this payment, return it: its source is told RJCT';

type ToldShort = Pick<Rejection, 'ruleId' | 'xpath' | 'text' | 'found' | 'expected'>;

/**
 * The text of `AddtlInf`: rule, XPath (within a transaction from `CdtTrfTxInf` on), and reason, with as much of the
 * values found and expected as fits. A long XPath is cut at its beginning, so that the reason always has room.
 */
export function additionalInformation(rejection: ToldShort): string {
  const { ruleId, xpath } = rejection;
  const path = xpath === undefined ? '' : belowMessage(xpath);
  const head = path === '' ? `${ruleId} ` : `${ruleId} ${path}: `;
  const reason = reasonWithin(rejection, Math.max(minReason, maxAdditionalInformation - head.length));
  const whole = printable(head + reason);
  if (whole.length <= maxAdditionalInformation) return whole;
  const roomOfPath = maxAdditionalInformation - `${ruleId} ${cutMark}: ${reason}`.length;
  return printable(`${ruleId} ${cutMark}${path.slice(-roomOfPath)}: ${reason}`);
}

/**
 * The long form, for the header `Isthmus-Rejection` and dry runs: rule, element, reason, ISO code, kind of fault, and
 * the values found and expected.
 * @returns one line of printable ASCII, at most 1,000 characters
 */
export function explain(rejection: Rejection): string {
  const { isoCode, ruleId, xpath, text, fault, found, expected } = rejection;
  const where = xpath === undefined ? '' : ` ${belowMessage(xpath)}:`;
  const parts = [
    `${ruleId}${where} ${text} (${fault === undefined ? isoCode : `${isoCode}, ${faults[fault]}`}).`,
    found === undefined ? '' : `Found: ${found}.`,
    withExpected(text, expected).trimStart(),
  ];
  const whole = printable(parts.filter((part) => part !== '').join(' '));
  return whole.length <= maxExplanation
    ? whole
    : `${whole.slice(0, maxExplanation - cutMark.length)}${cutMark}`;
}
