// Where each kind of document of the scheme is kept (core/scheme/documents.ts): the statement that reads its documents,
// and the rows that a document makes. read.ts and write.ts do both, table by table.
import { sql, type RawBuilder } from 'kysely';
import { canonicalId } from '../../core/ids.ts';
import type { PublicKeyDocument, SchemeDocuments, SchemeKind } from '../../core/scheme/documents.ts';
import { saltedHashOf } from './secrets.ts';

/** Values as JSON has them; Postgres makes the columns' types of them, decimals of text (MON-1). */
export type SchemeRow = Readonly<Record<string, unknown>>;

/** The rows of one object in one table. */
export interface KindTable<Document> {
  readonly table: string;
  readonly key: readonly string[];
  /** The columns that name the object; what they hold, from its id. */
  readonly owner: Readonly<Record<string, (id: string) => string>>;
  readonly rows: (document: Document) => readonly SchemeRow[];
  /**
   * Of an object that ends: `mark` sets ended_at, `keep` leaves what those need who refer to it, `remove` is for what
   * only new business reads.
   */
  readonly atEnd: 'mark' | 'keep' | 'remove';
}

export interface SchemeKindTables<Document> {
  /** One column, `document`. */
  readonly documents: RawBuilder<{ document: Document }>;
  readonly tables: readonly KindTable<Document>[];
}

const asIs = (id: string): string => id;
const [first, second] = [(id: string) => id.split(':')[0] ?? '', (id: string) => id.replace(/^[^:]*:/, '')];

const keyDocuments = (owner: RawBuilder<unknown>) => sql`coalesce((
  select jsonb_agg(jsonb_build_object('keyId', key_id, 'jwk', public_jwk, 'validFrom', ${utc(sql`valid_from`)},
    'validUntil', ${utc(sql`valid_until`)}) order by key_id)
  from public_keys where ${owner}), '[]')`;
const utc = (time: RawBuilder<unknown>) =>
  sql`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const bookUrl = (partyId: RawBuilder<unknown>) =>
  sql`(select url from book_endpoints where party_id = ${partyId})`;

function keyRows(column: 'operator_id' | 'institution_id', id: string, keys: readonly PublicKeyDocument[]) {
  return keys.map(({ keyId, jwk, validFrom, validUntil }) => ({
    key_id: keyId,
    operator_id: null,
    institution_id: null,
    [column]: id,
    public_jwk: jwk,
    valid_from: validFrom,
    valid_until: validUntil,
  }));
}

const bookRows = (partyId: string, url: string | null): readonly SchemeRow[] =>
  url === null ? [] : [{ party_id: partyId, url }];

export const kindTables: { readonly [Kind in SchemeKind]: SchemeKindTables<SchemeDocuments[Kind]> } = {
  currencies: {
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
        rows: (one) => [
          {
            currency_code: one.currencyCode,
            currency_id: one.currencyId,
            name: one.name,
            symbol: one.symbol,
            decimal_places: one.decimalPlaces,
          },
        ],
      },
    ],
  },
  countries: {
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
        rows: (one) => [
          {
            country_code: one.countryCode,
            country_id: one.countryId,
            name: one.name,
            required_pacs008_elements: one.requiredPacs008Elements,
          },
        ],
      },
    ],
  },
  operators: {
    documents: sql`
      select jsonb_build_object('operatorId', o.operator_id, 'name', name, 'endpointUrl', endpoint_url,
        'callbackOrigins', coalesce((select jsonb_agg(origin order by origin) from operator_callback_origins c
          where c.operator_id = o.operator_id), '[]'),
        'publicKeys', ${keyDocuments(sql`operator_id = o.operator_id`)}) as document
      from operators o where ended_at is null`,
    tables: [
      {
        table: 'operators',
        key: ['operator_id'],
        owner: { operator_id: asIs },
        atEnd: 'mark',
        rows: (one) => [{ operator_id: one.operatorId, name: one.name, endpoint_url: one.endpointUrl }],
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
  },
  'clearing-systems': {
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
          {
            clearing_system_id: one.clearingSystemId,
            operator_id: one.operatorId,
            currency_code: one.currencyCode,
            max_amount: one.maxAmount,
            max_execution_seconds: one.maxExecutionSeconds,
            max_acceptance_age_seconds: one.maxAcceptanceAgeSeconds,
            max_resolution_seconds: one.maxResolutionSeconds,
          },
        ],
      },
      {
        table: 'country_clearing_systems',
        key: ['country_code', 'clearing_system_id'],
        owner: { clearing_system_id: asIs },
        atEnd: 'remove', // it serves no country any more: nobody can pay from or to it
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
  },
  'address-inputs': {
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
  },
  'address-types': {
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
          {
            address_type_id: one.addressTypeId,
            address_type_code: one.addressTypeCode,
            clearing_system_id: one.clearingSystemId,
            proxy_directory_id: one.proxyDirectoryId,
            display_order: one.displayOrder,
          },
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
  },
  institutions: institutionTables(),
  'settlement-accounts': {
    documents: sql`
      select jsonb_build_object('sapId', sap_id, 'accountId', account_id, 'ownerId', owner_id,
        'countryCode', country_code, 'currencyCode', currency_code) as document
      from settlement_accounts`,
    tables: [
      {
        table: 'settlement_accounts',
        key: ['sap_id', 'account_id'],
        owner: { sap_id: first, account_id: second },
        atEnd: 'remove',
        rows: (one) => [
          {
            owner_id: one.ownerId,
            sap_id: one.sapId,
            country_code: one.countryCode,
            currency_code: one.currencyCode,
            account_id: one.accountId,
          },
        ],
      },
    ],
  },
  'fee-formulas': {
    documents: sql`
      select jsonb_build_object('countryCode', s.country_code, 'currencyCode', s.currency_code,
        'schemeFee', jsonb_build_object('nominalFeeAmount', s.nominal_fee_amount::text,
          'percentageFeeAsRatio', s.percentage_fee_as_ratio::text),
        'creditorAgentFee', jsonb_build_object('nominalFeeAmount', c.nominal_fee_amount::text,
          'percentageFee', c.percentage_fee::text)) as document
      from scheme_fee_formulas s join creditor_agent_fee_formulas c using (country_code, currency_code)`,
    tables: [
      {
        table: 'scheme_fee_formulas',
        key: ['country_code', 'currency_code'],
        owner: { country_code: first, currency_code: second },
        atEnd: 'remove',
        rows: (one) => [
          {
            country_code: one.countryCode,
            currency_code: one.currencyCode,
            nominal_fee_amount: one.schemeFee.nominalFeeAmount,
            percentage_fee_as_ratio: one.schemeFee.percentageFeeAsRatio,
          },
        ],
      },
      {
        table: 'creditor_agent_fee_formulas',
        key: ['country_code', 'currency_code'],
        owner: { country_code: first, currency_code: second },
        atEnd: 'remove',
        rows: (one) => [
          {
            country_code: one.countryCode,
            currency_code: one.currencyCode,
            nominal_fee_amount: one.creditorAgentFee.nominalFeeAmount,
            percentage_fee: one.creditorAgentFee.percentageFee,
          },
        ],
      },
    ],
  },
  clients: {
    documents: sql`
      select jsonb_build_object('clientId', c.client_id, 'role', role, 'institutionId', institution_id,
        'clearingSystemId', clearing_system_id, 'demo', demo,
        'secrets', coalesce((select jsonb_agg(jsonb_build_object('secretId', secret_id,
          'hash', 'sha256:' || encode(salt, 'hex') || ':' || encode(sha256, 'hex'), 'endsAt', ${utc(sql`ends_at`)})
          order by secret_id)
          from client_secrets s where s.client_id = c.client_id), '[]')) as document
      from clients c where ended_at is null`,
    tables: [
      {
        table: 'clients',
        key: ['client_id'],
        owner: { client_id: asIs },
        atEnd: 'mark',
        rows: (one) => [
          {
            client_id: one.clientId,
            role: one.role,
            institution_id: one.institutionId,
            clearing_system_id: one.clearingSystemId,
            demo: one.demo,
          },
        ],
      },
      {
        table: 'client_secrets',
        key: ['client_id', 'secret_id'],
        owner: { client_id: asIs },
        atEnd: 'remove',
        rows: (one) =>
          one.secrets.map(({ secretId, hash, endsAt }) => ({
            client_id: one.clientId,
            secret_id: secretId,
            ...saltedHashOf(hash),
            ends_at: endsAt,
          })),
      },
    ],
  },
  'fx-prices': {
    documents: sql`
      select jsonb_build_object('fxpId', i.institution_id,
        'baseRates', coalesce((select jsonb_agg(jsonb_build_object('sourceCountry', source_country,
          'sourceCurrency', source_currency, 'destinationCountry', destination_country,
          'destinationCurrency', destination_currency, 'exchangeRate', exchange_rate::text)
          order by source_country, source_currency, destination_country, destination_currency)
          from rates where fxp_id = i.institution_id and threshold = 0 and expired_at is null), '[]'),
        'tierImprovements', coalesce((select jsonb_agg(jsonb_build_object('unitCurrency', unit_currency,
          'threshold', threshold::text, 'improvementBasisPoints', improvement_basis_points::text)
          order by unit_currency, threshold) from tier_improvements where fxp_id = i.institution_id), '[]'),
        'pspImprovements', coalesce((select jsonb_agg(jsonb_build_object('pspId', psp_id,
          'improvementBasisPoints', improvement_basis_points::text) order by psp_id)
          from psp_improvements where fxp_id = i.institution_id), '[]')) as document
      from institutions i
      where ended_at is null and (exists (select from rates where fxp_id = institution_id)
        or exists (select from tier_improvements where fxp_id = institution_id)
        or exists (select from psp_improvements where fxp_id = institution_id))`,
    tables: [], // they are entered as an FX provider posts them: fx-prices.ts
  },
};

function institutionTables(): SchemeKindTables<SchemeDocuments['institutions']> {
  const values = (type: string) => sql`coalesce((
    select jsonb_agg(value order by position) from institution_identifiers d
    where d.institution_id = i.institution_id and identifier_type = ${sql.lit(type)}), '[]')`;
  const owner = { institution_id: asIs };
  const ofFxp = { fxp_id: asIs };
  return {
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
        rows: (one) => [
          {
            institution_id: one.institutionId,
            name: one.name,
            country_code: one.countryCode,
            onboarded: one.onboarded,
            supports_acmt023: one.supportsAcmt023,
          },
        ],
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
        atEnd: 'keep', // messages of payments under way name it
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
          one.memberships.map(({ clearingSystemId, memberId }) => ({
            institution_id: one.institutionId,
            clearing_system_id: clearingSystemId,
            member_id: memberId,
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
        atEnd: 'keep', // payments under way are told to it
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
          one.settlementAccess.map(({ countryCode, sapId, validated }) => ({
            fxp_id: one.institutionId,
            country_code: countryCode,
            sap_id: sapId,
            validated,
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
            source_country: corridor.sourceCountry,
            source_currency: corridor.sourceCurrency,
            destination_country: corridor.destinationCountry,
            destination_currency: corridor.destinationCurrency,
          })),
      },
    ],
  };
}
