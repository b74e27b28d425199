// Who may call, and by which keys and secrets.

export const clients = `
-- OAuth 2.0 clients of the built-in issuer (SEC-1).
create table clients (
  client_id text primary key, -- client_id.
  role text not null check (role in ('psp', 'fxp', 'ipso', 'operator')), -- psp, fxp, ipso or operator.
  institution_id text references institutions, -- Institution that a psp or fxp client speaks for.
  clearing_system_id text references clearing_systems, -- Payment system that an ipso client speaks for.
  demo boolean not null, -- Whether its secret is public knowledge; any but the embedded default refuses to start with one.
  ended_at timestamptz, -- It does not count from then on, but for what refers to it; null: it counts.
  check ((role in ('psp', 'fxp')) = (institution_id is not null)),
  check ((role = 'ipso') = (clearing_system_id is not null))
);

-- Secrets of clients of the built-in issuer: what is left of them (ADM-4).
create table client_secrets (
  client_id text not null references clients on delete cascade, -- The client.
  secret_id text not null, -- Which of its secrets, for people.
  salt bytea not null, -- Random.
  digest bytea not null, -- Of the salt and the secret, by algorithm.
  ends_at timestamptz, -- It does not count from then on; null: until it is ended.
  algorithm text not null check (algorithm in ('sha256', 'scrypt')), -- scrypt (N 16384, r 8, p 1); sha256: for demo secrets, which need no slow hash.
  tag bytea check (octet_length(tag) = 4), -- The first bytes of a quick digest of the salt and the secret, by which a wrong one is refused without the slow one; null: of a secret that was brought along, which may have too few bits for that, or of one from before there were tags.
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

-- Assertions of clients that have been used, until they would have ended (RFC 7523): none counts twice.
create table used_assertions (
  client_id text not null, -- Whose it was.
  jti_sha256 bytea not null, -- SHA-256 of its jti.
  ends_at timestamptz not null, -- From when on it would not count in any case.
  primary key (client_id, jti_sha256)
);
create index used_assertions_ends_at on used_assertions (ends_at);

-- Signing keys of the built-in issuer (SEC-1); at most one signs. Empty where an external issuer is used.
create table issuer_keys (
  key_id text primary key, -- kid: the RFC 7638 thumbprint of the public key.
  private_jwk jsonb not null, -- RFC 7517, private part included; or a JSON string, base64url, of what it is wrapped as.
  created_at timestamptz not null default now(), -- When it was made.
  retired_at timestamptz, -- When it stopped to sign, or null; what it has signed counts until it ends.
  wrapped_by text, -- Id of a key of SEALING_KEYS; null: it is not wrapped.
  withdrawn_at timestamptz, -- From when on nothing that it has signed counts; null: what has not ended counts.
  made_by text not null default 'isthmus', -- Client id of an operator, or isthmus.
  because text not null default 'on schedule' -- Why it was made.
);
create unique index issuer_keys_active on issuer_keys ((true)) where retired_at is null;
`;
