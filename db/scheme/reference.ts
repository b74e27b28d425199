// Loads the reference data into one snapshot; reference-cache.ts keeps the snapshot fresh. Rates are not part
// of it, because they are read for each quote. Ended objects stay in the snapshot if payments under way may
// refer to them.
import { sql, type RawBuilder } from 'kysely';
import type { CreditorAgentFeeFormula, SchemeFeeFormula } from '../../core/money/fee.ts';
import {
  keyOf,
  type AccountOwner,
  type AddressInput,
  type AddressType,
  type BookedAccount,
  type ClearingSystem,
  type Country,
  type Currency,
  type Institution,
  type Operator,
  type PspImprovement,
  type ReferenceData,
  type SettlementAccess,
  type SettlementAccount,
} from '../../core/scheme/reference.ts';
import { canonicalId } from '../../core/ids.ts';
import type { Db } from '../pool/connection.ts';
import { listPauses } from '../deliveries/pauses.ts';

export async function loadReferenceData(db: Db): Promise<ReferenceData> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (trx) => ({
      ...(await loadGeography(trx)),
      ...(await loadFees(trx)),
      ...(await loadInstitutions(trx)),
      ...(await loadSettlement(trx)),
      ...(await loadAddresses(trx)),
      paused: new Set((await listPauses(trx)).map(({ partyId }) => partyId)),
    }));
}

interface Keyed {
  /** The key, joined as `keyOf` joins it. */
  readonly key: string;
}

/** Returns the rows by their column `key`, without that column. */
async function byKey<Row extends object>(
  db: Db,
  query: RawBuilder<Keyed & Row>,
): Promise<ReadonlyMap<string, Row>> {
  const { rows } = await query.execute(db);
  return new Map(rows.map(({ key, ...row }) => [key, row as unknown as Row]));
}

async function loadGeography(db: Db) {
  return {
    countries: await byKey(
      db,
      sql<Keyed & Country>`
        select country_code as key, country_code as "countryCode", country_id as "countryId", name,
          required_pacs008_elements as "requiredPacs008Elements"
        from countries where ended_at is null order by country_code`,
    ),
    currencies: await byKey(
      db,
      sql<Keyed & Currency>`
        select currency_code as key, currency_code as "currencyCode", currency_id as "currencyId", name, symbol,
          decimal_places as "decimalPlaces"
        from currencies where ended_at is null order by currency_code`,
    ),
    clearingSystems: await byKey(
      db,
      sql<Keyed & ClearingSystem>`
        select clearing_system_id as key, clearing_system_id as "clearingSystemId", operator_id as "operatorId",
          currency_code as "currencyCode", max_amount as "maxAmount", max_execution_seconds as "maxExecutionSeconds",
          max_acceptance_age_seconds as "maxAcceptanceAgeSeconds", max_resolution_seconds as "maxResolutionSeconds",
          array(select c.country_code from country_clearing_systems c
            where c.clearing_system_id = s.clearing_system_id order by c.country_code) as "countryCodes"
        from clearing_systems s order by clearing_system_id`,
    ),
    operators: await byKey(
      db,
      sql<Keyed & Operator>`
        select operator_id as key, operator_id as "operatorId", name, endpoint_url as "endpointUrl",
          array(select c.origin from operator_callback_origins c
            where c.operator_id = o.operator_id order by c.origin) as "callbackOrigins",
          signs_messages as "signsMessages"
        from operators o`,
    ),
  };
}

async function loadFees(db: Db) {
  return {
    schemeFeeFormulas: await byKey(
      db,
      sql<Keyed & SchemeFeeFormula>`
        select country_code || ' ' || currency_code as key, nominal_fee_amount as "nominalFeeAmount",
          percentage_fee_as_ratio as "percentageFeeAsRatio"
        from scheme_fee_formulas`,
    ),
    creditorAgentFeeFormulas: await byKey(
      db,
      sql<Keyed & CreditorAgentFeeFormula>`
        select country_code || ' ' || currency_code as key, nominal_fee_amount as "nominalFee",
          percentage_fee as "percentageFee"
        from creditor_agent_fee_formulas`,
    ),
  };
}

async function loadInstitutions(db: Db) {
  const institutions = await byKey(
    db,
    sql<Keyed & Institution>`
      select i.institution_id as key, i.institution_id as "institutionId", name, country_code as "countryCode",
        array(select r.role from institution_roles r where r.institution_id = i.institution_id order by r.role) as roles,
        coalesce(bics, '{}') as bics, leis[1] as lei, coalesce(other_ids, '{}') as "otherIds",
        coalesce(memberships, '[]') as memberships, onboarded and ended_at is null as onboarded,
        ended_at is not null as "hasEnded", supports_acmt023 as "supportsAcmt023",
        notification_url as "notificationUrl"
      from institutions i
      left join fxp_endpoints e on e.fxp_id = i.institution_id
      left join (
        select institution_id, array_agg(value order by position, value) filter (where identifier_type = 'BICFI') as bics,
          array_agg(value order by position, value) filter (where identifier_type = 'LEI') as leis,
          array_agg(value order by position, value) filter (where identifier_type = 'otherId') as other_ids
        from institution_identifiers group by institution_id) d on d.institution_id = i.institution_id
      left join (
        select institution_id, jsonb_agg(jsonb_build_object('clearingSystemId', clearing_system_id, 'memberId', member_id)
          order by clearing_system_id) as memberships
        from institution_memberships group by institution_id) m on m.institution_id = i.institution_id
      order by i.institution_id`,
  );
  const institutionsByIdentifier = new Map<string, Institution>();
  const institutionsByMembership = new Map<string, Institution>();
  for (const institution of institutions.values()) {
    const { bics, lei, otherIds, memberships } = institution;
    const put = (type: 'BICFI' | 'LEI' | 'otherId', value: string) =>
      institutionsByIdentifier.set(keyOf(type, canonicalId(type, value)), institution);
    for (const bic of bics) put('BICFI', bic);
    if (lei !== null) put('LEI', lei);
    for (const otherId of otherIds) put('otherId', otherId);
    for (const { clearingSystemId, memberId } of memberships)
      institutionsByMembership.set(keyOf(clearingSystemId, memberId), institution);
  }
  return { institutions, institutionsByIdentifier, institutionsByMembership };
}

/** Loads the current and former owners of each account, for the books. */
async function loadBookedAccounts(db: Db): Promise<ReadonlyMap<string, BookedAccount>> {
  const { rows } = await sql<Omit<BookedAccount, 'owners'> & AccountOwner>`
    select sap_id as "sapId", account_id as "accountId", owner_id as "ownerId", currency_code as "currencyCode",
      registered_at as "registeredAt", until
    from (
      select former_account_owner_id as nth, sap_id, account_id, owner_id, currency_code, registered_at,
        owned_until as until from former_account_owners
      union all
      select null, sap_id, account_id, owner_id, currency_code, registered_at, null from settlement_accounts
    ) owners order by nth nulls last, sap_id, account_id`.execute(db);
  const booked = new Map<string, BookedAccount>();
  for (const { sapId, accountId, ...owner } of rows) {
    const key = keyOf(sapId, accountId);
    booked.set(key, { sapId, accountId, owners: [...(booked.get(key)?.owners ?? []), owner] });
  }
  return booked;
}

async function loadSettlement(db: Db) {
  const accountsAtSap = await byKey(
    db,
    sql<Keyed & SettlementAccount>`
      select sap_id || ' ' || account_id as key, owner_id as "ownerId", sap_id as "sapId", country_code as "countryCode",
        currency_code as "currencyCode", account_id as "accountId"
      from settlement_accounts order by sap_id, account_id`,
  );
  const accountsOfOwner = new Map<string, SettlementAccount[]>();
  for (const account of accountsAtSap.values()) {
    const key = keyOf(account.ownerId, account.countryCode, account.currencyCode);
    accountsOfOwner.set(key, [...(accountsOfOwner.get(key) ?? []), account]);
  }
  const corridors = await byKey(
    db,
    sql<Keyed & object>`
      select concat_ws(' ', fxp_id, source_country, source_currency, destination_country, destination_currency) as key
      from fxp_corridors`,
  );
  return {
    accountsAtSap,
    accountsOfOwner,
    bookedAccounts: await loadBookedAccounts(db),
    settlementAccess: await byKey(
      db,
      sql<Keyed & SettlementAccess>`
        select fxp_id || ' ' || country_code as key, fxp_id as "fxpId", country_code as "countryCode", sap_id as "sapId",
          validated
        from fxp_settlement_access`,
    ),
    fxpCorridors: new Set(corridors.keys()),
    pspImprovements: await byKey(
      db,
      sql<Keyed & PspImprovement>`
        select fxp_id || ' ' || psp_id as key, psp_improvement_id as "pspImprovementId", fxp_id as "fxpId",
          psp_id as "pspId", improvement_basis_points as "improvementBasisPoints"
        from psp_improvements`,
    ),
  };
}

async function loadAddresses(db: Db) {
  const { rows: books } = await sql<{ party_id: string; url: string }>`
    select party_id, url from book_endpoints`.execute(db);
  return {
    bookEndpoints: new Map(books.map(({ party_id: party, url }) => [party, url])),
    addressTypes: await byKey(
      db,
      sql<Keyed & AddressType>`
        select address_type_id as key, address_type_id as "addressTypeId", address_type_code as "addressTypeCode",
          clearing_system_id as "clearingSystemId", proxy_directory_id as "proxyDirectoryId",
          display_order as "displayOrder",
          array(select c.country_code from address_type_countries c
            where c.address_type_id = t.address_type_id order by c.country_code) as "countryCodes",
          array(select i.address_input_id from address_type_inputs i
            where i.address_type_id = t.address_type_id order by i.position) as "inputIds"
        from address_types t order by display_order, address_type_id`,
    ),
    addressInputs: await byKey(
      db,
      sql<Keyed & AddressInput>`
        select address_input_id as key, address_input_id as "addressInputId", label, attributes,
          iso20022_xpath as "iso20022XPath"
        from address_inputs`,
    ),
  };
}
