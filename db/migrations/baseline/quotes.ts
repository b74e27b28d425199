// Rates of FX providers, and the quotes made from them.

export const quotes = `
-- Improvements of an FX provider by source amount (FX-6).
create table tier_improvements (
  tier_improvement_id bigint primary key generated always as identity, -- Our id.
  fxp_id text not null references institutions, -- The FX provider.
  unit_currency text not null references currencies, -- Source currency.
  threshold numeric not null check (threshold > 0), -- Smallest source amount, inclusive, source currency.
  improvement_basis_points numeric not null check (improvement_basis_points between 0 and 10000), -- Basis points on the base rate.
  updated_at timestamptz not null default now(), -- Last registration.
  unique (fxp_id, unit_currency, threshold)
);

-- Improvements of an FX provider for a PSP, in every corridor (FX-7).
create table psp_improvements (
  psp_improvement_id bigint primary key generated always as identity, -- Our id.
  fxp_id text not null references institutions, -- The FX provider.
  psp_id text not null references institutions, -- The PSP.
  improvement_basis_points numeric not null check (improvement_basis_points between 0 and 10000), -- Basis points on any rate of that FX provider for that PSP.
  updated_at timestamptz not null default now(), -- Last registration.
  unique (fxp_id, psp_id)
);

-- Rates of FX providers, base and per tier (FX-4). Rows are never deleted; the active ones have no expired_at.
create table rates (
  rate_id uuid primary key default gen_random_uuid(), -- Our id.
  fxp_id text not null references institutions, -- The FX provider.
  source_country text not null references countries, -- Source country.
  source_currency text not null references currencies, -- Source currency.
  destination_country text not null references countries, -- Destination country.
  destination_currency text not null references currencies, -- Destination currency.
  exchange_rate numeric not null check (exchange_rate > 0), -- Destination units per source unit, tier improvement included.
  threshold numeric not null check (threshold >= 0), -- Smallest source amount, inclusive; 0 for the base rate.
  tier_improvement_id bigint references tier_improvements, -- The tier that made it, or null for the base rate.
  created_at timestamptz not null default now(), -- When it took effect.
  expired_at timestamptz, -- When it was replaced, or null while active.
  check (source_currency <> destination_currency),
  check ((threshold = 0) = (tier_improvement_id is null))
);
create unique index rates_active on rates (source_country, source_currency, destination_country, destination_currency, fxp_id, threshold) include (rate_id, exchange_rate, tier_improvement_id, created_at) where expired_at is null;
create index rates_active_by_fxp on rates (fxp_id, source_currency) where expired_at is null;

-- Quotes, one row per request, partitioned by UTC day (QUO-7, QUO-10). Arrays hold one entry per quote, best first; quote k has the request's id with k as its last byte.
create table quote_requests (
  quote_request_id uuid not null, -- UUID v4 whose last byte is 00.
  issued_at timestamptz not null, -- issuedDateTime of every quote of the request, database clock.
  psp_id text not null, -- Requesting PSP.
  source_country text not null, -- Source country.
  source_currency text not null, -- Source currency.
  destination_country text not null, -- Destination country.
  destination_currency text not null, -- Destination currency.
  amount_currency text not null, -- Currency of the requested amount.
  amount numeric not null, -- Requested amount, in amount_currency.
  fxp_ids text[] not null, -- FX provider of each quote.
  rate_ids uuid[] not null, -- Rate of each quote.
  tier_improvement_ids bigint[] not null, -- Tier of each quote, or null.
  psp_improvement_ids bigint[] not null, -- PSP improvement of each quote, or null.
  exchange_rates numeric[] not null, -- Rate of each quote after all improvements, destination units per source unit.
  source_amounts numeric[] not null, -- Source interbank settlement amount of each quote, source currency.
  source_capped boolean[] not null, -- Whether the request exceeded the source maximum.
  destination_amounts numeric[] not null, -- Destination interbank settlement amount of each quote, destination currency.
  destination_capped boolean[] not null, -- Whether the request exceeded the destination maximum.
  scheme_fees numeric[] not null, -- Network scheme fee of each quote, source currency; stored also for endpoint 12b, which does not show it.
  creditor_agent_fees numeric[] not null, -- Creditor agent fee of each quote, destination currency.
  source_sap_ids text[] not null, -- Source-side SAP of each quote (intermediary agent 1).
  source_account_ids text[] not null, -- The FX provider's account at that SAP.
  destination_sap_ids text[] not null, -- Destination-side SAP of each quote (intermediary agent 2).
  destination_account_ids text[] not null, -- The FX provider's account at that SAP.
  primary key (quote_request_id, issued_at)
) partition by range (issued_at);
create table quote_requests_default partition of quote_requests default;
comment on table quote_requests_default is 'Takes the rows of a day whose partition was not made in time; normally empty.';

-- The one payment that holds a quote; deleted when the payment is rejected (QUO-8).
create table quote_uses (
  quote_id uuid primary key, -- The quote.
  uetr uuid not null unique -- The payment.
);

-- Answers to POST requests with an Idempotency-Key, kept 24 hours (FX-10).
create table idempotency_keys (
  client_id text not null, -- Client id.
  idempotency_key text not null, -- The header's value.
  request_sha256 bytea not null, -- SHA-256 of method, path and body.
  response_status smallint, -- HTTP status of the answer; null while the first request runs.
  response_body text, -- JSON text of the answer; null while the first request runs.
  created_at timestamptz not null default now(), -- When the first request came.
  primary key (client_id, idempotency_key)
);
create index idempotency_keys_created on idempotency_keys (created_at);
`;
