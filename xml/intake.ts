/**
 * Refuses, before parsing, bytes that are not UTF-8 and constructs that no message needs. It scans the bytes
 * once, and reports together all faults that it can find.
 */
import { isUtf8 } from 'node:buffer';
import type { IntakeFault } from './engine.ts';
import { isWhiteSpace } from '../core/iso20022/tree.ts';

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
const declarationStart = Buffer.from('<?xml');
const declarationLimit = 256; // Bytes. An allowed declaration is far shorter.

const declarationPattern =
  /^<\?xml[ \t\r\n]+version[ \t\r\n]*=[ \t\r\n]*["']([^"']*)["'](?:[ \t\r\n]+encoding[ \t\r\n]*=[ \t\r\n]*["']([^"']*)["'])?(?:[ \t\r\n]+standalone[ \t\r\n]*=[ \t\r\n]*["'](?:yes|no)["'])?[ \t\r\n]*\?>/;
const utf8Pattern = /^[Uu][Tt][Ff]-8$/;

function startsWith(bytes: Buffer, start: Buffer, at = 0): boolean {
  for (let index = 0; index < start.length; index += 1) if (bytes[at + index] !== start[index]) return false;
  return true;
}

function isDeclaration(text: Buffer, at: number): boolean {
  return startsWith(text, declarationStart, at) && isWhiteSpace(text[at + declarationStart.length] ?? 0);
}

function fault(code: IntakeFault['code'], detail: string): IntakeFault {
  return { code, detail };
}

/** Finds the faults of the XML declaration at the start of the text. */
function declarationFaults(text: Buffer): { readonly faults: readonly IntakeFault[]; readonly end: number } {
  const faults: IntakeFault[] = [];
  const declaration = declarationPattern.exec(text.toString('latin1', 0, declarationLimit));
  if (declaration === null) {
    const unread = fault('not-well-formed', 'the XML declaration cannot be read');
    return { faults: [unread], end: declarationStart.length };
  }
  const [{ length }, version, encoding] = declaration;
  if (version !== '1.0') faults.push(fault('xml-version', 'only XML 1.0 is accepted'));
  if (encoding !== undefined && !utf8Pattern.test(encoding)) {
    faults.push(fault('encoding-declared', 'the only encoding that may be declared is UTF-8'));
  }
  return { faults, end: length };
}

/** Constructs that no message needs: their start, their end, and the error text. */
const markups = [
  { start: '<!--', end: '-->', code: 'comment', words: 'comments are not allowed' },
  { start: '<![CDATA[', end: ']]>', code: 'cdata', words: 'CDATA sections are not allowed' },
  {
    start: '<?',
    end: '?>',
    code: 'processing-instruction',
    words: 'processing instructions are not allowed',
  },
  { start: '<!', end: undefined, code: 'doctype', words: 'a document type declaration is not allowed' },
] as const;

/** Finds the next `<!` or `<?`. Callers must pass increasing positions, so that no byte is scanned twice. */
function markupFinder(text: Buffer): (from: number) => number {
  const next = { '<!': -1, '<?': -1 };
  const nextOf = (start: keyof typeof next, from: number) => {
    if (next[start] < from) {
      const found = text.indexOf(start, from);
      next[start] = found < 0 ? Infinity : found;
    }
    return next[start];
  };
  return (from) => Math.min(nextOf('<!', from), nextOf('<?', from));
}

/** Reports each kind of forbidden markup once, with the line of its first occurrence. */
function markupFaults(text: Buffer, from: number): readonly IntakeFault[] {
  const faults = new Map<string, IntakeFault>();
  const nextMarkup = markupFinder(text);
  for (let at = nextMarkup(from); at < Infinity;) {
    const head = text.toString('latin1', at, at + 9);
    const markup = markups.find(({ start }) => head.startsWith(start)) ?? markups[3];
    const isLateDeclaration = isDeclaration(text, at);
    const words = isLateDeclaration ? 'an XML declaration must come first' : markup.words;
    if (!faults.has(words)) faults.set(words, fault(markup.code, `${words} (line ${lineOf(text, at)})`));
    // A DOCTYPE may contain text that only looks like markup, so stop the search.
    if (markup.end === undefined) break;
    const end = text.indexOf(markup.end, at + markup.start.length);
    if (end < 0) break;
    at = nextMarkup(end + markup.end.length);
  }
  return [...faults.values()];
}

function lineOf(text: Buffer, at: number): number {
  let line = 1;
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', end + 1)) line += 1;
  return line;
}

/** Encodings that agree with UTF-8 on the characters of ASCII. */
const asciiEncodings = /^(?:us-ascii|iso-8859-\d+|windows-125\d)$/i;

/**
 * Makes the answer of a party plain, because no comment may undo a status (PAY-11): without comments and processing
 * instructions, with the text of CDATA sections escaped. A declared encoding counts as UTF-8 if all bytes are ASCII. A
 * document type declaration stays, and is refused.
 */
export function plainAnswer(bytes: Uint8Array): Uint8Array {
  const text = withoutMark(bytes);
  const declaration = isDeclaration(text, 0)
    ? declarationPattern.exec(text.toString('latin1', 0, declarationLimit))
    : null;
  const isAscii = asciiEncodings.test(declaration?.[2] ?? '') && text.every((byte) => byte < 0x80);
  const start = declaration?.[0].length ?? 0;
  const nextMarkup = markupFinder(text);
  const parts: Uint8Array[] = isAscii ? [] : [text.subarray(0, start)];
  let from = start;
  for (let at = nextMarkup(from); at < Infinity; at = nextMarkup(from)) {
    const head = text.toString('latin1', at, at + 9);
    const markup = markups.find((one) => head.startsWith(one.start)) ?? markups[3];
    const end = markup.end === undefined ? -1 : text.indexOf(markup.end, at + markup.start.length);
    if (markup.end === undefined || end < 0 || isDeclaration(text, at) || isWithinTag(text, at)) return bytes;
    parts.push(text.subarray(from, at));
    if (markup.code === 'cdata') parts.push(escaped(text.subarray(at + markup.start.length, end)));
    from = end + markup.end.length;
  }
  return parts.length < 2 && !isAscii ? bytes : Buffer.concat([...parts, text.subarray(from)]);
}

/** No markup may stand there. */
const isWithinTag = (text: Buffer, at: number): boolean =>
  at > 0 && text.lastIndexOf('<', at - 1) > text.lastIndexOf('>', at - 1);

const escaped = (text: Buffer): Buffer =>
  Buffer.from(
    text.toString('latin1').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
    'latin1',
  );

/** @returns the faults; empty if the bytes may be parsed */
export function inspectBytes(bytes: Uint8Array): readonly IntakeFault[] {
  if (!isUtf8(bytes)) return [fault('not-utf8', 'the body is not UTF-8')];
  const text = withoutMark(bytes);
  if (text.length === 0) return [fault('not-well-formed', 'the body is empty')];
  const crowd = findCrowd(text);
  if (crowd !== undefined) return [{ ...fault('too-much', crowd), ruleId: 'SEC-7' }];
  if (!isDeclaration(text, 0)) return markupFaults(text, 0);
  const { faults, end } = declarationFaults(text);
  return [...faults, ...markupFaults(text, end)];
}

/** The bytes without a leading byte order mark. */
export function withoutMark(bytes: Uint8Array): Buffer {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return startsWith(whole, byteOrderMark) ? whole.subarray(byteOrderMark.length) : whole;
}

const maxTags = 5_000; // The largest message that the schemas accept has about 800 elements.
const shortestTag = 4; // Bytes of an element or attribute: `<a/>`, `a=""`. Most messages are too short for so many.
const lessThan = 0x3c;
const equalsSign = 0x3d;
const slash = 0x2f;

/**
 * Describes too many elements or attributes; undefined if there are not. It counts start tags, and equals signs, which
 * are rare in values. It stops at the limit.
 */
function findCrowd(text: Buffer): string | undefined {
  if (text.length <= shortestTag * maxTags) return undefined;
  let tags = 0;
  let attributes = 0;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at];
    if (text[at + 1] === slash) continue; // an end tag, or an equals sign in a value
    if (byte === lessThan) tags += 1;
    else if (byte === equalsSign) attributes += 1;
    if (tags > maxTags) return 'more than 5,000 elements';
    if (attributes > maxTags) return 'more than 5,000 attributes (equals signs)';
  }
  return undefined;
}
