// Countries, currencies, payment systems, institutions, onboarding and fee formulas.
// Forward only: a released migration is never edited; what it got wrong, a later one mends.
import { sql, type Kysely } from 'kysely';

const referenceData = `
create table countries (
  country_code text primary key check (country_code ~ '^[A-Z]{2}$'),
  country_id integer not null unique check (country_id between 1 and 999),
  name text not null,
  required_pacs008_elements text[] not null
);
comment on table countries is 'Countries whose payment systems are linked (endpoints 1 and 2).';
comment on column countries.country_code is 'ISO 3166 alpha-2 code.';
comment on column countries.country_id is 'ISO 3166 numeric code.';
comment on column countries.name is 'English short name.';
comment on column countries.required_pacs008_elements is 'Elements that a pacs.008 to this country must contain: purposeCode, categoryPurposeCode (MSG-7).';

create table currencies (
  currency_code text primary key check (currency_code ~ '^[A-Z]{3}$'),
  currency_id integer not null unique check (currency_id between 1 and 999),
  name text not null,
  symbol text not null,
  decimal_places smallint not null check (decimal_places between 0 and 5)
);
comment on table currencies is 'Currencies of the linked payment systems (endpoints 4 and 5).';
comment on column currencies.currency_code is 'ISO 4217 alphabetic code.';
comment on column currencies.currency_id is 'ISO 4217 numeric code.';
comment on column currencies.name is 'English name.';
comment on column currencies.symbol is 'Symbol for display.';
comment on column currencies.decimal_places is 'Decimals of an amount: scheme data, not ISO 4217 data (MON-2).';

create table operators (
  operator_id text primary key,
  name text not null,
  endpoint_url text not null
);
comment on table operators is 'Instant payment system operators (IPSOs).';
comment on column operators.operator_id is 'Our id of the operator.';
comment on column operators.name is 'Name for people.';
comment on column operators.endpoint_url is 'Base address; /iso20022/pacs008, /iso20022/pacs002 and /iso20022/acmt023 are appended.';

create table operator_callback_origins (
  operator_id text not null references operators,
  origin text not null,
  primary key (operator_id, origin)
);
comment on table operator_callback_origins is 'Origins (scheme, host, port, path prefix) at which an operator may ask for callbacks (SEC-2).';
comment on column operator_callback_origins.operator_id is 'The operator that registered it.';
comment on column operator_callback_origins.origin is 'https://host[:port][/path]; port * means any port.';

create table clearing_systems (
  clearing_system_id text primary key,
  operator_id text not null references operators,
  currency_code text not null references currencies,
  max_amount numeric not null check (max_amount > 0),
  max_execution_seconds integer not null check (max_execution_seconds > 0),
  max_acceptance_age_seconds integer not null default 120 check (max_acceptance_age_seconds > 0)
);
comment on table clearing_systems is 'Instant payment systems (IPS), each with one currency.';
comment on column clearing_systems.clearing_system_id is 'Id of the payment system (UPS id), as in ClrSys and ClrSysMmbId.';
comment on column clearing_systems.operator_id is 'The operator that runs it.';
comment on column clearing_systems.currency_code is 'Its settlement currency.';
comment on column clearing_systems.max_amount is 'Largest payment, in its currency, scale kept as given.';
comment on column clearing_systems.max_execution_seconds is 'Seconds from AccptncDtTm within which a HIGH payment to it must be final (TIM-1).';
comment on column clearing_systems.max_acceptance_age_seconds is 'Seconds after AccptncDtTm that a first submission from it is still accepted (TIM-4).';

create table country_clearing_systems (
  country_code text not null references countries,
  clearing_system_id text not null references clearing_systems,
  primary key (country_code, clearing_system_id)
);
comment on table country_clearing_systems is 'Which payment systems serve which country; one system may serve several.';
comment on column country_clearing_systems.country_code is 'The country.';
comment on column country_clearing_systems.clearing_system_id is 'The payment system.';

create table address_types (
  address_type_id text primary key,
  address_type_code text not null,
  clearing_system_id text references clearing_systems,
  proxy_directory_id text,
  display_order integer not null
);
comment on table address_types is 'Kinds of recipient address (endpoints 6 and 7).';
comment on column address_types.address_type_id is 'Id of the address type.';
comment on column address_types.address_type_code is 'ACCT, IBAN, MBNO, EMAL.';
comment on column address_types.clearing_system_id is 'Payment system of an account-type address.';
comment on column address_types.proxy_directory_id is 'Proxy directory of a proxy-type address.';
comment on column address_types.display_order is 'Ordering hint for forms.';

create table address_type_countries (
  address_type_id text not null references address_types,
  country_code text not null references countries,
  primary key (address_type_id, country_code)
);
comment on table address_type_countries is 'Countries in which an address type can be used.';
comment on column address_type_countries.address_type_id is 'The address type.';
comment on column address_type_countries.country_code is 'The country.';

create table address_inputs (
  address_input_id text primary key,
  label jsonb,
  attributes jsonb not null,
  iso20022_xpath jsonb not null
);
comment on table address_inputs is 'Input fields of address forms (endpoints 6 and 8).';
comment on column address_inputs.address_input_id is 'Id of the input.';
comment on column address_inputs.label is 'addressTypeCode and title per language; null for hidden inputs.';
comment on column address_inputs.attributes is 'name, type, pattern, placeholder, required, value.';
comment on column address_inputs.iso20022_xpath is 'acmt023 and pacs008: XPath of the element that takes the value, or null.';

create table address_type_inputs (
  address_type_id text not null references address_types,
  position smallint not null,
  address_input_id text not null references address_inputs,
  primary key (address_type_id, position)
);
comment on table address_type_inputs is 'The inputs of each address type, in order; inputs may be shared.';
comment on column address_type_inputs.address_type_id is 'The address type.';
comment on column address_type_inputs.position is 'Order, from 1.';
comment on column address_type_inputs.address_input_id is 'The input.';
`;

const institutions = `
create table institutions (
  institution_id text primary key,
  name text not null,
  country_code text not null references countries,
  onboarded boolean not null,
  supports_acmt023 boolean not null
);
comment on table institutions is 'Financial institutions: PSPs, FXPs and SAPs.';
comment on column institutions.institution_id is 'internalId, the service''s own id (REF-4).';
comment on column institutions.name is 'Name.';
comment on column institutions.country_code is 'Country of establishment.';
comment on column institutions.onboarded is 'Whether it can take part in payments; others are listed only (REF-3).';
comment on column institutions.supports_acmt023 is 'Whether it answers account resolution requests (RES-2).';

create table institution_roles (
  institution_id text not null references institutions,
  role text not null check (role in ('psp', 'fxp', 'sap')),
  primary key (institution_id, role)
);
comment on table institution_roles is 'Roles of institutions.';
comment on column institution_roles.institution_id is 'The institution.';
comment on column institution_roles.role is 'psp, fxp or sap.';

create table institution_identifiers (
  identifier_type text not null check (identifier_type in ('BICFI', 'LEI', 'otherId')),
  lookup_value text not null,
  value text not null,
  position smallint not null,
  institution_id text not null references institutions,
  primary key (identifier_type, lookup_value)
);
create index institution_identifiers_institution on institution_identifiers (institution_id);
comment on table institution_identifiers is 'BICs, LEIs and other ids of institutions.';
comment on column institution_identifiers.identifier_type is 'BICFI, LEI or otherId.';
comment on column institution_identifiers.lookup_value is 'The value in the form it is looked up by: a BIC11 ending in XXX as its BIC8 (REF-4).';
comment on column institution_identifiers.value is 'The value as given.';
comment on column institution_identifiers.position is 'Order among the same type, from 1; the first BICFI is the one we write.';
comment on column institution_identifiers.institution_id is 'Whose it is.';

create table institution_memberships (
  institution_id text not null references institutions,
  clearing_system_id text not null references clearing_systems,
  member_id text not null,
  primary key (institution_id, clearing_system_id),
  unique (clearing_system_id, member_id)
);
comment on table institution_memberships is 'Which institution is a member of which payment system.';
comment on column institution_memberships.institution_id is 'The institution.';
comment on column institution_memberships.clearing_system_id is 'The payment system.';
comment on column institution_memberships.member_id is 'Its id there (ClrSysMmbId/MmbId).';

create table fxp_endpoints (
  fxp_id text primary key references institutions,
  notification_url text not null
);
comment on table fxp_endpoints is 'Where an FX provider takes its fxtr.017 (NOT-1).';
comment on column fxp_endpoints.fxp_id is 'The FX provider.';
comment on column fxp_endpoints.notification_url is 'Full address.';

create table public_keys (
  key_id text primary key,
  operator_id text references operators,
  institution_id text references institutions,
  public_jwk jsonb not null,
  valid_from timestamptz not null,
  valid_until timestamptz,
  check (num_nonnulls(operator_id, institution_id) = 1)
);
comment on table public_keys is 'Public keys that parties gave at onboarding.';
comment on column public_keys.key_id is 'kid.';
comment on column public_keys.operator_id is 'The operator whose key it is, or null.';
comment on column public_keys.institution_id is 'The institution whose key it is, or null.';
comment on column public_keys.public_jwk is 'The key (RFC 7517).';
comment on column public_keys.valid_from is 'First moment of use.';
comment on column public_keys.valid_until is 'Last moment of use, or null.';

create table clients (
  client_id text primary key,
  secret_sha256 bytea not null,
  role text not null check (role in ('psp', 'fxp', 'ipso', 'operator')),
  institution_id text references institutions,
  clearing_system_id text references clearing_systems,
  demo boolean not null,
  check ((role in ('psp', 'fxp')) = (institution_id is not null)),
  check ((role = 'ipso') = (clearing_system_id is not null))
);
comment on table clients is 'OAuth 2.0 clients of the built-in issuer (SEC-1).';
comment on column clients.client_id is 'client_id.';
comment on column clients.secret_sha256 is 'SHA-256 of the client secret.';
comment on column clients.role is 'psp, fxp, ipso or operator.';
comment on column clients.institution_id is 'Institution that a psp or fxp client speaks for.';
comment on column clients.clearing_system_id is 'Payment system that an ipso client speaks for.';
comment on column clients.demo is 'Whether its secret is public knowledge; any but the embedded default refuses to start with one.';

create table settlement_accounts (
  owner_id text not null references institutions,
  sap_id text not null references institutions,
  country_code text not null references countries,
  currency_code text not null references currencies,
  account_id text not null,
  primary key (sap_id, account_id)
);
create unique index settlement_accounts_owner on settlement_accounts (owner_id, sap_id, currency_code);
comment on table settlement_accounts is 'Accounts at settlement access providers: of FX providers, and of PSPs that do their own FX (PAY-5).';
comment on column settlement_accounts.owner_id is 'Whose account it is.';
comment on column settlement_accounts.sap_id is 'The SAP that holds it.';
comment on column settlement_accounts.country_code is 'Country of the SAP.';
comment on column settlement_accounts.currency_code is 'Currency of the account.';
comment on column settlement_accounts.account_id is 'Account id at the SAP.';

create table fxp_settlement_access (
  fxp_id text not null references institutions,
  country_code text not null references countries,
  sap_id text not null references institutions,
  validated boolean not null,
  primary key (fxp_id, country_code)
);
comment on table fxp_settlement_access is 'The SAP that an FX provider nominated per country (FX-3).';
comment on column fxp_settlement_access.fxp_id is 'The FX provider.';
comment on column fxp_settlement_access.country_code is 'The country.';
comment on column fxp_settlement_access.sap_id is 'The nominated SAP.';
comment on column fxp_settlement_access.validated is 'Whether the scheme validated the nomination.';

create table fxp_corridors (
  fxp_id text not null references institutions,
  source_country text not null references countries,
  source_currency text not null references currencies,
  destination_country text not null references countries,
  destination_currency text not null references currencies,
  primary key (fxp_id, source_country, source_currency, destination_country, destination_currency)
);
comment on table fxp_corridors is 'Corridors that an FX provider is set up to rate (FX-3).';
comment on column fxp_corridors.fxp_id is 'The FX provider.';
comment on column fxp_corridors.source_country is 'Source country.';
comment on column fxp_corridors.source_currency is 'Source currency.';
comment on column fxp_corridors.destination_country is 'Destination country.';
comment on column fxp_corridors.destination_currency is 'Destination currency.';

create table scheme_fee_formulas (
  country_code text not null references countries,
  currency_code text not null references currencies,
  nominal_fee_amount numeric not null check (nominal_fee_amount >= 0),
  percentage_fee_as_ratio numeric not null check (percentage_fee_as_ratio >= 0),
  primary key (country_code, currency_code)
);
comment on table scheme_fee_formulas is 'Network scheme fee per source country and currency (FEE-1).';
comment on column scheme_fee_formulas.country_code is 'Source country.';
comment on column scheme_fee_formulas.currency_code is 'Source currency.';
comment on column scheme_fee_formulas.nominal_fee_amount is 'Fixed part, source currency, scale kept as given.';
comment on column scheme_fee_formulas.percentage_fee_as_ratio is 'Ratio of the source interbank settlement amount (0.001 is 0.1 %).';

create table creditor_agent_fee_formulas (
  country_code text not null references countries,
  currency_code text not null references currencies,
  nominal_fee_amount numeric not null check (nominal_fee_amount >= 0),
  percentage_fee numeric not null check (percentage_fee >= 0 and percentage_fee < 100),
  primary key (country_code, currency_code)
);
comment on table creditor_agent_fee_formulas is 'Creditor agent fee per destination country and currency (FEE-2).';
comment on column creditor_agent_fee_formulas.country_code is 'Destination country.';
comment on column creditor_agent_fee_formulas.currency_code is 'Destination currency.';
comment on column creditor_agent_fee_formulas.nominal_fee_amount is 'Fixed part, destination currency, scale kept as given.';
comment on column creditor_agent_fee_formulas.percentage_fee is 'Percent of the destination interbank settlement amount (0.1 is 0.1 %).';
`;

/** Tables whose changes every process must see within a second (REF-6): a statement trigger notifies. */
const cached = [
  'countries',
  'currencies',
  'operators',
  'operator_callback_origins',
  'clearing_systems',
  'country_clearing_systems',
  'address_types',
  'address_type_countries',
  'address_inputs',
  'address_type_inputs',
  'institutions',
  'institution_roles',
  'institution_identifiers',
  'institution_memberships',
  'fxp_endpoints',
  'settlement_accounts',
  'fxp_settlement_access',
  'fxp_corridors',
  'scheme_fee_formulas',
  'creditor_agent_fee_formulas',
];

const notifications = `
create function notify_reference_data() returns trigger language plpgsql as $$
begin
  perform pg_notify('reference_data', tg_table_name);
  return null;
end
$$;
comment on function notify_reference_data() is 'Tells every process that reference data changed (REF-6).';
${cached
  .map(
    (table) =>
      `create trigger ${table}_changed after insert or update or delete or truncate on ${table} for each statement execute function notify_reference_data();`,
  )
  .join('\n')}
`;

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const part of [referenceData, institutions, notifications]) {
    await sql.raw(part).execute(db);
  }
}
