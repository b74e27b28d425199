// Makes text from other parties safe to print: it escapes every character that could control the terminal, as JSON
// does.
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
  short[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`; // each is a single UTF-16 unit

/** The text with control characters escaped, to show to a person. */
export function visible(text: string): string {
  return text.replaceAll(each, escaped);
}

/**
 * The same JSON value. Inside strings, JSON allows these escapes. Outside strings, only white space can match, and it
 * is kept.
 */
export function visibleJson(json: string): string {
  return json.replaceAll(each, (character) => (/[\t\n\r]/.test(character) ? character : escaped(character)));
}

/** A value parsed from JSON, with every string escaped by `visible`. */
export function visibleTexts(value: unknown): unknown {
  if (typeof value === 'string') return visible(value);
  if (Array.isArray(value)) return value.map(visibleTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [visible(name), visibleTexts(one)]));
}
