// The caller, as every route sees it. api/auth/ makes it from a verified token. With AUTH=none, the caller
// names itself.
import type { Context } from 'hono';
import type { Problem } from './problems/problem.ts';

export const everyRole = ['psp', 'fxp', 'ipso', 'operator'] as const;
export type Role = (typeof everyRole)[number];

/** Explains the names of roles that may be ambiguous. */
const roleMeanings: Readonly<Partial<Record<Role | 'all', string>>> = {
  fxp: 'FX provider',
  ipso: 'operator of a payment system',
  operator: 'of the scheme',
};

/** Returns a text such as `ipso (operator of a payment system)`. */
export function roleInWords(role: Role | 'all'): string {
  const meaning = roleMeanings[role];
  return meaning === undefined ? role : `${role} (${meaning})`;
}

export interface Caller {
  /** `all` exists only with AUTH=none, for a caller that does not name itself. It may do everything. */
  readonly role: Role | 'all';
  readonly clientId: string;
  /** internalId of the institution that a psp or fxp represents. */
  readonly institutionId?: string;
  /** Payment system that an ipso represents. */
  readonly clearingSystemId?: string;
}

/** Identifies the caller, or refuses the request. */
export interface Authenticator {
  /** Returns synchronously if the token was verified before. */
  authenticate(context: Context): Caller | Problem | Promise<Caller | Problem>;
  /**
   * Returns the sender of an `Authorization` header whose token was verified before and has not expired. The
   * token may have been revoked since, so the result grants no access. It only determines in whose queue a
   * request waits.
   */
  knownSender(authorization: string): string | undefined;
  /**
   * Returns the caller of an `Authorization` header whose token was verified before and still counts.
   * Undefined: only `authenticate` can tell, for example because the token is bound to a certificate.
   */
  knownCaller(authorization: string): Caller | undefined;
}

/**
 * Checks whether a message is signed as its operator requires, before any of its body is kept. It reads only
 * the headers.
 * @returns the refusal, or the check to make once the body has arrived. That check returns undefined if the
 * signature is valid or not required.
 */
export type SignatureCheck = (context: Context, caller: Caller) => Promise<Problem | BodyCheck>;
export type BodyCheck = (body: Uint8Array) => Promise<Problem | undefined>;

/** The sender that limits apply to. All clients of one clearing system or institution are one sender. */
export const senderOf = ({ clearingSystemId, institutionId, clientId }: Caller): string =>
  clearingSystemId ?? institutionId ?? clientId;
