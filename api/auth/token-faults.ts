// Describes the fault of a token to its sender. Claims are mentioned only if the signature is valid, because
// libraries verify the signature first. A text never contains a value of the token.
import { errors } from 'jose';

interface Expected {
  readonly issuer: string;
  readonly audience: string;
  readonly algorithms: readonly string[];
}

export const malformedToken = 'The token is malformed, or its signature is wrong.';

/** @returns undefined if the error is not the token's fault */
export function faultOfToken(error: unknown, expected: Expected): string | undefined {
  if (error instanceof errors.JWTExpired) return 'The token has expired.';
  if (error instanceof errors.JWTClaimValidationFailed) return faultOfClaim(error, expected);
  if (error instanceof errors.JWKSNoMatchingKey)
    return 'The token is signed by a key that its issuer does not publish, or no longer, or that its alg is not for. Get a new token.';
  if (error instanceof errors.JWKSMultipleMatchingKeys)
    return 'Several keys of its issuer fit the token: its header must name one of them (kid).';
  if (error instanceof errors.JOSEAlgNotAllowed)
    return `The alg in the token's header must be ${expected.algorithms.join(' or ')}.`;
  const isMalformed =
    error instanceof errors.JWTInvalid ||
    error instanceof errors.JWSInvalid ||
    error instanceof errors.JWSSignatureVerificationFailed ||
    error instanceof errors.JOSENotSupported;
  return isMalformed ? malformedToken : undefined;
}

function faultOfClaim(
  { claim, reason }: errors.JWTClaimValidationFailed,
  { issuer, audience }: Expected,
): string {
  if (claim === 'typ') {
    return "The typ in the token's header must be at+jwt (RFC 9068): an id token, for example, is no access token.";
  }
  if (reason === 'missing') return `The token's claim ${claim} is missing.`;
  if (reason === 'invalid') return `The token's claim ${claim} is not a number.`;
  switch (claim) {
    case 'iss':
      return `The token's claim iss must be ${issuer}.`;
    case 'aud':
      return `The token's claim aud must name ${audience}.`;
    case 'iat':
      return "The token's claim iat is in the future, by our clock.";
    case 'nbf':
      return 'The token is not valid yet (nbf), by our clock.';
    default:
      return `The token's claim ${claim} is not as expected.`;
  }
}
