// Who calls, as every route is told, and what tells it: api/auth/ makes a caller from a verified token (SEC-1), or with
// AUTH=none from the caller's own word.
import type { Context } from 'hono';
import type { Problem } from './problem.ts';

export const everyRole = ['psp', 'fxp', 'ipso', 'operator'] as const;
export type Role = (typeof everyRole)[number];

/** What a role is called beside its name, where that alone might be taken for another's. */
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
  /** `all` exists with AUTH=none only: a caller that did not say who it is may do everything. */
  readonly role: Role | 'all';
  readonly clientId: string;
  /** internalId of the institution that a psp or fxp speaks for. */
  readonly institutionId?: string;
  /** Payment system that an ipso speaks for. */
  readonly clearingSystemId?: string;
}

/** Says who calls, or refuses. */
export interface Authenticator {
  /** Answers at once when the token was verified before. */
  authenticate(context: Context): Caller | Problem | Promise<Caller | Problem>;
}
