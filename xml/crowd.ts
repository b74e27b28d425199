/**
 * Finds bodies with far more tags than any valid message, which would be costly to parse (SEC-7). It counts bytes,
 * before parsing.
 */

const maxTags = 5_000; // the largest message that our schemas let through has some 800 elements
const lessThan = 0x3c;
const equalsSign = 0x3d;
const slash = 0x2f;

/** Whether a byte occurs more than 5,000 times, not counting end tags; stops there. */
function isCrowded(text: Buffer, byte: number): boolean {
  let count = 0;
  for (let at = text.indexOf(byte); at >= 0; at = text.indexOf(byte, at + 1)) {
    if (text[at + 1] !== slash) count += 1;
    if (count > maxTags) return true;
  }
  return false;
}

/** What there is too much of, in words; undefined if the body may be parsed. Equals signs are rare in values. */
export function findCrowd(text: Buffer): string | undefined {
  if (text.length <= maxTags) return undefined;
  if (isCrowded(text, lessThan)) return 'more than 5,000 elements';
  return isCrowded(text, equalsSign) ? 'more than 5,000 attributes (equals signs)' : undefined;
}
