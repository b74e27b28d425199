/**
 * How a rejection is worded: short in `AddtlInf`, long in the header `Isthmus-Rejection` and in dry runs
 * (MSG-13). Both are plain ASCII, and repeat no more of the sender's text than the rejection holds.
 */
import type { Rejection } from './rejection.ts';
import type { Fault } from './rejection-table.ts';

/** The four kinds of fault, in words. */
export const faults = {
  'not-iso-20022': 'not valid ISO 20022',
  'not-used': 'valid ISO 20022, but not used in this scheme',
  'place-or-count': 'wrong place or count',
  value: 'wrong value',
} as const satisfies Record<Fault, string>;

const maxAdditionalInformation = 105; // Max105Text of AddtlInf
const maxExplanation = 1_000; // a header, with room for others
const cutMark = '...';

/** All our names and texts are ASCII; should one not be, it must not break a message or a header. */
const printable = (text: string) => text.replaceAll(/[^ -~]/g, '?');
const belowMessage = (xpath: string) => xpath.replace(/^\/Document\/[^/]+\//, '');

const minReason = 40; // characters that even the longest XPath leaves for the reason
const minText = 16; // of a form that is expected, where what was found takes the rest: `must be: Code...`
const mostReason = 80; // so that the element itself is still named

/** As much of a text as fits, cut between words. */
function cutTail(text: string, room: number): string {
  if (text.length <= room) return text;
  const most = text.slice(0, room - cutMark.length + 1);
  const end = most.lastIndexOf(' ');
  return `${most.slice(0, end > 0 ? end : room - cutMark.length).replace(/[,:;]$/, '')}${cutMark}`;
}

/** The possible reasons, the fullest first: what a check found and expected says more than the row's text. */
function reasonsOf(told: ToldShort): readonly string[] {
  const { text, expected } = told;
  const stands = standing(told);
  if (stands === '') return [text];
  const wanted = withExpected(text, expected);
  const withFound = [`${text}.${stands}${wanted}`, `${text}.${stands}`];
  if (isForm(text)) return withFound; // else its end gives way to what was found
  return [...withFound, ...(wanted === '' ? [] : [`${text}.${wanted}`]), text];
}

/** ` Found: ...`; empty where nothing stands there. */
const standing = ({ found }: ToldShort) =>
  found === undefined || found === 'nothing' ? '' : ` Found: ${found}.`;

/** A text that only describes the form that is expected, at length and often with an example. */
const isForm = (text: string) => text.startsWith('must be: ');

/** What is left of a text beside what was found: of a form its beginning, of any other all that it says is wrong. */
const leastText = ({ text }: ToldShort) => (isForm(text) ? Math.min(minText, text.length) : text.length);

/** A reason that is too long: what was found stays, if the text is understood all the same. */
function cutReason(told: ToldShort, room: number): string {
  const stands = standing(told);
  const left = room - stands.length;
  return left >= leastText(told) ? cutTail(told.text, left) + stands : cutTail(told.text, room);
}

/** What even the longest XPath leaves for it. */
function roomFor(told: ToldShort): number {
  const needed = leastText(told) + standing(told).length;
  return needed <= mostReason ? Math.max(minReason, needed) : minReason;
}

/** ` Expected: ...`, with the sentences that are not in the text already; empty if none is left. */
function withExpected(text: string, expected = ''): string {
  const said = (sentence: string) => text.includes(sentence);
  const left = said(expected) ? [] : expected.split('. ').filter((sentence) => !said(sentence));
  return left.length === 0 ? '' : ` Expected: ${left.join('. ')}.`;
}

/** Beside a rejection of ours, to the destination: nobody else tells it. */
export const returnCredit = 'PAY-9 if you have credited this payment, return it: its source is told RJCT';

type ToldShort = Pick<Rejection, 'ruleId' | 'xpath' | 'text' | 'found' | 'expected'>;

/**
 * The text of `AddtlInf`: rule, XPath (in a transaction, from `CdtTrfTxInf` on), and the reason, with
 * as much of what was found and expected as fits. A long XPath loses its beginning, so that there is always room for
 * the reason.
 */
export function additionalInformation(rejection: ToldShort): string {
  const { ruleId, xpath } = rejection;
  const path = xpath === undefined ? '' : belowMessage(xpath);
  const head = path === '' ? `${ruleId} ` : `${ruleId} ${path}: `;
  const room = maxAdditionalInformation - head.length;
  const reason = reasonsOf(rejection).find((one) => one.length <= room);
  if (reason !== undefined) return printable(head + reason);
  if (room >= roomFor(rejection)) return printable(head + cutReason(rejection, room));
  const short = cutReason(rejection, roomFor(rejection));
  const roomOfPath = maxAdditionalInformation - `${ruleId} ${cutMark}: ${short}`.length;
  return printable(`${ruleId} ${cutMark}${path.slice(-roomOfPath)}: ${short}`);
}

/**
 * The long form, for the header `Isthmus-Rejection` and dry runs: rule, element, what is wrong and which of
 * the four kinds of fault it is, what was found, what was expected.
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
