/**
 * The certificates that we present to receivers, and the authorities by which theirs are judged: one JSON object,
 * `{"host:port": {"cert", "key", "ca"}}`, PEM each.
 */
import { parseByReceiver } from './by-receiver.ts';

/** By `host:port`, as in the registered address, with its port. */
export type ReceiverCertificates = ReadonlyMap<string, ReceiverCertificate>;

export interface ReceiverCertificate {
  /** Ours, with its key; absent: we present none. */
  readonly cert?: string;
  readonly key?: string;
  /** Absent: the authorities that this system trusts. */
  readonly ca?: string;
}

export const receiverCertificatesForm =
  'JSON: {"host:port": {"cert": PEM, "key": PEM, "ca": PEM}}, cert and key together, or ca alone, or all';

/** @returns undefined where the text is something else */
export function parseReceiverCertificates(
  text: string,
  isPem: (text: string) => boolean,
): ReceiverCertificates | undefined {
  const isGiven = (value: unknown): value is string => typeof value === 'string' && isPem(value);
  return parseByReceiver(text, ({ cert, key, ca, ...rest }) => {
    const areForms = [cert, key, ca].every((one) => one === undefined || isGiven(one));
    const isWhole = (cert === undefined) === (key === undefined) && (cert !== undefined || ca !== undefined);
    if (!areForms || !isWhole || Object.keys(rest).length > 0) return undefined;
    return {
      ...(isGiven(cert) && { cert }),
      ...(isGiven(key) && { key }),
      ...(isGiven(ca) && { ca }),
    };
  });
}
