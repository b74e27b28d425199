/**
 * Turns the demo's files into rows, by the rules of the seed data: the same files give the same rows, in the same
 * order. It stands before the first payment; it must not touch the database: the loader inserts what it returns, table
 * by table.
 */
import type { Insertable } from 'kysely';
import { assert } from '../../core/assert.ts';
import { baseRateFromMids, improveRateText } from '../../core/rate.ts';
import type { Database } from '../tables.ts';
import type { SeedFiles } from './files.ts';
import {
  clientRows,
  expandInstitutions,
  institutionRows,
  mainBic,
  type SeedInstitution,
} from './institutions.ts';

type Row<Table extends keyof Database> = Insertable<Database[Table]>;

/** Where the demo's counterparties listen. */
export interface SeedAddresses {
  /** base address of an operator; `/iso20022/pacs008` and so on are appended when it is used */
  readonly operatorEndpointUrl: (operatorId: string) => string;
  /** base address of an FXP; `/iso20022/fxtr017` is appended here */
  readonly fxpBaseUrl: (fxpBic: string) => string;
}

/**
 * A rate to be stored as FX-4 does: base rates with threshold 0, tier rates with the threshold of the FXP's tier in the
 * source currency. The database makes the ids of tiers, so the loader looks the tier up by (FXP, currency, threshold).
 */
export type SeedRate = Omit<Row<'rates'>, 'rate_id' | 'tier_improvement_id' | 'created_at' | 'expired_at'>;

/** Rows by table; the keys stand in an order in which foreign keys hold. */
export interface SeedRows {
  readonly countries: Row<'countries'>[];
  readonly currencies: Row<'currencies'>[];
  readonly operators: Row<'operators'>[];
  readonly operator_callback_origins: Row<'operator_callback_origins'>[];
  readonly clearing_systems: Row<'clearing_systems'>[];
  readonly country_clearing_systems: Row<'country_clearing_systems'>[];
  readonly address_types: Row<'address_types'>[];
  readonly address_type_countries: Row<'address_type_countries'>[];
  readonly address_inputs: Row<'address_inputs'>[];
  readonly address_type_inputs: Row<'address_type_inputs'>[];
  readonly institutions: Row<'institutions'>[];
  readonly institution_roles: Row<'institution_roles'>[];
  readonly institution_identifiers: Row<'institution_identifiers'>[];
  readonly institution_memberships: Row<'institution_memberships'>[];
  readonly fxp_endpoints: Row<'fxp_endpoints'>[];
  readonly book_endpoints: Row<'book_endpoints'>[];
  readonly clients: Row<'clients'>[];
  readonly settlement_accounts: Row<'settlement_accounts'>[];
  readonly fxp_settlement_access: Row<'fxp_settlement_access'>[];
  readonly fxp_corridors: Row<'fxp_corridors'>[];
  readonly scheme_fee_formulas: Row<'scheme_fee_formulas'>[];
  readonly creditor_agent_fee_formulas: Row<'creditor_agent_fee_formulas'>[];
  readonly tier_improvements: Row<'tier_improvements'>[];
  readonly psp_improvements: Row<'psp_improvements'>[];
  readonly rates: SeedRate[];
}

/** All rows of the demo. */
export function expandSeed(files: SeedFiles, addresses: SeedAddresses): SeedRows {
  const institutions = expandInstitutions(files);
  const fxps = institutions.filter((institution) => institution.roles.includes('fxp'));
  const corridors = corridorsOf(files);
  return {
    ...geographyRows(files, addresses),
    ...addressRows(files),
    ...institutionRows(files, institutions),
    fxp_endpoints: fxps.map((fxp) => ({
      fxp_id: fxp.institutionId,
      notification_url: `${addresses.fxpBaseUrl(mainBic(fxp))}/iso20022/fxtr017`,
    })),
    book_endpoints: [
      ...files.clearingSystems.map(({ clearingSystemId, operatorId }) => ({
        party_id: clearingSystemId,
        url: `${addresses.operatorEndpointUrl(operatorId)}/iso20022/camt054`,
      })),
      ...fxps.map((fxp) => ({
        party_id: fxp.institutionId,
        url: `${addresses.fxpBaseUrl(mainBic(fxp))}/iso20022/camt054`,
      })),
    ],
    clients: clientRows(files, institutions),
    ...settlementRows(files, fxps),
    fxp_corridors: fxps.flatMap((fxp) =>
      corridors
        .filter((corridor) => isSetUp(files, fxp.institutionId, corridor))
        .map((corridor) => ({ fxp_id: fxp.institutionId, ...corridor })),
    ),
    ...feeRows(files),
    tier_improvements: files.currencies.flatMap(({ currencyCode }) =>
      files.improvements.tiers.map((tier) => ({
        fxp_id: tier.fxpId,
        unit_currency: currencyCode,
        threshold: tier.threshold,
        improvement_basis_points: tier.improvementBasisPoints,
      })),
    ),
    psp_improvements: files.improvements.psps.map((improvement) => ({
      fxp_id: improvement.fxpId,
      psp_id: improvement.pspId,
      improvement_basis_points: improvement.improvementBasisPoints,
    })),
    rates: fxps.flatMap((fxp) => ratesOf(files, fxp.institutionId, corridors)),
  };
}

function geographyRows(files: SeedFiles, addresses: SeedAddresses) {
  const { operators, callbackOrigins } = files.operators;
  return {
    countries: files.countries.map((country) => ({
      country_code: country.countryCode,
      country_id: country.countryId,
      name: country.name,
      required_pacs008_elements: country.requiredPacs008Elements,
    })),
    currencies: files.currencies.map((currency) => ({
      currency_code: currency.currencyCode,
      currency_id: currency.currencyId,
      name: currency.name,
      symbol: currency.symbol,
      decimal_places: currency.decimalPlaces,
    })),
    operators: operators.map((operator) => ({
      operator_id: operator.operatorId,
      name: operator.name,
      endpoint_url: addresses.operatorEndpointUrl(operator.operatorId),
    })),
    operator_callback_origins: operators.flatMap((operator) =>
      callbackOrigins.map((origin) => ({ operator_id: operator.operatorId, origin })),
    ),
    clearing_systems: files.clearingSystems.map((system) => ({
      clearing_system_id: system.clearingSystemId,
      operator_id: system.operatorId,
      currency_code: system.currencyCode,
      max_amount: system.maxAmount,
      max_execution_seconds: system.maxExecutionSeconds,
    })),
    country_clearing_systems: files.clearingSystems.flatMap((system) =>
      system.countryCodes.map((country) => ({
        country_code: country,
        clearing_system_id: system.clearingSystemId,
      })),
    ),
  };
}

function addressRows(files: SeedFiles) {
  return {
    address_types: files.addressTypes.map((type) => ({
      address_type_id: type.addressTypeId,
      address_type_code: type.addressTypeCode,
      clearing_system_id: type.clearingSystemId ?? null,
      proxy_directory_id: type.proxyDirectoryId ?? null,
      display_order: type.displayOrder,
    })),
    address_type_countries: files.addressTypes.flatMap((type) =>
      type.countryCodes.map((country) => ({ address_type_id: type.addressTypeId, country_code: country })),
    ),
    address_inputs: files.addressInputs.map((input) => ({
      address_input_id: input.addressInputId,
      label: input.label === undefined ? null : JSON.stringify(input.label),
      attributes: JSON.stringify(input.attributes),
      iso20022_xpath: JSON.stringify(input.iso20022XPath),
    })),
    address_type_inputs: files.addressTypes.flatMap((type) =>
      type.inputIds.map((inputId, index) => ({
        address_type_id: type.addressTypeId,
        position: index + 1,
        address_input_id: inputId,
      })),
    ),
  };
}

/** A country and one of its currencies: what a corridor starts or ends at. */
interface Place {
  readonly country: string;
  readonly currency: string;
}

function placesOf(files: SeedFiles): Place[] {
  return files.countries.flatMap(({ countryCode }) =>
    files.clearingSystems
      .filter((system) => system.countryCodes.includes(countryCode))
      .map((system) => ({ country: countryCode, currency: system.currencyCode })),
  );
}

interface Corridor {
  readonly source_country: string;
  readonly source_currency: string;
  readonly destination_country: string;
  readonly destination_currency: string;
}

/** Every ordered pair of currencies between different countries; the same currency needs no rate (FX-2). */
function corridorsOf(files: SeedFiles): Corridor[] {
  const places = placesOf(files);
  return places.flatMap((source) =>
    places
      .filter(({ country, currency }) => country !== source.country && currency !== source.currency)
      .map((destination) => ({
        source_country: source.country,
        source_currency: source.currency,
        destination_country: destination.country,
        destination_currency: destination.currency,
      })),
  );
}

function isSetUp(files: SeedFiles, fxpId: string, corridor: Corridor): boolean {
  return !files.fxpCorridors.notSetUp.some(
    (one) =>
      one.fxpId === fxpId &&
      one.sourceCountry === corridor.source_country &&
      one.destinationCountry === corridor.destination_country,
  );
}

function isValidated(files: SeedFiles, fxpId: string, country: string): boolean {
  return !files.settlementAccounts.notValidated.some(
    (one) => one.fxpId === fxpId && one.countryCode === country,
  );
}

function settlementRows(files: SeedFiles, fxps: readonly SeedInstitution[]) {
  const { fxpAccounts, ownFxAccounts } = files.settlementAccounts;
  const sapOf = (country: string): string => fxpAccounts.sapId.replace('{country}', country);
  const accountOf = (fxpId: string, { country, currency }: Place): string =>
    fxpAccounts.accountId
      .replace('{fxp}', fxpId.slice(3))
      .replace('{country}', country)
      .replace('{currency}', currency);
  const places = placesOf(files);
  return {
    settlement_accounts: [
      ...fxps.flatMap(({ institutionId: fxpId }) =>
        places.map((place) => ({
          owner_id: fxpId,
          sap_id: sapOf(place.country),
          country_code: place.country,
          currency_code: place.currency,
          account_id: accountOf(fxpId, place),
        })),
      ),
      ...ownFxAccounts.map((account) => ({
        owner_id: account.ownerId,
        sap_id: account.sapId,
        country_code: account.countryCode,
        currency_code: account.currencyCode,
        account_id: account.accountId,
      })),
    ],
    fxp_settlement_access: fxps.flatMap(({ institutionId: fxpId }) =>
      files.countries.map(({ countryCode }) => ({
        fxp_id: fxpId,
        country_code: countryCode,
        sap_id: sapOf(countryCode),
        validated: isValidated(files, fxpId, countryCode),
      })),
    ),
  };
}

function feeRows(files: SeedFiles) {
  const formulas = files.feeFormulas.flatMap((formula) =>
    formula.countryCodes.map((country) => ({
      key: { country_code: country, currency_code: formula.currencyCode },
      formula,
    })),
  );
  return {
    scheme_fee_formulas: formulas.map(({ key, formula }) => ({
      ...key,
      nominal_fee_amount: formula.schemeFee.nominalFeeAmount,
      percentage_fee_as_ratio: formula.schemeFee.percentageFeeAsRatio,
    })),
    creditor_agent_fee_formulas: formulas.map(({ key, formula }) => ({
      ...key,
      nominal_fee_amount: formula.creditorAgentFee.nominalFeeAmount,
      percentage_fee: formula.creditorAgentFee.percentageFee,
    })),
  };
}

/** An FXP's base rate and one rate per tier, in every corridor in which FX-3 lets it rate. */
function ratesOf(files: SeedFiles, fxpId: string, corridors: readonly Corridor[]): SeedRate[] {
  const tiers = files.improvements.tiers.filter((tier) => tier.fxpId === fxpId);
  return corridors
    .filter((corridor) => isSetUp(files, fxpId, corridor))
    .filter((corridor) => isValidated(files, fxpId, corridor.source_country))
    .filter((corridor) => isValidated(files, fxpId, corridor.destination_country))
    .flatMap((corridor) => {
      const base = baseRateOf(files, fxpId, corridor);
      return [{ threshold: '0', improvementBasisPoints: '0' }, ...tiers].map((tier) => ({
        fxp_id: fxpId,
        ...corridor,
        exchange_rate: improved(base, tier.improvementBasisPoints),
        threshold: tier.threshold,
      }));
    });
}

function baseRateOf(files: SeedFiles, fxpId: string, corridor: Corridor): string {
  const { unitsPerSingaporeDollar: mids, spreadBasisPoints } = files.midRates;
  const source = mids[corridor.source_currency];
  const destination = mids[corridor.destination_currency];
  const spread = spreadBasisPoints[fxpId];
  assert(source !== undefined && destination !== undefined, 'mid-rates.json has every currency of the demo');
  assert(spread !== undefined, 'mid-rates.json has every FXP of the demo');
  return baseRateFromMids(source, destination, spread);
}

function improved(base: string, basisPoints: string): string {
  const rate = improveRateText(base, basisPoints);
  assert(rate !== undefined, 'a demo rate has at most 11 digits (MON-1)');
  return rate;
}
