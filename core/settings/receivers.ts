/** Settings that hold a value for each receiver: one JSON object, keyed by `host:port` of the registered address. */
import { z } from 'zod';
import { parsed } from './environment-variables.ts';
import { isHostAndPort, isPem } from './setting-forms.ts';

/** @param allowed describes the form; no message quotes the text, because it may hold secrets */
function byReceiver<Value>(value: z.ZodType<Value>, allowed: string) {
  const form = z.record(z.string().refine(isHostAndPort), value);
  return parsed((text): ReadonlyMap<string, Value> | undefined => {
    try {
      return new Map(Object.entries(form.parse(JSON.parse(text))));
    } catch {
      return undefined;
    }
  }, allowed);
}

const given = z.string().min(1);
const pem = z.string().refine(isPem);

/** The gateway's logins at the brokers of FX providers. */
export const queueLogins = byReceiver(
  z.strictObject({ username: given, password: given }),
  'JSON: {"host:port": {"username": "...", "password": "..."}}',
);
export type QueueLogins = z.output<typeof queueLogins>;

/**
 * The client certificates, with their keys, that the gateway presents to receivers. If a receiver has its own
 * CAs here, they replace the system's trusted CAs for it.
 */
export const receiverCertificates = byReceiver(
  z.union([z.strictObject({ cert: pem, key: pem, ca: pem.exactOptional() }), z.strictObject({ ca: pem })]),
  'JSON: {"host:port": {"cert": PEM, "key": PEM, "ca": PEM}}, cert and key together, or ca alone, or all',
);
export type ReceiverCertificates = z.output<typeof receiverCertificates>;
