// Tables of the forms for a payee's address (endpoints 6 to 8).
import { sql } from 'kysely';
import type { SchemeDocuments } from '../../core/scheme/documents.ts';
import { asIs, rowOf, type SchemeKindTables } from './kind-table.ts';

export const addressInputs: SchemeKindTables<SchemeDocuments['address-inputs']> = {
  documents: sql`
      select jsonb_build_object('addressInputId', address_input_id, 'label', label, 'attributes', attributes,
        'iso20022XPath', iso20022_xpath) as document
      from address_inputs`,
  tables: [
    {
      table: 'address_inputs',
      key: ['address_input_id'],
      owner: { address_input_id: asIs },
      atEnd: 'remove',
      rows: (one) => [
        {
          address_input_id: one.addressInputId,
          label: one.label,
          attributes: one.attributes,
          iso20022_xpath: one.iso20022XPath,
        },
      ],
    },
  ],
};

export const addressTypes: SchemeKindTables<SchemeDocuments['address-types']> = {
  documents: sql`
      select jsonb_build_object('addressTypeId', t.address_type_id, 'addressTypeCode', address_type_code,
        'countryCodes', coalesce((select jsonb_agg(country_code order by country_code) from address_type_countries c
          where c.address_type_id = t.address_type_id), '[]'),
        'clearingSystemId', clearing_system_id, 'proxyDirectoryId', proxy_directory_id, 'displayOrder', display_order,
        'inputIds', coalesce((select jsonb_agg(address_input_id order by position) from address_type_inputs i
          where i.address_type_id = t.address_type_id), '[]')) as document
      from address_types t`,
  tables: [
    {
      table: 'address_types',
      key: ['address_type_id'],
      owner: { address_type_id: asIs },
      atEnd: 'remove',
      rows: (one) => [
        rowOf(
          one,
          'addressTypeId',
          'addressTypeCode',
          'clearingSystemId',
          'proxyDirectoryId',
          'displayOrder',
        ),
      ],
    },
    {
      table: 'address_type_countries',
      key: ['address_type_id', 'country_code'],
      owner: { address_type_id: asIs },
      atEnd: 'remove',
      rows: (one) =>
        one.countryCodes.map((country) => ({ address_type_id: one.addressTypeId, country_code: country })),
    },
    {
      table: 'address_type_inputs',
      key: ['address_type_id', 'position'],
      owner: { address_type_id: asIs },
      atEnd: 'remove',
      rows: (one) =>
        one.inputIds.map((input, place) => ({
          address_type_id: one.addressTypeId,
          position: place + 1,
          address_input_id: input,
        })),
    },
  ],
};
