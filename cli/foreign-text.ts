// How texts that others wrote go to a terminal: every character that could steer it is shown as JSON writes it.
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
  short[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`; // all of them are of one unit

/** The text as it is shown to a person. */
export function visible(text: string): string {
  return text.replaceAll(each, escaped);
}

/**
 * The same JSON: within its texts it may be written so, and outside of them only white space could be such a character.
 */
export function visibleJson(json: string): string {
  return json.replaceAll(each, (character) => (/[\t\n\r]/.test(character) ? character : escaped(character)));
}

/** What was read from JSON, with every text in it as `visible` shows it. */
export function visibleTexts(value: unknown): unknown {
  if (typeof value === 'string') return visible(value);
  if (Array.isArray(value)) return value.map(visibleTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [visible(name), visibleTexts(one)]));
}
