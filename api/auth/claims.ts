// From the claims of a token, or of a client of the built-in issuer, to the caller that the routes see (SEC-1).
import type { FinInstRole } from '../../core/ids.ts';
import type { ReferenceData } from '../../core/reference.ts';
import { everyRole, type Caller, type Role } from '../http/caller.ts';

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

/**
 * @returns undefined unless a psp or fxp names an institution that has this role, and an ipso a known payment system; an
 * operator names neither (SEC-1)
 */
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
