/**
 * White space as in XML: space, tab, carriage return, line feed, and nothing else. JavaScript's white space (`\s`,
 * `trim`) includes more, some of it legal in names, so code that reads messages must not use it. Whether a text is
 * visible to a person is another question, which Unicode answers.
 */

/** @param code a UTF-16 code unit, or a byte of UTF-8 */
export function isWhiteSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d || code === 0x0a;
}

/** Whether a part of a text is white space only; true for an empty part. */
export function isBlank(text: string, start = 0, end = text.length): boolean {
  for (let index = start; index < end; index += 1) if (!isWhiteSpace(text.charCodeAt(index))) return false;
  return true;
}

/** The text without the white space around it. */
export function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isWhiteSpace(text.charCodeAt(start))) start += 1;
  while (end > start && isWhiteSpace(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

const unseen = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800\uFFF9-\uFFFB]*$/u;

/**
 * Whether a text is invisible to a person, or empty. `ReadableText` of the schemas lists the same characters.
 */
export function showsNothing(text: string): boolean {
  return unseen.test(text);
}
