// Clients of the API, with their secrets and keys.

export const clients = `
-- OAuth 2.0 clients of the built-in issuer (SEC-1).
create table clients (
  client_id text primary key, -- client_id.
  role text not null check (role in ('psp', 'fxp', 'ipso', 'operator')), -- psp, fxp, ipso or operator.
  institution_id text references institutions, -- Institution that a psp or fxp client speaks for.
  clearing_system_id text references clearing_systems, -- Payment system that an ipso client speaks for.
  demo boolean not null, -- Whether its secret is publicly known; only the demo (AUTH=builtin with DEMO=1) starts with such a client.
  ended_at timestamptz, -- When it ended: only what refers to it already still uses it; null: in use.
  check ((role in ('psp', 'fxp')) = (institution_id is not null)),
  check ((role = 'ipso') = (clearing_system_id is not null))
);

-- Secrets of clients of the built-in issuer, as salted hashes (ADM-4).
create table client_secrets (
  client_id text not null references clients on delete cascade, -- The client.
  secret_id text not null, -- Id of the secret, for people.
  salt bytea not null, -- Random salt.
  digest bytea not null, -- Hash of the salt and the secret, by algorithm.
  ends_at timestamptz, -- When it expires; null: it is valid until an operator ends it.
  algorithm text not null check (algorithm in ('sha256', 'scrypt')), -- scrypt (N 16384, r 8, p 1); sha256: for demo secrets, which need no slow hash.
  tag bytea check (octet_length(tag) = 4), -- First bytes of a fast hash of the salt and the secret: most wrong secrets are refused without the slow hash. Null: the secret was not made by us and may have too little entropy for that, or is older than this column.
  primary key (client_id, secret_id)
);

-- Public keys that parties gave at onboarding.
create table public_keys (
  key_id text primary key, -- kid.
  operator_id text references operators, -- The operator whose key it is, or null.
  institution_id text references institutions, -- The institution whose key it is, or null.
  public_jwk jsonb not null, -- The key (RFC 7517).
  valid_from timestamptz not null, -- First moment of use.
  valid_until timestamptz, -- Last moment of use, or null.
  check (num_nonnulls(operator_id, institution_id) = 1)
);
create index public_keys_institution_id on public_keys (institution_id);
create index public_keys_operator_id on public_keys (operator_id);

-- Used assertions of clients, until they would have expired (RFC 7523): each may be used once.
create table used_assertions (
  client_id text not null, -- The client that used it.
  jti_sha256 bytea not null, -- SHA-256 of its jti.
  ends_at timestamptz not null, -- When it would have expired.
  primary key (client_id, jti_sha256)
);
create index used_assertions_ends_at on used_assertions (ends_at);

-- Signing keys of the built-in issuer (SEC-1); at most one signs. Empty if an external issuer is used.
create table issuer_keys (
  key_id text primary key, -- kid: the RFC 7638 thumbprint of the public key.
  private_jwk jsonb not null, -- JWK (RFC 7517) with its private part; or, if wrapped, a JSON string in base64url.
  created_at timestamptz not null default now(), -- When it was made.
  retired_at timestamptz, -- When it stopped signing, or null; tokens that it signed stay valid until they expire.
  wrapped_by text, -- Id of the key of SEALING_KEYS that wraps it; null: it is not wrapped.
  withdrawn_at timestamptz, -- When all tokens that it signed became invalid; null: they are valid until they expire.
  made_by text not null default 'isthmus', -- Client id of an operator, or isthmus.
  because text not null default 'on schedule' -- Why it was made, in words.
);
create unique index issuer_keys_active on issuer_keys ((true)) where retired_at is null;
`;
