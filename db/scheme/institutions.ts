// Tables of institutions, with their identifiers, roles, memberships and keys, and the SAPs and corridors of FX
// providers.
import { sql } from 'kysely';
import { canonicalId } from '../../core/ids.ts';
import type { SchemeDocuments } from '../../core/scheme/documents.ts';
import {
  asIs,
  bookRows,
  bookUrl,
  keyDocuments,
  keyRows,
  rowOf,
  type SchemeKindTables,
} from './kind-table.ts';

const values = (type: string) => sql`coalesce((
  select jsonb_agg(value order by position) from institution_identifiers d
  where d.institution_id = i.institution_id and identifier_type = ${sql.lit(type)}), '[]')`;
const owner = { institution_id: asIs };
const ofFxp = { fxp_id: asIs };

export const institutions: SchemeKindTables<SchemeDocuments['institutions']> = {
  documents: sql`
      select jsonb_build_object('institutionId', i.institution_id, 'name', name, 'countryCode', country_code,
        'onboarded', onboarded, 'supportsAcmt023', supports_acmt023,
        'roles', coalesce((select jsonb_agg(role order by role) from institution_roles r
          where r.institution_id = i.institution_id), '[]'),
        'bics', ${values('BICFI')}, 'lei', ${values('LEI')} -> 0, 'otherIds', ${values('otherId')},
        'memberships', coalesce((select jsonb_agg(jsonb_build_object('clearingSystemId', clearing_system_id,
          'memberId', member_id) order by clearing_system_id) from institution_memberships m
          where m.institution_id = i.institution_id), '[]'),
        'publicKeys', ${keyDocuments(sql`institution_id = i.institution_id`)},
        'bookEndpointUrl', ${bookUrl(sql`i.institution_id`)},
        'notificationUrl', (select notification_url from fxp_endpoints where fxp_id = i.institution_id),
        'settlementAccess', coalesce((select jsonb_agg(jsonb_build_object('countryCode', a.country_code,
          'sapId', sap_id, 'validated', validated) order by a.country_code) from fxp_settlement_access a
          where fxp_id = i.institution_id), '[]'),
        'corridors', coalesce((select jsonb_agg(jsonb_build_object('sourceCountry', source_country,
          'sourceCurrency', source_currency, 'destinationCountry', destination_country,
          'destinationCurrency', destination_currency)
          order by source_country, source_currency, destination_country, destination_currency)
          from fxp_corridors where fxp_id = i.institution_id), '[]')) as document
      from institutions i where ended_at is null`,
  tables: [
    {
      table: 'institutions',
      key: ['institution_id'],
      owner,
      atEnd: 'mark',
      rows: (one) => [rowOf(one, 'institutionId', 'name', 'countryCode', 'onboarded', 'supportsAcmt023')],
    },
    {
      table: 'institution_roles',
      key: ['institution_id', 'role'],
      owner,
      atEnd: 'remove',
      rows: (one) => one.roles.map((role) => ({ institution_id: one.institutionId, role })),
    },
    {
      table: 'institution_identifiers',
      key: ['identifier_type', 'lookup_value'],
      owner,
      atEnd: 'keep', // messages of payments under way refer to them
      rows: (one) =>
        [
          ...one.bics.map((value, place) => ({ type: 'BICFI' as const, value, place })),
          ...(one.lei === null ? [] : [{ type: 'LEI' as const, value: one.lei, place: 0 }]),
          ...one.otherIds.map((value, place) => ({ type: 'otherId' as const, value, place })),
        ].map(({ type, value, place }) => ({
          identifier_type: type,
          lookup_value: canonicalId(type, value),
          value,
          position: place + 1,
          institution_id: one.institutionId,
        })),
    },
    {
      table: 'institution_memberships',
      key: ['institution_id', 'clearing_system_id'],
      owner,
      atEnd: 'remove',
      rows: (one) =>
        one.memberships.map((membership) => ({
          institution_id: one.institutionId,
          ...rowOf(membership, 'clearingSystemId', 'memberId'),
        })),
    },
    {
      table: 'public_keys',
      key: ['key_id'],
      owner,
      atEnd: 'keep',
      rows: (one) => keyRows('institution_id', one.institutionId, one.publicKeys),
    },
    {
      table: 'book_endpoints',
      key: ['party_id'],
      owner: { party_id: asIs },
      atEnd: 'keep',
      rows: (one) => bookRows(one.institutionId, one.bookEndpointUrl),
    },
    {
      table: 'fxp_endpoints',
      key: ['fxp_id'],
      owner: ofFxp,
      atEnd: 'keep', // payments under way still notify it
      rows: (one) =>
        one.notificationUrl === null
          ? []
          : [{ fxp_id: one.institutionId, notification_url: one.notificationUrl }],
    },
    {
      table: 'fxp_settlement_access',
      key: ['fxp_id', 'country_code'],
      owner: ofFxp,
      atEnd: 'remove',
      rows: (one) =>
        one.settlementAccess.map((access) => ({
          fxp_id: one.institutionId,
          ...rowOf(access, 'countryCode', 'sapId', 'validated'),
        })),
    },
    {
      table: 'fxp_corridors',
      key: ['fxp_id', 'source_country', 'source_currency', 'destination_country', 'destination_currency'],
      owner: ofFxp,
      atEnd: 'remove',
      rows: (one) =>
        one.corridors.map((corridor) => ({
          fxp_id: one.institutionId,
          ...rowOf(corridor, 'sourceCountry', 'sourceCurrency', 'destinationCountry', 'destinationCurrency'),
        })),
    },
  ],
};
