/**
 * The parts of a message that an operator or the gateway signs, if the operator wants signatures: HTTP Message
 * Signatures (RFC 9421) over method, path, query and body digest (RFC 9530), with time and nonce against replay. A
 * detached JWS was not chosen, because it does not cover HTTP: we would have to invent a way to bind method and path.
 */

/** Components that every signature must cover. */
export const signedComponents = ['@method', '@path', '@query', 'content-digest'] as const;
/**
 * Components that a signature of a message to us must cover if our public address is known. It includes the host, so
 * that nobody can replay to us a message that was signed for another gateway.
 */
export const publicComponents = [...signedComponents, '@authority'] as const;
/** How far the time of a signature may differ from our clock, in seconds. */
export const signatureToleranceSeconds = 300;

export const contentDigest = (sha256Base64: string): string => `sha-256=:${sha256Base64}:`;
