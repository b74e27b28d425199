/** What costs a parser more than all that a message may say (SEC-7): counted in the bytes, before any parser sees them. */

const maxTags = 5_000; // the largest message that our schemas let through has some 800 elements
const lessThan = 0x3c;
const equalsSign = 0x3d;
const slash = 0x2f;

/** Whether a byte stands more than 5,000 times, end tags left out: it looks no further. */
function isCrowded(text: Buffer, byte: number): boolean {
  let count = 0;
  for (let at = text.indexOf(byte); at >= 0; at = text.indexOf(byte, at + 1)) {
    if (text[at + 1] !== slash) count += 1;
    if (count > maxTags) return true;
  }
  return false;
}

/** What there is too much of, in words; undefined when a parser may have it. In values an equals sign is rare. */
export function findCrowd(text: Buffer): string | undefined {
  if (isCrowded(text, lessThan)) return 'more than 5,000 elements';
  return isCrowded(text, equalsSign) ? 'more than 5,000 attributes (equals signs)' : undefined;
}
