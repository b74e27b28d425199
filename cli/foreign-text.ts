// Makes text from other parties safe to print. It replaces every character that could control the terminal by
// its JSON escape sequence.
import { steering } from '../core/payments/steering.ts';

const each = new RegExp(steering.source, 'gu');
const short: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
};

const escaped = (character: string) =>
  // every matched character is a single UTF-16 code unit
  short[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Escapes the control characters of a text, so that it can be printed on a terminal. */
export function visible(text: string): string {
  return text.replaceAll(each, escaped);
}

/**
 * Escapes the control characters of JSON text without changing its value. Inside strings, JSON allows these
 * escapes. Outside strings, only white space can match, and the function keeps it.
 */
export function visibleJson(json: string): string {
  return json.replaceAll(each, (character) => (/[\t\n\r]/.test(character) ? character : escaped(character)));
}

/** Applies `visible` to every string of a value that was parsed from JSON. */
export function visibleTexts(value: unknown): unknown {
  if (typeof value === 'string') return visible(value);
  if (Array.isArray(value)) return value.map(visibleTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [visible(name), visibleTexts(one)]));
}
