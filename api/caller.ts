// Who calls: the outcome of authentication (SEC-1), handed to every route. It must not be made from anything but a
// verified token (or, with AUTH=none, the caller's own word).
import type { FinInstRole } from '../core/ids.ts';
import type { ReferenceData } from '../core/reference.ts';

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

/** What a token (or a client of the built-in issuer) says about its holder. */
export interface CallerClaims {
  readonly role: Role;
  readonly clientId: string;
  readonly institutionId?: string | undefined;
  readonly clearingSystemId?: string | undefined;
}

export function isRole(value: unknown): value is Role {
  return everyRole.some((role) => role === value);
}

/** @returns undefined when the claims are bound to nothing that we know: each role needs its institution or system (SEC-1) */
export function callerFrom(claims: CallerClaims, data: ReferenceData): Caller | undefined {
  const { role, clientId, institutionId, clearingSystemId } = claims;
  switch (role) {
    case 'psp':
    case 'fxp':
      return institutionId !== undefined && hasRole(data, institutionId, role)
        ? { role, clientId, institutionId }
        : undefined;
    case 'ipso':
      return clearingSystemId !== undefined && data.clearingSystems.has(clearingSystemId)
        ? { role, clientId, clearingSystemId }
        : undefined;
    case 'operator':
      return { role, clientId };
  }
}

function hasRole(data: ReferenceData, institutionId: string, role: FinInstRole): boolean {
  return data.institutions.get(institutionId)?.roles.includes(role) ?? false;
}
