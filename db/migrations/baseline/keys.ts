// Our own keys: those that sign, and those that seal.

export const keys = `
-- Public Ed25519 keys that sign our messages. All keys that are in force sign each attempt (CBK-2).
create table delivery_keys (
  key_id text primary key, -- Thumbprint of the public key (RFC 7638).
  public_key text not null unique, -- 32 bytes, base64url, as in x of a JWK (RFC 8037).
  signs_from timestamptz not null default clock_timestamp(), -- When it began to sign.
  signs_until timestamptz, -- When it stops signing; null: when another key follows.
  withdrawn_at timestamptz, -- When it was withdrawn, as after a leak: it is no longer published.
  made_by text not null, -- Client id of an operator, or isthmus.
  because text not null, -- Why it was made.
  vouched text, -- The public key encrypted by a key of SEALING_KEYS, as proof that a holder of those made it; null: no proof.
  vouched_by text, -- Id of that key of SEALING_KEYS.
  check (withdrawn_at is null or signs_until <= withdrawn_at),
  check ((vouched is null) = (vouched_by is null))
);

-- Private parts of delivery_keys. Only workers may read them.
create table delivery_key_secrets (
  key_id text primary key references delivery_keys, -- The key.
  private_key text not null, -- In base64url: the 32 bytes as in d of a JWK (RFC 8037), wrapped if wrapped_by is set.
  wrapped_by text -- Id of the key of SEALING_KEYS that wraps it; null: it is not wrapped.
);

-- Keys that seal message bodies and excerpts (SEC-3), one for each month. A key is deleted once no message body is sealed by it.
create table data_keys (
  key_id text primary key, -- Random id.
  month date not null, -- First day of the month (UTC) in which it seals.
  wrapped bytea not null, -- The key, encrypted with AES-256-GCM by the key in wrapped_by.
  wrapped_by text not null, -- Id of the key of SEALING_KEYS that wraps it.
  made_at timestamptz not null default clock_timestamp() -- When it was made.
);
create index data_keys_month on data_keys (month);

create function held_data_key(id text) returns text
  language plpgsql stable set search_path = public, pg_temp as $$
begin
  if id is not null then
    perform from data_keys where key_id = id;
    if not found then
      raise exception 'the data key % is not there (SEC-3)', id using errcode = 'IS001';
    end if;
  end if;
  return id;
end
$$;
comment on function held_data_key(text) is 'Returns the id of a data key for the statement that stores sealed data, or fails if the key was deleted.';
`;
