/**
 * The parts of a message that an operator or the gateway signs, if the operator wants signatures. They follow
 * HTTP Message Signatures (RFC 9421): method, path, query and body digest (RFC 9530), with time and nonce
 * against replay. A detached JWS was not chosen, because it has no standard way to cover the method and the
 * path.
 */

/** Components that every signature must cover. */
export const signedComponents = ['@method', '@path', '@query', 'content-digest'] as const;
/**
 * Components that a signature of a message to the gateway must cover if the gateway's public address is
 * known. They include the host, so that nobody can replay a message that was signed for another gateway.
 */
export const publicComponents = [...signedComponents, '@authority'] as const;
/** How far the time of a signature may differ from the gateway's clock, in seconds. */
export const signatureToleranceSeconds = 300;

export const contentDigest = (sha256Base64: string): string => `sha-256=:${sha256Base64}:`;
