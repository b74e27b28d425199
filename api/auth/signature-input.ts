// Reads the signatures of a message (RFC 9421) from its headers. Checks the key id, the signed components,
// the times and the presence of the signed parts. Reports the first fault, because a bare "wrong signature"
// would not help a developer.
import { httpbis } from 'http-message-signatures';
import {
  isInnerList,
  parseDictionary,
  serializeItem,
  serializeList,
  type InnerList,
} from 'structured-headers';
import {
  publicComponents,
  signatureToleranceSeconds,
  signedComponents,
} from '../../core/deliveries/http-signature.ts';

/** The request line and headers of a request, as received. */
export interface SignedHead {
  readonly method: string;
  /** Path and query of the request line. */
  readonly target: string;
  /** The URL with scheme and host. */
  readonly url: string;
  /**
   * Host of the published address of this service, with the port if it is not the default. If absent, no
   * address is published, and any host may be signed.
   */
  readonly authority?: string | undefined;
  /** One entry for each header name; repeated headers are joined. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface SignatureInput {
  readonly keyId: string;
  readonly nonce: string;
  /** Epoch seconds. */
  readonly created: number;
  readonly signature: Buffer;
  /** The signature base: the bytes that were signed. */
  readonly base: Buffer;
  /** The `alg` parameter of the signature; undefined if it has none. */
  readonly alg: unknown;
  /**
   * The reason why the signature is not valid yet. The check marks its nonce as used all the same, because an
   * observer could send it later.
   */
  readonly early: string | undefined;
}

/**
 * Why a signature is not valid. The higher the step, the further the check got, and the more useful the
 * reason is to the sender.
 */
export interface Fault {
  readonly why: string;
  readonly step: number;
}

const longestNonce = 256;
/**
 * Limit for signatures dated in the future, for example in milliseconds by mistake. One beyond the limit is
 * not verified, because its nonce would be stored until then.
 */
const longestAheadSeconds = 366 * 24 * 3_600; // a year, because no key should be valid for longer
/** Limits the number of verifications. An operator needs one signature, or two during a key rotation. */
const mostSignatures = 4;

/**
 * Returns the signatures of the message, each with its values or its fault. Returns an error text if there
 * are none or the headers cannot be read.
 * @param nowMs epoch milliseconds
 */
export function signaturesOf(head: SignedHead, nowMs: number): readonly (SignatureInput | Fault)[] | string {
  const { 'signature-input': inputs, signature } = head.headers;
  if (inputs === undefined || signature === undefined) {
    return 'The operator of this payment system has its messages signed, and this one is not.';
  }
  try {
    const signatures = parseDictionary(signature);
    const labelled = [...parseDictionary(inputs)];
    if (labelled.length > mostSignatures)
      return `Signature-Input has more than ${mostSignatures} signatures.`;
    return labelled.map(([label, input]) => {
      const bytes: unknown = signatures.get(label)?.[0];
      if (!isInnerList(input) || !(bytes instanceof ArrayBuffer)) {
        return fault(0, `Signature has no bytes for "${label}" of Signature-Input, or that is no list.`);
      }
      return read(head, { input, signature: Buffer.from(bytes), nowSeconds: nowMs / 1_000 });
    });
  } catch {
    return 'Signature-Input or Signature cannot be read (RFC 8941).';
  }
}

/**
 * Returns the SHA-256 digest of the body from Content-Digest (RFC 9530), which may contain other digests too.
 * Returns an error text if there is none.
 */
export function digestIn(headers: SignedHead['headers']): Buffer | string {
  const line = headers['content-digest'];
  if (line === undefined) return 'Content-Digest is missing.';
  try {
    const bytes: unknown = parseDictionary(line).get('sha-256')?.[0];
    if (bytes instanceof ArrayBuffer && bytes.byteLength === 32) return Buffer.from(bytes);
  } catch {
    // the header is not a dictionary
  }
  return 'Content-Digest has no sha-256=:...: of 32 bytes in base64.';
}

const fault = (step: number, why: string): Fault => ({ step, why });

interface Read {
  readonly input: InnerList;
  readonly signature: Buffer;
  readonly nowSeconds: number;
}

function read(head: SignedHead, { input, signature, nowSeconds }: Read): SignatureInput | Fault {
  const [items, parameters] = input;
  const [keyId, nonce, created] = ['keyid', 'nonce', 'created'].map((name): unknown => parameters.get(name));
  if (typeof keyId !== 'string') return fault(1, 'The signature has no keyid.');
  const components = items.map(([name]): unknown => name);
  const wanted = head.authority === undefined ? signedComponents : publicComponents;
  const missing = wanted.filter((name) => !components.includes(name));
  if (missing.length > 0) return fault(2, `The signature is not over ${quoted(missing)}.`);
  if (items.some(([, own]) => own.size > 0) || new Set(components).size < components.length) {
    return fault(2, 'A component of the signature has parameters, or is there twice.');
  }
  if (typeof nonce !== 'string' || nonce === '' || nonce.length > longestNonce) {
    return fault(2, `The signature has no nonce, or one of more than ${longestNonce} characters.`);
  }
  if (!isSeconds(created)) return fault(2, 'created of the signature is not whole seconds since 1970.');
  const expires: unknown = parameters.get('expires');
  const over = endFault(created, expires, nowSeconds);
  if (over !== undefined) return fault(2, over);
  const early = aheadOf(nowSeconds, created);
  if (early !== undefined && created - nowSeconds > longestAheadSeconds) return fault(2, early);
  const base = baseOf(head, input);
  if (base === undefined) return fault(2, 'The signature is over something that the message does not have.');
  return { keyId, nonce, created, signature, base, alg: parameters.get('alg') as unknown, early };
}

const quoted = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ');
const isSeconds = (value: unknown): value is number => Number.isSafeInteger(value);

const untimely = (by: string) =>
  `created of the signature is ${by} our clock, and at most ${signatureToleranceSeconds} are allowed.`;

function aheadOf(nowSeconds: number, created: number): string | undefined {
  const ahead = Math.round(created - nowSeconds);
  return ahead > signatureToleranceSeconds ? untimely(`${ahead} seconds ahead of`) : undefined;
}

/** Returns a reason if the signature is no longer valid, otherwise undefined. */
function endFault(created: number, expires: unknown, nowSeconds: number): string | undefined {
  const behind = Math.round(nowSeconds - created);
  if (behind > signatureToleranceSeconds) return untimely(`${behind} seconds behind`);
  if (expires === undefined) return undefined;
  if (!isSeconds(expires)) return 'expires of the signature is not whole seconds since 1970.';
  return expires < nowSeconds ? 'The signature has expired, by its own expires.' : undefined;
}

/**
 * Returns the signature base; undefined if the message lacks a signed component. Uses the path and query of
 * the request line, because a URL object would normalise some of them.
 */
function baseOf(
  { method, target, url, authority, headers }: SignedHead,
  input: InnerList,
): Buffer | undefined {
  const query = target.indexOf('?');
  const derived: Readonly<Record<string, string>> = {
    '@path': query === -1 ? target : target.slice(0, query),
    '@query': query === -1 ? '?' : target.slice(query),
    '@request-target': target,
    // the published host, because a proxy may have changed the Host header
    ...(authority !== undefined && { '@authority': authority }),
  };
  const [items] = input;
  try {
    const lines = httpbis.createSignatureBase(
      {
        fields: items.map((item) => serializeItem(item)),
        componentParser: (name) => (derived[name] === undefined ? null : [derived[name]]),
      },
      { method, url, headers },
    );
    lines.push(['"@signature-params"', [serializeList([input])]]);
    return Buffer.from(httpbis.formatSignatureBase(lines));
  } catch {
    return undefined;
  }
}
