/**
 * What is signed of a message between an operator and us, where its operator wants that: HTTP Message Signatures
 * (RFC 9421) over method, path, query and the digest of the body (RFC 9530), with the time, and with a nonce, so that each
 * counts once. Chosen over a detached JWS, which knows nothing of HTTP: what it is about would be a form of our own.
 */

/** Every signature is over these, at least. */
export const signedComponents = ['@method', '@path', '@query', 'content-digest'] as const;
/**
 * Of what comes to us, where our address is published: the host is signed too, so that nobody can post to us what was
 * signed for another gateway.
 */
export const publicComponents = [...signedComponents, '@authority'] as const;
/** Seconds from its time to ours, at most, in either direction. */
export const signatureToleranceSeconds = 300;

/** `sha-256=:...:` */
export const contentDigest = (sha256Base64: string): string => `sha-256=:${sha256Base64}:`;
