// Countries, currencies, payment systems, institutions and their settings.

export const referenceData = `
-- Countries whose payment systems are linked (endpoints 1 and 2).
create table countries (
  country_code text primary key check (country_code ~ '^[A-Z]{2}$'), -- ISO 3166 alpha-2 code.
  country_id integer not null unique check (country_id between 1 and 999), -- ISO 3166 numeric code.
  name text not null, -- English short name.
  required_pacs008_elements text[] not null, -- Elements that a pacs.008 to this country must contain: purposeCode, categoryPurposeCode.
  ended_at timestamptz -- When it ended: only what refers to it already still uses it; null: in use.
);

-- Currencies of the linked payment systems (endpoints 4 and 5).
create table currencies (
  currency_code text primary key check (currency_code ~ '^[A-Z]{3}$'), -- ISO 4217 alphabetic code.
  currency_id integer not null unique check (currency_id between 1 and 999), -- ISO 4217 numeric code.
  name text not null, -- English name.
  symbol text not null, -- Symbol for display.
  decimal_places smallint not null check (decimal_places between 0 and 5), -- Decimals of an amount: scheme data, not ISO 4217 data.
  ended_at timestamptz -- When it ended: only what refers to it already still uses it; null: in use.
);

-- Instant payment system operators (IPSOs).
create table operators (
  operator_id text primary key, -- Our id of the operator.
  name text not null, -- Name for people.
  endpoint_url text not null, -- Base address; /iso20022/pacs008, /iso20022/pacs002 and /iso20022/acmt023 are appended.
  ended_at timestamptz, -- When it ended: only what refers to it already still uses it; null: in use.
  signs_messages boolean not null default false -- Whether its messages need a signature by one of its keys, and ours to it carry one (RFC 9421).
);

-- Origins (scheme, host, port, path prefix) at which an operator may ask for callbacks (SEC-2).
create table operator_callback_origins (
  operator_id text not null references operators, -- The operator that registered it.
  origin text not null, -- https://host[:port][/path]; port * means any port.
  primary key (operator_id, origin)
);

-- Instant payment systems (IPS), each with one currency.
create table clearing_systems (
  clearing_system_id text primary key, -- Id of the payment system (UPS id), as in ClrSys and ClrSysMmbId.
  operator_id text not null references operators, -- The operator that runs it.
  currency_code text not null references currencies, -- Its settlement currency.
  max_amount numeric not null check (max_amount > 0), -- Largest payment, in its currency, scale kept as given.
  max_execution_seconds integer not null check (max_execution_seconds > 0), -- Seconds from AccptncDtTm within which a HIGH payment to it must be final.
  max_acceptance_age_seconds integer not null default 120 check (max_acceptance_age_seconds > 0), -- Seconds after AccptncDtTm that a first submission from it is still accepted.
  max_resolution_seconds integer not null default 8 check (max_resolution_seconds > 0), -- Seconds within which its acmt.023 must be answered. It depends on the source only, because a person waits at a screen there.
  ended_at timestamptz -- When it ended: only what refers to it already still uses it; null: in use.
);

-- Which payment systems serve which country; one system may serve several.
create table country_clearing_systems (
  country_code text not null references countries, -- The country.
  clearing_system_id text not null references clearing_systems, -- The payment system.
  primary key (country_code, clearing_system_id)
);

-- Financial institutions: PSPs, FXPs and SAPs.
create table institutions (
  institution_id text primary key, -- internalId, the service's own id.
  name text not null, -- Name.
  country_code text not null references countries, -- Country of establishment.
  onboarded boolean not null, -- Whether it can take part in payments; others are listed only.
  supports_acmt023 boolean not null, -- Whether it answers account resolution requests.
  ended_at timestamptz -- When it ended: only what refers to it already still uses it; null: in use.
);

-- BICs, LEIs and other ids of institutions.
create table institution_identifiers (
  identifier_type text not null check (identifier_type in ('BICFI', 'LEI', 'otherId')), -- BICFI, LEI or otherId.
  lookup_value text not null, -- The value in the form used for lookups: a BIC11 ending in XXX as its BIC8.
  value text not null, -- The value as given.
  "position" smallint not null, -- Order among the same type, from 1; the first BICFI is the one we write.
  institution_id text not null references institutions, -- The institution.
  primary key (identifier_type, lookup_value)
);
create index institution_identifiers_institution on institution_identifiers (institution_id);

-- Which institution is a member of which payment system.
create table institution_memberships (
  institution_id text not null references institutions, -- The institution.
  clearing_system_id text not null references clearing_systems, -- The payment system.
  member_id text not null, -- Its member id there (ClrSysMmbId/MmbId).
  primary key (institution_id, clearing_system_id),
  unique (clearing_system_id, member_id)
);

-- Roles of institutions.
create table institution_roles (
  institution_id text not null references institutions, -- The institution.
  role text not null check (role in ('psp', 'fxp', 'sap')), -- psp, fxp or sap.
  primary key (institution_id, role)
);

-- Input fields of address forms (endpoints 6 and 8).
create table address_inputs (
  address_input_id text primary key, -- Id of the input.
  label jsonb, -- addressTypeCode and title per language; null for hidden inputs.
  attributes jsonb not null, -- name, type, pattern, placeholder, required, value.
  iso20022_xpath jsonb not null -- acmt023 and pacs008: XPath of the element that takes the value, or null.
);

-- Kinds of recipient address (endpoints 6 and 7).
create table address_types (
  address_type_id text primary key, -- Id of the address type.
  address_type_code text not null, -- ACCT, IBAN, MBNO, EMAL.
  clearing_system_id text references clearing_systems, -- Payment system of an account-type address.
  proxy_directory_id text, -- Proxy directory of a proxy-type address.
  display_order integer not null -- Ordering hint for forms.
);

-- Countries in which an address type can be used.
create table address_type_countries (
  address_type_id text not null references address_types, -- The address type.
  country_code text not null references countries, -- The country.
  primary key (address_type_id, country_code)
);

-- The inputs of each address type, in order; inputs may be shared.
create table address_type_inputs (
  address_type_id text not null references address_types, -- The address type.
  "position" smallint not null, -- Order, from 1.
  address_input_id text not null references address_inputs, -- The input.
  primary key (address_type_id, "position")
);

-- Network scheme fee per source country and currency (FEE-1).
create table scheme_fee_formulas (
  country_code text not null references countries, -- Source country.
  currency_code text not null references currencies, -- Source currency.
  nominal_fee_amount numeric not null check (nominal_fee_amount >= 0), -- Fixed part, source currency, scale kept as given.
  percentage_fee_as_ratio numeric not null check (percentage_fee_as_ratio >= 0), -- Ratio of the source interbank settlement amount (0.001 is 0.1 %).
  primary key (country_code, currency_code)
);

-- Creditor agent fee per destination country and currency (FEE-2).
create table creditor_agent_fee_formulas (
  country_code text not null references countries, -- Destination country.
  currency_code text not null references currencies, -- Destination currency.
  nominal_fee_amount numeric not null check (nominal_fee_amount >= 0), -- Fixed part, destination currency, scale kept as given.
  percentage_fee numeric not null check (percentage_fee >= 0 and percentage_fee < 100), -- Percent of the destination interbank settlement amount (0.1 is 0.1 %).
  primary key (country_code, currency_code)
);

-- Accounts at settlement access providers: of FX providers, and of PSPs that do their own FX (PAY-5).
create table settlement_accounts (
  owner_id text not null references institutions, -- The owner of the account.
  sap_id text not null references institutions, -- The SAP that holds it.
  country_code text not null references countries, -- Country of the SAP.
  currency_code text not null references currencies, -- Currency of the account.
  account_id text not null, -- Account id at the SAP.
  registered_at timestamptz not null default now(), -- When it was registered; its first book is that of the day before.
  primary key (sap_id, account_id)
);
create unique index settlement_accounts_owner on settlement_accounts (owner_id, sap_id, currency_code);

-- Corridors that an FX provider is set up to rate (FX-3).
create table fxp_corridors (
  fxp_id text not null references institutions, -- The FX provider.
  source_country text not null references countries, -- Source country.
  source_currency text not null references currencies, -- Source currency.
  destination_country text not null references countries, -- Destination country.
  destination_currency text not null references currencies, -- Destination currency.
  primary key (fxp_id, source_country, source_currency, destination_country, destination_currency)
);

-- The SAP that an FX provider nominated per country (FX-3).
create table fxp_settlement_access (
  fxp_id text not null references institutions, -- The FX provider.
  country_code text not null references countries, -- The country.
  sap_id text not null references institutions, -- The nominated SAP.
  validated boolean not null, -- Whether the scheme validated the nomination.
  primary key (fxp_id, country_code)
);

-- The address to which the fxtr.017 of an FX provider are sent (NOT-1).
create table fxp_endpoints (
  fxp_id text primary key references institutions, -- The FX provider.
  notification_url text not null -- Full address.
);

-- Pauses. While one is in force, a payment system gets no new payments, or the quotes of an FX provider are left out (LIF-5).
create table pauses (
  pause_id uuid primary key, -- Our id.
  party_id text not null, -- The payment system, or the internalId of the FX provider.
  paused_by text not null, -- Client id of the operator.
  paused_at timestamptz not null default clock_timestamp(), -- When it was paused.
  paused_because text not null check (char_length(paused_because) between 1 and 2000), -- Why it was paused, in the words of the operator.
  resumed_by text, -- Client id of the operator; null: the pause is in force.
  resumed_at timestamptz, -- When it was resumed.
  resumed_because text check (char_length(resumed_because) between 1 and 2000), -- Why it was resumed, in the words of the operator.
  check (num_nonnulls(resumed_by, resumed_at, resumed_because) in (0, 3))
);
create unique index pauses_standing on pauses (party_id) where resumed_at is null;
`;
