/**
 * The demo's institutions and their clients, by the rules of the seed data; a part of `expandSeed`.
 * It stands before the first payment and must not touch the database.
 */
import { createHash } from 'node:crypto';
import type { Insertable } from 'kysely';
import { assert } from '../../core/assert.ts';
import { canonicalId, leiCheckDigits } from '../../core/ids.ts';
import type { Database } from '../tables.ts';
import type { SeedFiles } from './files.ts';

type Row<Table extends keyof Database> = Insertable<Database[Table]>;

/** An institution of the demo, its rule and exceptions applied. */
export interface SeedInstitution {
  readonly institutionId: string;
  readonly name: string;
  readonly countryCode: string;
  readonly roles: readonly string[];
  readonly bics: readonly string[];
  readonly lei: string | null;
  readonly otherIds: readonly string[];
  readonly onboarded: boolean;
  readonly supportsAcmt023: boolean;
}

/** Every institution of a country by the rule of its row, with its exception where there is one; then the FXPs. */
export function expandInstitutions(files: SeedFiles): SeedInstitution[] {
  const { perCountry, exceptions, fxps } = files.institutions;
  const local = files.countries.flatMap(({ countryCode, name: countryName }) =>
    perCountry.map(({ prefix, name, hasLei, ...rule }) => {
      const institutionId = `${countryCode}-${prefix}`;
      const bic8 = `${prefix}${countryCode}S0`;
      const { bics, otherIds, roles } = exceptions.find((one) => one.institutionId === institutionId) ?? {};
      return {
        ...rule,
        institutionId,
        name: `${name} ${countryName}`,
        countryCode,
        roles: roles ?? rule.roles,
        bics: bics ?? [bic8],
        lei: hasLei ? leiOf(bic8) : null,
        otherIds: otherIds ?? [],
      };
    }),
  );
  const providers = fxps.map(({ bic, name, countryCode }) => ({
    institutionId: `${countryCode}-${bic.slice(0, 4)}`,
    name,
    countryCode,
    roles: ['fxp'],
    bics: [bic],
    lei: null,
    otherIds: [],
    onboarded: true,
    supportsAcmt023: false,
  }));
  return [...local, ...providers];
}

/** Seed data: `999900` + BIC8 + `0000` + two check digits (ISO 7064 mod 97-10). */
function leiOf(bic8: string): string {
  const first18 = `999900${bic8}0000`;
  return first18 + leiCheckDigits(first18);
}

/** The first BIC: the one we write, and the client id. */
export function mainBic(institution: SeedInstitution): string {
  const [bic] = institution.bics;
  assert(bic !== undefined, 'an onboarded institution of the demo has a BIC');
  return bic;
}

/** The institutions, their roles, identifiers and memberships. */
export function institutionRows(files: SeedFiles, institutions: readonly SeedInstitution[]) {
  return {
    institutions: institutions.map((institution) => ({
      institution_id: institution.institutionId,
      name: institution.name,
      country_code: institution.countryCode,
      onboarded: institution.onboarded,
      supports_acmt023: institution.supportsAcmt023,
    })),
    institution_roles: institutions.flatMap((institution) =>
      institution.roles.map((role) => ({ institution_id: institution.institutionId, role })),
    ),
    institution_identifiers: institutions.flatMap((institution) => [
      ...identifierRows(institution, 'BICFI', institution.bics),
      ...identifierRows(institution, 'LEI', institution.lei === null ? [] : [institution.lei]),
      ...identifierRows(institution, 'otherId', institution.otherIds),
    ]),
    institution_memberships: institutions
      .filter((institution) => !institution.roles.includes('fxp'))
      .flatMap((institution) =>
        files.clearingSystems
          .filter((system) => system.countryCodes.includes(institution.countryCode))
          .map((system) => ({
            institution_id: institution.institutionId,
            clearing_system_id: system.clearingSystemId,
            member_id: `${institution.institutionId.slice(3)}${institution.countryCode}01`,
          })),
      ),
  };
}

function identifierRows(
  institution: SeedInstitution,
  type: 'BICFI' | 'LEI' | 'otherId',
  values: readonly string[],
): Row<'institution_identifiers'>[] {
  return values.map((value, index) => ({
    identifier_type: type,
    lookup_value: canonicalId(type, value),
    value,
    position: index + 1,
    institution_id: institution.institutionId,
  }));
}

/**
 * Onboarded PSPs and FXPs by their BIC, operators by each of their payment systems, and the scheme's operator (SEC-1).
 */
export function clientRows(files: SeedFiles, institutions: readonly SeedInstitution[]): Row<'clients'>[] {
  const client = (clientId: string, role: string): Row<'clients'> => ({
    client_id: clientId,
    secret_sha256: createHash('sha256').update(`demo-${clientId}`).digest(),
    role,
    institution_id: null,
    clearing_system_id: null,
    demo: true,
  });
  const ofInstitutions = institutions
    .filter((institution) => institution.onboarded)
    .flatMap((institution) => {
      const role = institution.roles.find((one) => one !== 'sap');
      if (role === undefined) return []; // pure SAPs have none
      return [{ ...client(mainBic(institution), role), institution_id: institution.institutionId }];
    });
  const ofSystems = files.clearingSystems.map(({ clearingSystemId }) => ({
    ...client(clearingSystemId, 'ipso'),
    clearing_system_id: clearingSystemId,
  }));
  const people = ['operator', 'operator2'].map((one) => client(one, 'operator')); // LIF-4 takes two
  return [...ofInstitutions, ...ofSystems, ...people];
}
