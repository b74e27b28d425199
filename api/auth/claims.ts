// Converts the claims of a token, or of a client of the built-in issuer, into the caller that the routes see.
import { findInstitution, type ReferenceData } from '../../core/scheme/reference.ts';
import { ok, refused, type Result } from '../../core/result.ts';
import { everyRole, type Caller, type Role } from '../http/caller.ts';

/** The claims of a token, or of a client of the built-in issuer. */
export interface CallerClaims {
  readonly role: Role;
  readonly clientId: string;
  readonly institutionId?: string | undefined;
  readonly clearingSystemId?: string | undefined;
  /** The secret or key with which the client has logged in. Only the built-in issuer sets it. */
  readonly credential?: string | undefined;
}

export function isRole(value: unknown): value is Role {
  return everyRole.some((role) => role === value);
}

/**
 * Reads a token's claims: `roles` with exactly one role of this service, and `institution_id` (internalId or
 * BIC) or `clearing_system_id`.
 * @returns the claims, or an error text for the sender
 */
export function claimsFrom(
  payload: Readonly<Record<string, unknown>>,
  data: ReferenceData,
): Result<CallerClaims, string> {
  const { client_id: clientId, roles } = payload;
  if (typeof clientId !== 'string' || clientId === '') {
    return refused("The token's claim client_id must be a text that names the client.");
  }
  const [role, ...others] = Array.isArray(roles) ? roles.filter(isRole) : [];
  if (role === undefined || others.length > 0) {
    const has = role === undefined ? 'none' : 'several';
    return refused(
      `The token's claim roles must be a list with one role of this service, and has ${has}: ${everyRole.join(', ')}.`,
    );
  }
  return ok({
    role,
    clientId,
    institutionId: institutionIdOf(textOf(payload['institution_id']), data),
    clearingSystemId: textOf(payload['clearing_system_id']),
    credential: textOf(payload['credential_id']),
  });
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/**
 * Returns the institution's id, from an id or BIC. Returns an unknown value unchanged, because callerFrom
 * refuses it.
 */
function institutionIdOf(given: string | undefined, data: ReferenceData): string | undefined {
  return given === undefined || findInstitution(data, 'internalId', given) !== undefined
    ? given
    : (findInstitution(data, 'BICFI', given)?.institutionId ?? given);
}

/**
 * Checks the claims. A psp or fxp must name an institution that has this role, and an ipso must name a known
 * payment system. An operator names neither.
 * @returns the caller, or an error text for the sender
 */
export function callerFrom(claims: CallerClaims, data: ReferenceData): Result<Caller, string> {
  const { role, clientId, institutionId, clearingSystemId } = claims;
  switch (role) {
    case 'psp':
    case 'fxp': {
      if (institutionId === undefined)
        return refused(`The token's role is ${role}: its claim institution_id must name the institution.`);
      const institution = data.institutions.get(institutionId);
      if (institution === undefined)
        return refused("The token's claim institution_id names no institution of this scheme, by id or BIC.");
      return institution.roles.includes(role)
        ? ok({ role, clientId, institutionId })
        : refused(`The institution that the token's claim institution_id names has not the role ${role}.`);
    }
    case 'ipso':
      if (clearingSystemId === undefined)
        return refused(
          "The token's role is ipso: its claim clearing_system_id must name the payment system.",
        );
      return data.clearingSystems.has(clearingSystemId)
        ? ok({ role, clientId, clearingSystemId })
        : refused("The token's claim clearing_system_id names no payment system of this scheme.");
    case 'operator':
      return ok({ role, clientId });
  }
}
