// What is needed of an account whose row is gone, or has another id: its currency, and since when it was whose, so that the
// days until then have their book (REC-1); and since when an address for books was there, should it be entered anew
// (REC-2). Forward only: a released migration is never edited; what it got wrong, a later one mends.
import { sql, type Kysely } from 'kysely';

/** Of accounts that are gone already, as far as it is known: by what moved on them, or by the SAP's payment system. */
const owners = `
alter table former_account_owners add column currency_code text;
alter table former_account_owners add column registered_at timestamptz;
comment on column former_account_owners.currency_code is 'Currency of the account.';
comment on column former_account_owners.registered_at is 'Since when the account was there; its first book is that of the day before (REC-2).';
update former_account_owners f set currency_code = a.currency_code, registered_at = a.registered_at
from settlement_accounts a where a.sap_id = f.sap_id and a.account_id = f.account_id;
update former_account_owners f set registered_at = f.owned_until - interval '1 day', currency_code = coalesce(
  (select p.source_currency from payments p
    where p.source_sap_id = f.sap_id and p.source_account_id = f.account_id and p.source_currency is not null limit 1),
  (select p.destination_currency from payments p
    where p.destination_sap_id = f.sap_id and p.destination_account_id = f.account_id
      and p.destination_currency is not null limit 1),
  (select s.currency_code from institution_memberships m join clearing_systems s using (clearing_system_id)
    where m.institution_id = f.sap_id order by s.clearing_system_id limit 1),
  'XXX')
where f.currency_code is null;
alter table former_account_owners alter column currency_code set not null;
alter table former_account_owners alter column registered_at set not null;

create or replace function note_former_owner() returns trigger language plpgsql as $$
begin
  insert into former_account_owners (sap_id, account_id, owner_id, currency_code, registered_at, owned_until)
  values (old.sap_id, old.account_id, old.owner_id, old.currency_code, old.registered_at,
    (date_trunc('day', greatest(now(), (select until from books_closed)) at time zone 'UTC')
      + interval '1 day') at time zone 'UTC');
  return null;
end $$;

create function begin_account() returns trigger language plpgsql as $$
begin
  new.registered_at := now();
  return new;
end $$;
comment on function begin_account() is 'An account that gets another id begins: its books do not go back before that (REC-2).';
create trigger settlement_accounts_renamed before update on settlement_accounts
for each row when (old.sap_id <> new.sap_id or old.account_id <> new.account_id)
execute function begin_account();`;

const endpoints = `
create table former_book_endpoints (
  party_id text primary key,
  registered_at timestamptz not null,
  removed_at timestamptz not null
);
comment on table former_book_endpoints is 'Addresses for books that were removed: what is entered anew within a day goes on as before (REC-2). Filled by a trigger.';
comment on column former_book_endpoints.party_id is 'Whose.';
comment on column former_book_endpoints.registered_at is 'Since when it was there.';
comment on column former_book_endpoints.removed_at is 'When it was removed last.';

create function note_former_book_endpoint() returns trigger language plpgsql as $$
begin
  insert into former_book_endpoints (party_id, registered_at, removed_at) values (old.party_id, old.registered_at, now())
  on conflict (party_id) do update set registered_at = excluded.registered_at, removed_at = excluded.removed_at;
  return null;
end $$;
comment on function note_former_book_endpoint() is 'Keeps since when an address for books was there that is removed.';
create trigger book_endpoints_removed after delete on book_endpoints
for each row execute function note_former_book_endpoint();

create function resume_book_endpoint() returns trigger language plpgsql as $$
begin
  new.registered_at := least(new.registered_at, (select f.registered_at from former_book_endpoints f
    where f.party_id = new.party_id and f.removed_at > now() - interval '1 day'));
  return new;
end $$;
comment on function resume_book_endpoint() is 'An address for books that is entered anew within a day goes on as before: no day is left out (REC-2).';
create trigger book_endpoints_entered before insert on book_endpoints
for each row execute function resume_book_endpoint();`;

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statements of [owners, endpoints]) await sql.raw(statements).execute(db);
}
