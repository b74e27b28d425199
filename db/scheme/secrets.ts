// Secrets of clients (ADM-4): made here, shown once, and kept as a salted hash. They are random and long, so that a fast
// hash is enough: nobody can guess one.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const secretBytes = 32;
const saltBytes = 16;

/** As a document has it: `sha256:<salt>:<digest>`, hexadecimal. */
export const secretHashPattern = /^sha256:(?:[0-9a-f]{2}){0,64}:[0-9a-f]{64}$/;

const digestOf = (salt: Buffer, secret: string): Buffer =>
  createHash('sha256').update(salt).update(secret).digest();

/** A new one, and what is kept of it. */
export function makeSecret(): { readonly secret: string; readonly hash: string } {
  const secret = randomBytes(secretBytes).toString('base64url');
  const salt = randomBytes(saltBytes);
  return { secret, hash: `sha256:${salt.toString('hex')}:${digestOf(salt, secret).toString('hex')}` };
}

/** Columns of `client_secrets`, as Postgres reads bytes from text. */
export function saltedHashOf(hash: string): { readonly salt: string; readonly sha256: string } {
  const [, salt = '', digest = ''] = hash.split(':');
  return { salt: `\\x${salt}`, sha256: `\\x${digest}` };
}

/** What is kept of a secret. */
export interface KeptSecret {
  readonly salt: Buffer;
  readonly sha256: Buffer;
}

/** Whether the secret is one of these; it takes the same time for each. */
export function isOneOf(secret: string, kept: readonly KeptSecret[]): boolean {
  return kept.map(({ salt, sha256 }) => timingSafeEqual(digestOf(salt, secret), sha256)).includes(true);
}
