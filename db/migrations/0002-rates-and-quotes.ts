// Rates, improvements, idempotency keys and quotes.
// Forward only: a released migration is never edited; what it got wrong, a later one mends.
import { sql, type Kysely } from 'kysely';

const rates = `
create table tier_improvements (
  tier_improvement_id bigint generated always as identity primary key,
  fxp_id text not null references institutions,
  unit_currency text not null references currencies,
  threshold numeric not null check (threshold > 0),
  improvement_basis_points numeric not null check (improvement_basis_points between 0 and 10000),
  updated_at timestamptz not null default now(),
  unique (fxp_id, unit_currency, threshold)
);
comment on table tier_improvements is 'Improvements of an FX provider by source amount (FX-6).';
comment on column tier_improvements.tier_improvement_id is 'Our id.';
comment on column tier_improvements.fxp_id is 'The FX provider.';
comment on column tier_improvements.unit_currency is 'Source currency.';
comment on column tier_improvements.threshold is 'Smallest source amount, inclusive, source currency.';
comment on column tier_improvements.improvement_basis_points is 'Basis points on the base rate.';
comment on column tier_improvements.updated_at is 'Last registration.';

create table psp_improvements (
  psp_improvement_id bigint generated always as identity primary key,
  fxp_id text not null references institutions,
  psp_id text not null references institutions,
  improvement_basis_points numeric not null check (improvement_basis_points between 0 and 10000),
  updated_at timestamptz not null default now(),
  unique (fxp_id, psp_id)
);
comment on table psp_improvements is 'Improvements of an FX provider for a PSP, in every corridor (FX-7).';
comment on column psp_improvements.psp_improvement_id is 'Our id.';
comment on column psp_improvements.fxp_id is 'The FX provider.';
comment on column psp_improvements.psp_id is 'The PSP.';
comment on column psp_improvements.improvement_basis_points is 'Basis points on any rate of that FX provider for that PSP.';
comment on column psp_improvements.updated_at is 'Last registration.';

create trigger psp_improvements_changed after insert or update or delete or truncate on psp_improvements
  for each statement execute function notify_reference_data();

create table rates (
  rate_id uuid primary key default gen_random_uuid(),
  fxp_id text not null references institutions,
  source_country text not null references countries,
  source_currency text not null references currencies,
  destination_country text not null references countries,
  destination_currency text not null references currencies,
  exchange_rate numeric not null check (exchange_rate > 0),
  threshold numeric not null check (threshold >= 0),
  tier_improvement_id bigint references tier_improvements,
  created_at timestamptz not null default now(),
  expired_at timestamptz,
  check (source_currency <> destination_currency),
  check ((threshold = 0) = (tier_improvement_id is null))
);
create unique index rates_active on rates
  (source_country, source_currency, destination_country, destination_currency, fxp_id, threshold)
  include (rate_id, exchange_rate, tier_improvement_id, created_at)
  where expired_at is null;
create index rates_active_by_fxp on rates (fxp_id, source_currency) where expired_at is null;
comment on table rates is 'Rates of FX providers, base and per tier (FX-4). Rows are never deleted; the active ones have no expired_at.';
comment on column rates.rate_id is 'Our id.';
comment on column rates.fxp_id is 'The FX provider.';
comment on column rates.source_country is 'Source country.';
comment on column rates.source_currency is 'Source currency.';
comment on column rates.destination_country is 'Destination country.';
comment on column rates.destination_currency is 'Destination currency.';
comment on column rates.exchange_rate is 'Destination units per source unit, tier improvement included (FX-8).';
comment on column rates.threshold is 'Smallest source amount, inclusive; 0 for the base rate.';
comment on column rates.tier_improvement_id is 'The tier that made it, or null for the base rate.';
comment on column rates.created_at is 'When it took effect.';
comment on column rates.expired_at is 'When it was replaced, or null while active.';

create table idempotency_keys (
  client_id text not null,
  idempotency_key text not null,
  request_sha256 bytea not null,
  response_status smallint,
  response_body text,
  created_at timestamptz not null default now(),
  primary key (client_id, idempotency_key)
);
comment on table idempotency_keys is 'Answers to posts under an Idempotency-Key, kept 24 hours (FX-10).';
comment on column idempotency_keys.client_id is 'Who posted.';
comment on column idempotency_keys.idempotency_key is 'The header''s value.';
comment on column idempotency_keys.request_sha256 is 'SHA-256 of method, path and body.';
comment on column idempotency_keys.response_status is 'HTTP status of the answer; null while the first request runs.';
comment on column idempotency_keys.response_body is 'JSON text of the answer; null while the first request runs.';
comment on column idempotency_keys.created_at is 'When the first request came.';

create table quote_requests (
  quote_request_id uuid not null,
  issued_at timestamptz not null,
  psp_id text not null,
  source_country text not null,
  source_currency text not null,
  destination_country text not null,
  destination_currency text not null,
  amount_currency text not null,
  amount numeric not null,
  fxp_ids text[] not null,
  rate_ids uuid[] not null,
  tier_improvement_ids bigint[] not null,
  psp_improvement_ids bigint[] not null,
  exchange_rates numeric[] not null,
  source_amounts numeric[] not null,
  source_capped boolean[] not null,
  destination_amounts numeric[] not null,
  destination_capped boolean[] not null,
  scheme_fees numeric[] not null,
  creditor_agent_fees numeric[] not null,
  source_sap_ids text[] not null,
  source_account_ids text[] not null,
  destination_sap_ids text[] not null,
  destination_account_ids text[] not null,
  primary key (quote_request_id, issued_at)
) partition by range (issued_at);
comment on table quote_requests is 'Quotes, one row per request, partitioned by UTC day (QUO-7, QUO-10). Arrays hold one entry per quote, best first; quote k has the request''s id with k as its last byte.';
comment on column quote_requests.quote_request_id is 'UUID v4 whose last byte is 00.';
comment on column quote_requests.issued_at is 'issuedDateTime of every quote of the request, database clock (QUO-6).';
comment on column quote_requests.psp_id is 'Requesting PSP.';
comment on column quote_requests.source_country is 'Source country.';
comment on column quote_requests.source_currency is 'Source currency.';
comment on column quote_requests.destination_country is 'Destination country.';
comment on column quote_requests.destination_currency is 'Destination currency.';
comment on column quote_requests.amount_currency is 'Currency of the amount asked for.';
comment on column quote_requests.amount is 'Amount asked for, in amount_currency.';
comment on column quote_requests.fxp_ids is 'FX provider of each quote.';
comment on column quote_requests.rate_ids is 'Rate of each quote.';
comment on column quote_requests.tier_improvement_ids is 'Tier of each quote, or null.';
comment on column quote_requests.psp_improvement_ids is 'PSP improvement of each quote, or null.';
comment on column quote_requests.exchange_rates is 'Rate of each quote after all improvements, destination units per source unit.';
comment on column quote_requests.source_amounts is 'Source interbank settlement amount of each quote, source currency.';
comment on column quote_requests.source_capped is 'Whether the source maximum was exceeded by what was asked (QUO-4).';
comment on column quote_requests.destination_amounts is 'Destination interbank settlement amount of each quote, destination currency.';
comment on column quote_requests.destination_capped is 'Whether the destination maximum was exceeded by what was asked (QUO-4).';
comment on column quote_requests.scheme_fees is 'Network scheme fee of each quote, source currency (FEE-1); null from endpoint 12b, which knows no fees.';
comment on column quote_requests.creditor_agent_fees is 'Creditor agent fee of each quote, destination currency (FEE-2).';
comment on column quote_requests.source_sap_ids is 'Source-side SAP of each quote (intermediary agent 1).';
comment on column quote_requests.source_account_ids is 'The FX provider''s account there.';
comment on column quote_requests.destination_sap_ids is 'Destination-side SAP of each quote (intermediary agent 2).';
comment on column quote_requests.destination_account_ids is 'The FX provider''s account there.';
create table quote_requests_default partition of quote_requests default;
comment on table quote_requests_default is 'Catches a day whose partition was not made in time; empty in good order.';

create table quote_uses (
  quote_id uuid primary key,
  uetr uuid not null unique
);
comment on table quote_uses is 'The one payment that holds a quote; given back when it is rejected (QUO-8).';
comment on column quote_uses.quote_id is 'The quote.';
comment on column quote_uses.uetr is 'The payment.';
`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(rates).execute(db);
}
