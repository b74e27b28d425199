/**
 * White space as XML defines it: space, tab, carriage return and line feed only. Code that reads messages must not use
 * JavaScript's white space (`\s`, `trim`), which includes more characters, some legal in names. Whether a person can
 * see a text is a separate question, which Unicode properties answer.
 */

/** @param code a UTF-16 code unit or a UTF-8 byte */
export function isWhiteSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d || code === 0x0a;
}

/** Whether the text from `start` to `end` is only white space; true if it is empty. */
export function isBlank(text: string, start = 0, end = text.length): boolean {
  for (let index = start; index < end; index += 1) if (!isWhiteSpace(text.charCodeAt(index))) return false;
  return true;
}

/** Removes leading and trailing white space. */
export function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isWhiteSpace(text.charCodeAt(start))) start += 1;
  while (end > start && isWhiteSpace(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

const unseen = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800\uFFF9-\uFFFB]*$/u;

/** Whether a text is empty or invisible to a person. `ReadableText` of the schemas lists the same characters. */
export function showsNothing(text: string): boolean {
  return unseen.test(text);
}
