// The caller, as every route sees it. api/auth/ makes it from a verified token or, with AUTH=none, from the caller's
// own claim.
import type { Context } from 'hono';
import type { Problem } from './problems/problem.ts';

export const everyRole = ['psp', 'fxp', 'ipso', 'operator'] as const;
export type Role = (typeof everyRole)[number];

/** An explanation of a role's name, where the name alone may be ambiguous. */
const roleMeanings: Readonly<Partial<Record<Role | 'all', string>>> = {
  fxp: 'FX provider',
  ipso: 'operator of a payment system',
  operator: 'of the scheme',
};

/** `ipso (operator of a payment system)` */
export function roleInWords(role: Role | 'all'): string {
  const meaning = roleMeanings[role];
  return meaning === undefined ? role : `${role} (${meaning})`;
}

export interface Caller {
  /** `all` only with AUTH=none: a caller that does not name itself may do everything. */
  readonly role: Role | 'all';
  readonly clientId: string;
  /** internalId of the institution that a psp or fxp speaks for. */
  readonly institutionId?: string;
  /** Payment system that an ipso speaks for. */
  readonly clearingSystemId?: string;
}

/** Identifies the caller, or refuses. */
export interface Authenticator {
  /** Synchronous if the token was verified before. */
  authenticate(context: Context): Caller | Problem | Promise<Caller | Problem>;
  /**
   * The sender of an `Authorization` header whose token was verified before and has not expired. The token may have
   * been revoked since, so the result grants no access: it only says in whose queue a request waits.
   */
  knownSender(authorization: string): string | undefined;
}

/**
 * Checks by the headers whether a message is signed as its operator requires, before any of its body is kept.
 * @returns the refusal, or the check to make once the body has arrived. That check returns undefined if the signature
 *   is valid or not required.
 */
export type SignatureCheck = (context: Context, caller: Caller) => Promise<Problem | BodyCheck>;
export type BodyCheck = (body: Uint8Array) => Promise<Problem | undefined>;

/** All clients of one clearing system or institution count as one sender. */
export const senderOf = ({ clearingSystemId, institutionId, clientId }: Caller): string =>
  clearingSystemId ?? institutionId ?? clientId;
