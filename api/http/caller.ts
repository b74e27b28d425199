// The caller, as every route sees it. api/auth/ makes it from a verified token or, with AUTH=none, from what
// the caller says.
import type { Context } from 'hono';
import type { Problem } from './problem.ts';

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
  /** `all` exists with AUTH=none only: a caller that does not name itself may do everything. */
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
   * Whose an `Authorization` is, if its token was verified before and has not ended. It may have been withdrawn since,
   * and gives no access: it says only in whose line a request waits.
   */
  knownSender(authorization: string): string | undefined;
}

/**
 * Whether a message is signed as its operator wants it, by its head, before anything of its body is kept.
 * @returns what is to be asked once the body has come; undefined from there: it is signed, or need not be
 */
export type SignatureCheck = (context: Context, caller: Caller) => Promise<Problem | BodyCheck>;
export type BodyCheck = (body: Uint8Array) => Promise<Problem | undefined>;

/** Those of one clearing system or institution are one sender. */
export const senderOf = ({ clearingSystemId, institutionId, clientId }: Caller): string =>
  clearingSystemId ?? institutionId ?? clientId;
