/**
 * White space as XML has it: space, tab, carriage return, line feed, and nothing else. What JavaScript takes for white space
 * (`\s`, `trim`) holds more, some of it legal in names: nothing that reads messages may go by that. Whether a text shows
 * anything to a person is another question, and Unicode's to answer.
 */

/** @param code a UTF-16 code unit, or a byte of UTF-8 */
export function isWhiteSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d || code === 0x0a;
}

/** Whether a part of a text holds white space only; an empty part does. */
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

/** Whether a person sees nothing where a text stands (MSG-4); of an empty text, too. `ReadableText` of the schemas lists the same. */
export function showsNothing(text: string): boolean {
  return unseen.test(text);
}
