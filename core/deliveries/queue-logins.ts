/**
 * What we log in with at the brokers of FX providers: one JSON object, `{"host:port": {"username", "password"}}`.
 */
import { parseByReceiver } from './by-receiver.ts';

/** By `host:port`, as in the registered address, with its port. */
export type QueueLogins = ReadonlyMap<string, QueueLogin>;

export interface QueueLogin {
  readonly username: string;
  readonly password: string;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** @returns undefined where the text is something else */
export function parseQueueLogins(text: string): QueueLogins | undefined {
  return parseByReceiver(text, ({ username, password, ...rest }) =>
    isText(username) && isText(password) && Object.keys(rest).length === 0
      ? { username, password }
      : undefined,
  );
}
