/** Our logins at the brokers of FX providers: one JSON object, `{"host:port": {"username", "password"}}`. */
import { parseByReceiver } from './by-receiver.ts';

/** By `host:port` of the registered address; the port is required. */
export type QueueLogins = ReadonlyMap<string, QueueLogin>;

export interface QueueLogin {
  readonly username: string;
  readonly password: string;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** @returns undefined if the text is malformed */
export function parseQueueLogins(text: string): QueueLogins | undefined {
  return parseByReceiver(text, ({ username, password, ...rest }) =>
    isText(username) && isText(password) && Object.keys(rest).length === 0
      ? { username, password }
      : undefined,
  );
}
