// The tables as Kysely sees them. Comments in the database (db/schema.sql) explain each column and its unit. Amounts
// and rates are decimal text here, `numeric` in the database.
import type { ColumnType, Generated } from 'kysely';
import type { PaymentTables } from './payment-tables.ts';

/** Written as JSON text, read as the parsed value. */
type JsonColumn = ColumnType<unknown, string, string>;

interface CountriesTable {
  country_code: string;
  country_id: number;
  name: string;
  required_pacs008_elements: readonly string[];
  ended_at: Date | null;
}

interface CurrenciesTable {
  currency_code: string;
  currency_id: number;
  name: string;
  symbol: string;
  decimal_places: number;
  ended_at: Date | null;
}

interface OperatorsTable {
  operator_id: string;
  name: string;
  endpoint_url: string;
  signs_messages: Generated<boolean>;
  ended_at: Date | null;
}

interface OperatorCallbackOriginsTable {
  operator_id: string;
  origin: string;
}

interface ClearingSystemsTable {
  clearing_system_id: string;
  operator_id: string;
  currency_code: string;
  max_amount: string;
  max_execution_seconds: number;
  max_acceptance_age_seconds: Generated<number>;
  max_resolution_seconds: Generated<number>;
  ended_at: Date | null;
}

interface CountryClearingSystemsTable {
  country_code: string;
  clearing_system_id: string;
}

interface AddressTypesTable {
  address_type_id: string;
  address_type_code: string;
  clearing_system_id: string | null;
  proxy_directory_id: string | null;
  display_order: number;
}

interface AddressTypeCountriesTable {
  address_type_id: string;
  country_code: string;
}

interface AddressInputsTable {
  address_input_id: string;
  label: JsonColumn | null;
  attributes: JsonColumn;
  iso20022_xpath: JsonColumn;
}

interface AddressTypeInputsTable {
  address_type_id: string;
  position: number;
  address_input_id: string;
}

interface InstitutionsTable {
  institution_id: string;
  name: string;
  country_code: string;
  onboarded: boolean;
  supports_acmt023: boolean;
  ended_at: Date | null;
}

interface InstitutionRolesTable {
  institution_id: string;
  role: string;
}

interface InstitutionIdentifiersTable {
  identifier_type: string;
  lookup_value: string;
  value: string;
  position: number;
  institution_id: string;
}

interface InstitutionMembershipsTable {
  institution_id: string;
  clearing_system_id: string;
  member_id: string;
}

interface FxpEndpointsTable {
  fxp_id: string;
  notification_url: string;
}

interface BookEndpointsTable {
  party_id: string;
  url: string;
  registered_at: Generated<Date>;
}

interface PublicKeysTable {
  key_id: string;
  operator_id: string | null;
  institution_id: string | null;
  public_jwk: JsonColumn;
  valid_from: Date;
  valid_until: Date | null;
}

interface ClientsTable {
  client_id: string;
  role: string;
  institution_id: string | null;
  clearing_system_id: string | null;
  demo: boolean;
  ended_at: Date | null;
}

interface ClientSecretsTable {
  client_id: string;
  secret_id: string;
  salt: Buffer;
  digest: Buffer;
  algorithm: Generated<string>;
  tag: Buffer | null;
  ends_at: Date | null;
}

interface IssuerKeysTable {
  key_id: string;
  private_jwk: JsonColumn;
  wrapped_by: string | null;
  withdrawn_at: Date | null;
  made_by: Generated<string>;
  because: Generated<string>;
  created_at: Generated<Date>;
  retired_at: Date | null;
}

interface DeliveryKeysTable {
  key_id: string;
  public_key: string;
  signs_from: Generated<Date>;
  signs_until: Date | null;
  withdrawn_at: Date | null;
  made_by: string;
  because: string;
  vouched: string | null;
  vouched_by: string | null;
}

interface DeliveryKeySecretsTable {
  key_id: string;
  private_key: string;
}

interface SettlementAccountsTable {
  owner_id: string;
  sap_id: string;
  country_code: string;
  currency_code: string;
  account_id: string;
  registered_at: Generated<Date>;
}

interface FormerAccountOwnersTable {
  former_account_owner_id: Generated<string>;
  sap_id: string;
  account_id: string;
  owner_id: string;
  currency_code: string;
  registered_at: Date;
  owned_until: Date;
}

interface FxpSettlementAccessTable {
  fxp_id: string;
  country_code: string;
  sap_id: string;
  validated: boolean;
}

interface FxpCorridorsTable {
  fxp_id: string;
  source_country: string;
  source_currency: string;
  destination_country: string;
  destination_currency: string;
}

interface SchemeFeeFormulasTable {
  country_code: string;
  currency_code: string;
  nominal_fee_amount: string;
  percentage_fee_as_ratio: string;
}

interface CreditorAgentFeeFormulasTable {
  country_code: string;
  currency_code: string;
  nominal_fee_amount: string;
  percentage_fee: string;
}

interface TierImprovementsTable {
  tier_improvement_id: Generated<string>;
  fxp_id: string;
  unit_currency: string;
  threshold: string;
  improvement_basis_points: string;
  updated_at: Generated<Date>;
}

interface PspImprovementsTable {
  psp_improvement_id: Generated<string>;
  fxp_id: string;
  psp_id: string;
  improvement_basis_points: string;
  updated_at: Generated<Date>;
}

interface RatesTable {
  rate_id: Generated<string>;
  fxp_id: string;
  source_country: string;
  source_currency: string;
  destination_country: string;
  destination_currency: string;
  exchange_rate: string;
  threshold: string;
  tier_improvement_id: string | null;
  created_at: Generated<Date>;
  expired_at: Date | null;
}

interface IdempotencyKeysTable {
  client_id: string;
  idempotency_key: string;
  request_sha256: Buffer;
  response_status: number | null;
  response_body: string | null;
  created_at: Generated<Date>;
}

interface PortalSessionsTable {
  session_hash: string;
  client_id: string;
  content: string;
  seen_at: Generated<Date>;
  ends_at: Date;
}

interface QuoteRequestsTable {
  quote_request_id: string;
  issued_at: Date;
  psp_id: string;
  source_country: string;
  source_currency: string;
  destination_country: string;
  destination_currency: string;
  amount_currency: string;
  amount: string;
  fxp_ids: readonly string[];
  rate_ids: readonly string[];
  tier_improvement_ids: readonly (string | null)[];
  psp_improvement_ids: readonly (string | null)[];
  exchange_rates: readonly string[];
  source_amounts: readonly string[];
  source_capped: readonly boolean[];
  destination_amounts: readonly string[];
  destination_capped: readonly boolean[];
  scheme_fees: readonly (string | null)[];
  creditor_agent_fees: readonly (string | null)[];
  source_sap_ids: readonly string[];
  source_account_ids: readonly string[];
  destination_sap_ids: readonly string[];
  destination_account_ids: readonly string[];
}

interface QuoteUsesTable {
  quote_id: string;
  uetr: string;
}

export interface Database extends PaymentTables {
  countries: CountriesTable;
  currencies: CurrenciesTable;
  operators: OperatorsTable;
  operator_callback_origins: OperatorCallbackOriginsTable;
  clearing_systems: ClearingSystemsTable;
  country_clearing_systems: CountryClearingSystemsTable;
  address_types: AddressTypesTable;
  address_type_countries: AddressTypeCountriesTable;
  address_inputs: AddressInputsTable;
  address_type_inputs: AddressTypeInputsTable;
  institutions: InstitutionsTable;
  institution_roles: InstitutionRolesTable;
  institution_identifiers: InstitutionIdentifiersTable;
  institution_memberships: InstitutionMembershipsTable;
  fxp_endpoints: FxpEndpointsTable;
  book_endpoints: BookEndpointsTable;
  public_keys: PublicKeysTable;
  client_secrets: ClientSecretsTable;
  clients: ClientsTable;
  issuer_keys: IssuerKeysTable;
  delivery_keys: DeliveryKeysTable;
  delivery_key_secrets: DeliveryKeySecretsTable;
  settlement_accounts: SettlementAccountsTable;
  former_account_owners: FormerAccountOwnersTable;
  fxp_settlement_access: FxpSettlementAccessTable;
  fxp_corridors: FxpCorridorsTable;
  scheme_fee_formulas: SchemeFeeFormulasTable;
  creditor_agent_fee_formulas: CreditorAgentFeeFormulasTable;
  tier_improvements: TierImprovementsTable;
  psp_improvements: PspImprovementsTable;
  rates: RatesTable;
  idempotency_keys: IdempotencyKeysTable;
  portal_sessions: PortalSessionsTable;
  quote_requests: QuoteRequestsTable;
  quote_uses: QuoteUsesTable;
}
