/**
 * What we log in with at the brokers of FX providers (NOT-1): one JSON object, `{"host:port": {"username", "password"}}`.
 */
import { isHostAndPort } from './setting-forms.ts';

/** By `host:port`, as in the registered address, with its port. */
export type QueueLogins = ReadonlyMap<string, QueueLogin>;

export interface QueueLogin {
  readonly username: string;
  readonly password: string;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** @returns undefined where the text is something else; it never shows in a message, for it holds secrets */
export function parseQueueLogins(text: string): QueueLogins | undefined {
  const parsed = parseJson(text);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined;
  const logins = new Map<string, QueueLogin>();
  for (const [broker, login] of Object.entries(parsed)) {
    const { username, password, ...rest } = (login ?? {}) as Readonly<Record<string, unknown>>;
    const isWhole = isText(username) && isText(password) && Object.keys(rest).length === 0;
    if (!isHostAndPort(broker) || !isWhole) return undefined;
    logins.set(broker, { username, password });
  }
  return logins;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
