// Daily books, and the owners of the accounts that they are about.

export const books = `
-- Where the camt.054 of each day is sent (REC-2).
create table book_endpoints (
  party_id text primary key, -- The payment system; or the internalId of an institution, for each account that it has at a settlement access provider.
  url text not null, -- Full address.
  registered_at timestamptz not null default now() -- When it was registered; the first book is that of the day before.
);

-- Removed book addresses. If an address is entered again within a day, its books continue without a gap (REC-2). Filled by a trigger.
create table former_book_endpoints (
  party_id text primary key, -- The payment system or institution.
  registered_at timestamptz not null, -- When the address was first registered.
  removed_at timestamptz not null -- When it was last removed.
);

create function note_former_book_endpoint() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into former_book_endpoints (party_id, registered_at, removed_at) values (old.party_id, old.registered_at, now())
  on conflict (party_id) do update set registered_at = excluded.registered_at, removed_at = excluded.removed_at;
  return null;
end $$;
comment on function note_former_book_endpoint() is 'Remembers since when a removed book address was registered.';
create trigger book_endpoints_removed after delete on book_endpoints for each row
  execute function note_former_book_endpoint();

create function resume_book_endpoint() returns trigger
  language plpgsql set search_path = public, pg_temp as $$
begin
  new.registered_at := least(new.registered_at, (select f.registered_at from former_book_endpoints f
    where f.party_id = new.party_id and f.removed_at > now() - interval '1 day'));
  return new;
end $$;
comment on function resume_book_endpoint() is 'Continues the books of an address that is entered again within a day, so that no day is left out (REC-2).';
create trigger book_endpoints_entered before insert on book_endpoints for each row
  execute function resume_book_endpoint();

-- Former owners of accounts at settlement access providers: only they may see the books of those days (REC-1). Filled by a trigger.
create table former_account_owners (
  former_account_owner_id bigint primary key generated always as identity, -- Our id; ascending in the order of the changes.
  sap_id text not null, -- The SAP that holds the account.
  account_id text not null, -- Account id at the SAP.
  owner_id text not null, -- The former owner.
  owned_until timestamptz not null, -- End (UTC) of the day on which the owner gave up the account: the book of a day has one owner.
  currency_code text not null, -- Currency of the account.
  registered_at timestamptz not null -- When the account was registered; its first book is that of the day before.
);
create index former_account_owners_account on former_account_owners (sap_id, account_id);

create function note_former_owner() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into former_account_owners (sap_id, account_id, owner_id, currency_code, registered_at, owned_until)
  values (old.sap_id, old.account_id, old.owner_id, old.currency_code, old.registered_at,
    (date_trunc('day', greatest(now(), (select until from books_closed)) at time zone 'UTC')
      + interval '1 day') at time zone 'UTC');
  return null;
end $$;
comment on function note_former_owner() is 'Records the former owner when an account gets another owner, using the time that decisions get (REC-2).';
create trigger settlement_accounts_passed after update on settlement_accounts for each row
  when (old.owner_id <> new.owner_id or old.sap_id <> new.sap_id or old.account_id <> new.account_id) execute function note_former_owner();
create trigger settlement_accounts_removed after delete on settlement_accounts for each row
  execute function note_former_owner();

create function begin_account() returns trigger
  language plpgsql set search_path = public, pg_temp as $$
begin
  new.registered_at := now();
  return new;
end $$;
comment on function begin_account() is 'Restarts an account whose id changes: its books do not go back before that time (REC-2).';
create trigger settlement_accounts_renamed before update on settlement_accounts for each row
  when (old.sap_id <> new.sap_id or old.account_id <> new.account_id) execute function begin_account();

-- Each page of a camt.054 that is sent, once per book and period (REC-2). Rows are inserted and never changed.
create table book_pages (
  book_page_id uuid primary key, -- Our id: the subject_id of its message and its delivery.
  book text not null, -- The payment system; or the internalId of a settlement access provider, a space, and the account id there.
  party text not null, -- The receiver: a payment system, or the BIC of an institution.
  period_from timestamptz not null, -- Beginning of the period, inclusive.
  period_to timestamptz not null, -- End of the period, exclusive.
  page integer not null check (page > 0), -- From 1.
  pages integer not null, -- Number of pages of the notification.
  message_id uuid not null, -- The camt.054.
  created_at timestamptz not null default clock_timestamp(), -- When it was made.
  unique (book, period_from, period_to, page),
  check (pages >= page)
);
create index book_pages_period on book_pages (period_from, period_to);

-- One row: the end of the latest period that was read or sent as closed (REC-2).
create table books_closed (
  is_only boolean primary key default true check (is_only), -- Ensures that there is only one row.
  until timestamptz not null -- Later decisions get this time or a later one.
);
insert into books_closed (until) values (now() - interval '1 minute');
`;
