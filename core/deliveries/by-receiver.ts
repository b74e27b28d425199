/** Parses settings that hold a value for each receiver: one JSON object, keyed by `host:port`. */
import { isHostAndPort } from '../settings/setting-forms.ts';

/**
 * @param parse reads the value of one receiver; returns undefined if it is malformed
 * @returns undefined if any part is malformed; no message quotes the text, because it may hold secrets
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
