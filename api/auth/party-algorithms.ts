/** By which parties sign: asymmetric, and the key says which of them. Never another one of a message's choice (RFC 8725). */
export const partyAlgorithms = ['ES256', 'ES384', 'PS256', 'EdDSA'] as const;
