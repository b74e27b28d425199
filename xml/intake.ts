/**
 * What is refused before any parser runs (MSG-2): bytes that are not UTF-8, and constructs that a message has no use for.
 * One pass over the bytes; it opens no document and starts nothing.
 */
import { isUtf8 } from 'node:buffer';
import { isWhiteSpace } from '../core/iso20022/white-space.ts';
import type { IntakeFault } from './engine.ts';

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
const instruction = Buffer.from('<?');
const declarationStart = Buffer.from('<?xml');
const markupStart = Buffer.from('<!');
const declarationLimit = 256; // bytes; a declaration of the allowed form is far shorter

const declarationPattern =
  /^<\?xml[ \t\r\n]+version[ \t\r\n]*=[ \t\r\n]*["']([^"']*)["'](?:[ \t\r\n]+encoding[ \t\r\n]*=[ \t\r\n]*["']([^"']*)["'])?(?:[ \t\r\n]+standalone[ \t\r\n]*=[ \t\r\n]*["'](?:yes|no)["'])?[ \t\r\n]*\?>/;

const utf8Pattern = /^[Uu][Tt][Ff]-8$/;

function startsWith(bytes: Buffer, start: Buffer): boolean {
  return start.every((byte, index) => bytes[index] === byte);
}

function fault(code: IntakeFault['code'], detail: string): IntakeFault {
  return { code, detail };
}

/** The kind of markup that starts with `<!` at `at`. */
function markupFault(text: Buffer, at: number): IntakeFault {
  const head = text.toString('latin1', at, at + 9);
  if (head.startsWith('<!--')) return fault('comment', 'comments are not allowed');
  if (head.startsWith('<![CDATA[')) return fault('cdata', 'CDATA sections are not allowed');
  return fault('doctype', 'a document type declaration is not allowed');
}

/** @returns undefined when the bytes may be parsed */
export function inspectBytes(bytes: Uint8Array): IntakeFault | undefined {
  if (!isUtf8(bytes)) return fault('not-utf8', 'the body is not UTF-8');
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = startsWith(whole, byteOrderMark) ? whole.subarray(byteOrderMark.length) : whole;
  let rest = text;
  if (startsWith(text, declarationStart) && isWhiteSpace(text[declarationStart.length] ?? 0)) {
    const declaration = declarationPattern.exec(text.toString('latin1', 0, declarationLimit));
    if (declaration === null) return fault('not-well-formed', 'the XML declaration cannot be read');
    const [{ length }, version, encoding] = declaration;
    if (version !== '1.0') return fault('xml-version', 'only XML 1.0 is taken');
    if (encoding !== undefined && !utf8Pattern.test(encoding)) {
      return fault('encoding-declared', 'only the encoding UTF-8 may be declared');
    }
    rest = text.subarray(length);
  }
  if (rest.includes(instruction)) {
    return fault('processing-instruction', 'processing instructions are not allowed');
  }
  const markup = rest.indexOf(markupStart);
  return markup < 0 ? undefined : markupFault(rest, markup);
}
