// Tables of currencies, countries, operators and payment systems.
import { sql } from 'kysely';
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

export const currencies: SchemeKindTables<SchemeDocuments['currencies']> = {
  documents: sql`
      select jsonb_build_object('currencyCode', currency_code, 'currencyId', currency_id, 'name', name,
        'symbol', symbol, 'decimalPlaces', decimal_places) as document
      from currencies where ended_at is null`,
  tables: [
    {
      table: 'currencies',
      key: ['currency_code'],
      owner: { currency_code: asIs },
      atEnd: 'mark',
      rows: (one) => [rowOf(one, 'currencyCode', 'currencyId', 'name', 'symbol', 'decimalPlaces')],
    },
  ],
};

export const countries: SchemeKindTables<SchemeDocuments['countries']> = {
  documents: sql`
      select jsonb_build_object('countryCode', country_code, 'countryId', country_id, 'name', name,
        'requiredPacs008Elements', required_pacs008_elements) as document
      from countries where ended_at is null`,
  tables: [
    {
      table: 'countries',
      key: ['country_code'],
      owner: { country_code: asIs },
      atEnd: 'mark',
      rows: (one) => [rowOf(one, 'countryCode', 'countryId', 'name', 'requiredPacs008Elements')],
    },
  ],
};

export const operators: SchemeKindTables<SchemeDocuments['operators']> = {
  documents: sql`
      select jsonb_build_object('operatorId', o.operator_id, 'name', name, 'endpointUrl', endpoint_url,
        'callbackOrigins', coalesce((select jsonb_agg(origin order by origin) from operator_callback_origins c
          where c.operator_id = o.operator_id), '[]'),
        'signsMessages', signs_messages,
        'publicKeys', ${keyDocuments(sql`operator_id = o.operator_id`)}) as document
      from operators o where ended_at is null`,
  tables: [
    {
      table: 'operators',
      key: ['operator_id'],
      owner: { operator_id: asIs },
      atEnd: 'mark',
      rows: (one) => [rowOf(one, 'operatorId', 'name', 'endpointUrl', 'signsMessages')],
    },
    {
      table: 'operator_callback_origins',
      key: ['operator_id', 'origin'],
      owner: { operator_id: asIs },
      atEnd: 'keep',
      rows: (one) => one.callbackOrigins.map((origin) => ({ operator_id: one.operatorId, origin })),
    },
    {
      table: 'public_keys',
      key: ['key_id'],
      owner: { operator_id: asIs },
      atEnd: 'keep',
      rows: (one) => keyRows('operator_id', one.operatorId, one.publicKeys),
    },
  ],
};

export const clearingSystems: SchemeKindTables<SchemeDocuments['clearing-systems']> = {
  documents: sql`
      select jsonb_build_object('clearingSystemId', s.clearing_system_id, 'operatorId', operator_id,
        'currencyCode', currency_code, 'maxAmount', max_amount::text, 'maxExecutionSeconds', max_execution_seconds,
        'maxAcceptanceAgeSeconds', max_acceptance_age_seconds, 'maxResolutionSeconds', max_resolution_seconds,
        'countryCodes', coalesce((select jsonb_agg(country_code order by country_code) from country_clearing_systems c
          where c.clearing_system_id = s.clearing_system_id), '[]'),
        'bookEndpointUrl', ${bookUrl(sql`s.clearing_system_id`)}) as document
      from clearing_systems s where ended_at is null`,
  tables: [
    {
      table: 'clearing_systems',
      key: ['clearing_system_id'],
      owner: { clearing_system_id: asIs },
      atEnd: 'mark',
      rows: (one) => [
        rowOf(
          one,
          'clearingSystemId',
          'operatorId',
          'currencyCode',
          'maxAmount',
          'maxExecutionSeconds',
          'maxAcceptanceAgeSeconds',
          'maxResolutionSeconds',
        ),
      ],
    },
    {
      table: 'country_clearing_systems',
      key: ['country_code', 'clearing_system_id'],
      owner: { clearing_system_id: asIs },
      atEnd: 'remove', // without a country, nobody can pay from or to the system
      rows: (one) =>
        one.countryCodes.map((country) => ({
          country_code: country,
          clearing_system_id: one.clearingSystemId,
        })),
    },
    {
      table: 'book_endpoints',
      key: ['party_id'],
      owner: { party_id: asIs },
      atEnd: 'keep',
      rows: (one) => bookRows(one.clearingSystemId, one.bookEndpointUrl),
    },
  ],
};
