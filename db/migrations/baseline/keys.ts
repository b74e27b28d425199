// Keys of ours: those that sign, and those that seal.

export const keys = `
-- Public ed25519 keys of what we send; each attempt is signed by all that sign then (CBK-2).
create table delivery_keys (
  key_id text primary key, -- Thumbprint of the public key (RFC 7638).
  public_key text not null unique, -- 32 bytes, base64url, as in x of a JWK (RFC 8037).
  signs_from timestamptz not null default clock_timestamp(), -- From when on it signs.
  signs_until timestamptz, -- Until when it signs; null: until another key follows.
  withdrawn_at timestamptz, -- When it was given away: it is no longer published.
  made_by text not null, -- Client id of an operator, or isthmus.
  because text not null, -- Why it was made.
  vouched text, -- The public key, encrypted by a key of SEALING_KEYS: whoever has those made it; null: nobody vouches for it.
  vouched_by text, -- By which.
  check (withdrawn_at is null or signs_until <= withdrawn_at),
  check ((vouched is null) = (vouched_by is null))
);

-- Private parts of delivery_keys: workers read them, nobody else.
create table delivery_key_secrets (
  key_id text primary key references delivery_keys, -- The key.
  private_key text not null, -- In base64url: the 32 bytes as in d of a JWK (RFC 8037), or what they are wrapped as.
  wrapped_by text -- Id of a key of SEALING_KEYS; null: it is not wrapped.
);

-- Keys under which bytes of messages and excerpts are sealed (SEC-3), one for each month. With the last bytes that it sealed a key is deleted.
create table data_keys (
  key_id text primary key, -- Drawn at random.
  month date not null, -- First day of the month (UTC) in which it seals.
  wrapped bytea not null, -- The key: AES-256-GCM under that of wrapped_by.
  wrapped_by text not null, -- Id of a key of SEALING_KEYS.
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
comment on function held_data_key(text) is 'For the statement that stores what is sealed: the id of the data key, and an error where that is not there.';
`;
