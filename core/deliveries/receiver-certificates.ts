/**
 * The client certificates that we present to receivers, and the CAs that we trust for them. The setting is one JSON
 * object, `{"host:port": {"cert", "key", "ca"}}`, with values in PEM.
 */
import { parseByReceiver } from './by-receiver.ts';

/** By `host:port` of the registered address; the port is required. */
export type ReceiverCertificates = ReadonlyMap<string, ReceiverCertificate>;

export interface ReceiverCertificate {
  /** Our certificate; absent: we present none. Its key is in `key`. */
  readonly cert?: string;
  readonly key?: string;
  /** CAs that replace the system's trusted CAs for this receiver; absent: the system's. */
  readonly ca?: string;
}

export const receiverCertificatesForm =
  'JSON: {"host:port": {"cert": PEM, "key": PEM, "ca": PEM}}, cert and key together, or ca alone, or all';

/** @returns undefined if the text is malformed */
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
