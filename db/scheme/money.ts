// Tables of settlement accounts, fee formulas and the opening prices of FX providers.
import { sql } from 'kysely';
import type { SchemeDocuments } from '../../core/scheme/documents.ts';
import { first, rowOf, second, type SchemeKindTables } from './kind-table.ts';

export const settlementAccounts: SchemeKindTables<SchemeDocuments['settlement-accounts']> = {
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
      rows: (one) => [rowOf(one, 'ownerId', 'sapId', 'countryCode', 'currencyCode', 'accountId')],
    },
  ],
};

export const feeFormulas: SchemeKindTables<SchemeDocuments['fee-formulas']> = {
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
          ...rowOf(one, 'countryCode', 'currencyCode'),
          ...rowOf(one.schemeFee, 'nominalFeeAmount', 'percentageFeeAsRatio'),
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
          ...rowOf(one, 'countryCode', 'currencyCode'),
          ...rowOf(one.creditorAgentFee, 'nominalFeeAmount', 'percentageFee'),
        },
      ],
    },
  ],
};

export const fxPrices: SchemeKindTables<SchemeDocuments['fx-prices']> = {
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
  tables: [], // fx-prices.ts writes the prices, as if the FX provider had posted them
};
