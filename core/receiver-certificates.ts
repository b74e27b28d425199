/**
 * The certificates that we present to receivers, and the authorities by which theirs are judged (SEC-2): one JSON object,
 * `{"host:port": {"cert", "key", "ca"}}`, PEM each.
 */
import { isHostAndPort } from './setting-forms.ts';

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

/** @returns undefined where the text is something else; it never shows in a message, for it holds secrets */
export function parseReceiverCertificates(
  text: string,
  isPem: (text: string) => boolean,
): ReceiverCertificates | undefined {
  const parsed = parseJson(text);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined;
  const isGiven = (value: unknown): value is string => typeof value === 'string' && isPem(value);
  const certificates = new Map<string, ReceiverCertificate>();
  for (const [receiver, given] of Object.entries(parsed)) {
    if (typeof given !== 'object' || given === null) return undefined;
    const { cert, key, ca, ...rest } = given as Readonly<Record<string, unknown>>;
    const areForms = [cert, key, ca].every((one) => one === undefined || isGiven(one));
    const isWhole = (cert === undefined) === (key === undefined) && (cert !== undefined || ca !== undefined);
    if (!isHostAndPort(receiver) || !areForms || !isWhole || Object.keys(rest).length > 0) return undefined;
    certificates.set(receiver, {
      ...(isGiven(cert) && { cert }),
      ...(isGiven(key) && { key }),
      ...(isGiven(ca) && { ca }),
    });
  }
  return certificates;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
