/** Settings that say something of each receiver: one JSON object, by `host:port`. */
import { isHostAndPort } from '../settings/setting-forms.ts';

/**
 * @param parse of what is said of one; undefined: it is something else
 * @returns undefined where the text is something else; it never shows in a message, for it may hold secrets
 */
export function parseByReceiver<Value>(
  text: string,
  parse: (members: Readonly<Record<string, unknown>>) => Value | undefined,
): ReadonlyMap<string, Value> | undefined {
  const parsed = parseJson(text);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined;
  const values = new Map<string, Value>();
  for (const [receiver, given] of Object.entries(parsed)) {
    const value = parse((given ?? {}) as Readonly<Record<string, unknown>>);
    if (!isHostAndPort(receiver) || value === undefined) return undefined;
    values.set(receiver, value);
  }
  return values;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
