// Loads the reference data into one snapshot; reference-cache.ts keeps it fresh. Rates are not part of it: they are
// read for each quote. Ended objects stay in the snapshot if payments under way may refer to them.
import { sql, type Selectable } from 'kysely';
import {
  keyOf,
  type BookedAccount,
  type Institution,
  type ReferenceData,
  type SettlementAccount,
} from '../../core/scheme/reference.ts';
import type { FinInstRole } from '../../core/ids.ts';
import type { Db } from '../pool/connection.ts';
import { listPauses } from '../deliveries/pauses.ts';
import type { Database } from '../tables.ts';

/** Loads everything in one transaction, so the snapshot is consistent. */
export async function loadReferenceData(db: Db): Promise<ReferenceData> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (trx) => ({
      ...(await loadGeography(trx)),
      ...(await loadOperators(trx)),
      ...(await loadFeeFormulas(trx)),
      ...(await loadInstitutions(trx)),
      ...(await loadSettlement(trx)),
      ...(await loadAddresses(trx)),
      bookEndpoints: await loadBookEndpoints(trx),
      paused: new Set((await listPauses(trx)).map(({ partyId }) => partyId)),
    }));
}

async function loadBookEndpoints(db: Db): Promise<ReadonlyMap<string, string>> {
  const rows = await db.selectFrom('book_endpoints').selectAll().execute();
  return new Map(rows.map(({ party_id, url }) => [party_id, url]));
}

async function loadGeography(db: Db) {
  const countries = await db
    .selectFrom('countries')
    .selectAll()
    .where('ended_at', 'is', null)
    .orderBy('country_code')
    .execute();
  const currencies = await db
    .selectFrom('currencies')
    .selectAll()
    .where('ended_at', 'is', null)
    .orderBy('currency_code')
    .execute();
  const systems = await db
    .selectFrom('clearing_systems as s')
    .selectAll('s')
    .select(
      sql<string[]>`array(select c.country_code from country_clearing_systems c
        where c.clearing_system_id = s.clearing_system_id order by c.country_code)`.as('country_codes'),
    )
    .orderBy('s.clearing_system_id')
    .execute();
  return {
    countries: new Map(
      countries.map((row) => [
        row.country_code,
        {
          countryCode: row.country_code,
          countryId: row.country_id,
          name: row.name,
          requiredPacs008Elements: row.required_pacs008_elements,
        },
      ]),
    ),
    currencies: new Map(
      currencies.map((row) => [
        row.currency_code,
        {
          currencyCode: row.currency_code,
          currencyId: row.currency_id,
          name: row.name,
          symbol: row.symbol,
          decimalPlaces: row.decimal_places,
        },
      ]),
    ),
    clearingSystems: new Map(
      systems.map((row) => [
        row.clearing_system_id,
        {
          clearingSystemId: row.clearing_system_id,
          operatorId: row.operator_id,
          currencyCode: row.currency_code,
          maxAmount: row.max_amount,
          maxExecutionSeconds: row.max_execution_seconds,
          maxAcceptanceAgeSeconds: row.max_acceptance_age_seconds,
          maxResolutionSeconds: row.max_resolution_seconds,
          countryCodes: row.country_codes,
        },
      ]),
    ),
  };
}

async function loadOperators(db: Db) {
  const operators = await db
    .selectFrom('operators as o')
    .select(['o.operator_id', 'o.name', 'o.endpoint_url', 'o.signs_messages'])
    .select(
      sql<string[]>`array(select c.origin from operator_callback_origins c
        where c.operator_id = o.operator_id order by c.origin)`.as('callback_origins'),
    )
    .execute();
  return {
    operators: new Map(
      operators.map((row) => [
        row.operator_id,
        {
          operatorId: row.operator_id,
          name: row.name,
          endpointUrl: row.endpoint_url,
          callbackOrigins: row.callback_origins,
          signsMessages: row.signs_messages,
        },
      ]),
    ),
  };
}

async function loadFeeFormulas(db: Db) {
  const scheme = await db.selectFrom('scheme_fee_formulas').selectAll().execute();
  const creditor = await db.selectFrom('creditor_agent_fee_formulas').selectAll().execute();
  return {
    schemeFeeFormulas: new Map(
      scheme.map((row) => [
        keyOf(row.country_code, row.currency_code),
        { nominalFeeAmount: row.nominal_fee_amount, percentageFeeAsRatio: row.percentage_fee_as_ratio },
      ]),
    ),
    creditorAgentFeeFormulas: new Map(
      creditor.map((row) => [
        keyOf(row.country_code, row.currency_code),
        { nominalFee: row.nominal_fee_amount, percentageFee: row.percentage_fee },
      ]),
    ),
  };
}

async function loadInstitutions(db: Db) {
  const rows = await db
    .selectFrom('institutions as i')
    .leftJoin('fxp_endpoints as e', 'e.fxp_id', 'i.institution_id')
    .selectAll('i')
    .select('e.notification_url')
    .select(
      sql<FinInstRole[]>`array(select r.role from institution_roles r
        where r.institution_id = i.institution_id order by r.role)`.as('roles'),
    )
    .orderBy('i.institution_id')
    .execute();
  const identifiers = await db
    .selectFrom('institution_identifiers')
    .selectAll()
    .orderBy('position')
    .orderBy('value')
    .execute();
  const memberships = await db
    .selectFrom('institution_memberships')
    .selectAll()
    .orderBy('clearing_system_id')
    .execute();
  const valuesOf = (institutionId: string, type: string) =>
    identifiers
      .filter((row) => row.institution_id === institutionId && row.identifier_type === type)
      .map((row) => row.value);
  const institutions = new Map<string, Institution>(
    rows.map((row) => [
      row.institution_id,
      {
        institutionId: row.institution_id,
        name: row.name,
        countryCode: row.country_code,
        roles: row.roles,
        bics: valuesOf(row.institution_id, 'BICFI'),
        lei: valuesOf(row.institution_id, 'LEI')[0] ?? null,
        otherIds: valuesOf(row.institution_id, 'otherId'),
        memberships: memberships
          .filter((membership) => membership.institution_id === row.institution_id)
          .map((membership) => ({
            clearingSystemId: membership.clearing_system_id,
            memberId: membership.member_id,
          })),
        onboarded: row.onboarded && row.ended_at === null,
        hasEnded: row.ended_at !== null,
        supportsAcmt023: row.supports_acmt023,
        notificationUrl: row.notification_url,
      },
    ]),
  );
  const institutionsByIdentifier = new Map<string, Institution>();
  for (const row of identifiers) {
    const institution = institutions.get(row.institution_id);
    if (institution) institutionsByIdentifier.set(keyOf(row.identifier_type, row.lookup_value), institution);
  }
  const institutionsByMembership = new Map<string, Institution>();
  for (const row of memberships) {
    const institution = institutions.get(row.institution_id);
    if (institution) institutionsByMembership.set(keyOf(row.clearing_system_id, row.member_id), institution);
  }
  return { institutions, institutionsByIdentifier, institutionsByMembership };
}

/** Current and former owners of each account, for the books. */
async function loadBookedAccounts(
  db: Db,
  accounts: readonly Selectable<Database['settlement_accounts']>[],
): Promise<ReadonlyMap<string, BookedAccount>> {
  const former = await db
    .selectFrom('former_account_owners')
    .selectAll()
    .orderBy('former_account_owner_id')
    .execute();
  const booked = new Map<string, BookedAccount>();
  for (const row of [...former, ...accounts.map((account) => ({ ...account, owned_until: null }))]) {
    const key = keyOf(row.sap_id, row.account_id);
    const owner = {
      ownerId: row.owner_id,
      currencyCode: row.currency_code,
      registeredAt: row.registered_at,
      until: row.owned_until,
    };
    const owners = [...(booked.get(key)?.owners ?? []), owner];
    booked.set(key, { sapId: row.sap_id, accountId: row.account_id, owners });
  }
  return booked;
}

async function loadSettlement(db: Db) {
  const accounts = await db
    .selectFrom('settlement_accounts')
    .selectAll()
    .orderBy('sap_id')
    .orderBy('account_id')
    .execute();
  const access = await db.selectFrom('fxp_settlement_access').selectAll().execute();
  const corridors = await db.selectFrom('fxp_corridors').selectAll().execute();
  const improvements = await db.selectFrom('psp_improvements').selectAll().execute();
  const accountsAtSap = new Map<string, SettlementAccount>();
  const accountsOfOwner = new Map<string, SettlementAccount[]>();
  for (const row of accounts) {
    const account = {
      ownerId: row.owner_id,
      sapId: row.sap_id,
      countryCode: row.country_code,
      currencyCode: row.currency_code,
      accountId: row.account_id,
    };
    accountsAtSap.set(keyOf(row.sap_id, row.account_id), account);
    const key = keyOf(row.owner_id, row.country_code, row.currency_code);
    accountsOfOwner.set(key, [...(accountsOfOwner.get(key) ?? []), account]);
  }
  return {
    accountsAtSap,
    bookedAccounts: await loadBookedAccounts(db, accounts),
    accountsOfOwner,
    settlementAccess: new Map(
      access.map((row) => [
        keyOf(row.fxp_id, row.country_code),
        { fxpId: row.fxp_id, countryCode: row.country_code, sapId: row.sap_id, validated: row.validated },
      ]),
    ),
    fxpCorridors: new Set(
      corridors.map((row) =>
        keyOf(
          row.fxp_id,
          row.source_country,
          row.source_currency,
          row.destination_country,
          row.destination_currency,
        ),
      ),
    ),
    pspImprovements: new Map(
      improvements.map((row) => [
        keyOf(row.fxp_id, row.psp_id),
        {
          pspImprovementId: row.psp_improvement_id,
          fxpId: row.fxp_id,
          pspId: row.psp_id,
          improvementBasisPoints: row.improvement_basis_points,
        },
      ]),
    ),
  };
}

async function loadAddresses(db: Db) {
  const types = await db
    .selectFrom('address_types as t')
    .selectAll('t')
    .select([
      sql<string[]>`array(select c.country_code from address_type_countries c
        where c.address_type_id = t.address_type_id order by c.country_code)`.as('country_codes'),
      sql<string[]>`array(select i.address_input_id from address_type_inputs i
        where i.address_type_id = t.address_type_id order by i.position)`.as('input_ids'),
    ])
    .orderBy('t.display_order')
    .orderBy('t.address_type_id')
    .execute();
  const inputs = await db.selectFrom('address_inputs').selectAll().execute();
  return {
    addressTypes: new Map(
      types.map((row) => [
        row.address_type_id,
        {
          addressTypeId: row.address_type_id,
          addressTypeCode: row.address_type_code,
          clearingSystemId: row.clearing_system_id,
          proxyDirectoryId: row.proxy_directory_id,
          displayOrder: row.display_order,
          countryCodes: row.country_codes,
          inputIds: row.input_ids,
        },
      ]),
    ),
    addressInputs: new Map(
      inputs.map((row) => [
        row.address_input_id,
        {
          addressInputId: row.address_input_id,
          label: row.label,
          attributes: row.attributes,
          iso20022XPath: row.iso20022_xpath,
        },
      ]),
    ),
  };
}
