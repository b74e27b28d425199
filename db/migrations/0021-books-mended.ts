// What a closed book is made of, so that nothing that is written later changes it: whether the destination may have seen a
// payment, as was known when it was decided; and whose an account was before (REC-1, REC-2, SEC-1). Forward only: a
// released migration is never edited; what it got wrong, a later one mends.
import { sql, type Kysely } from 'kysely';

/** Null in what earlier releases have written, and write until they are replaced. */
const seen = `
alter table decisions add column perhaps_seen boolean;
comment on column decisions.perhaps_seen is 'Whether its destination may have seen the payment, as was known at the decision: then it is in that book too, rejected or not (REC-2). Null: written by a release before this column.';`;

const owners = `
create table former_account_owners (
  former_account_owner_id bigint generated always as identity primary key,
  sap_id text not null,
  account_id text not null,
  owner_id text not null,
  owned_until timestamptz not null
);
create index former_account_owners_account on former_account_owners (sap_id, account_id);
comment on table former_account_owners is 'Who had an account at a settlement access provider before: the books of those days are theirs, and nobody else''s (REC-1). Filled by a trigger.';
comment on column former_account_owners.former_account_owner_id is 'Our id; in the order of the changes.';
comment on column former_account_owners.sap_id is 'The SAP that holds the account.';
comment on column former_account_owners.account_id is 'Account id at the SAP.';
comment on column former_account_owners.owner_id is 'Whose it was.';
comment on column former_account_owners.owned_until is 'The end (UTC) of the day on which it was given up: a book of a day has one owner.';

create function note_former_owner() returns trigger language plpgsql as $$
begin
  insert into former_account_owners (sap_id, account_id, owner_id, owned_until)
  values (old.sap_id, old.account_id, old.owner_id,
    (date_trunc('day', greatest(now(), (select until from books_closed)) at time zone 'UTC')
      + interval '1 day') at time zone 'UTC');
  return null;
end $$;
comment on function note_former_owner() is 'Keeps whose an account was when it passes to another owner, by the time that decisions get (REC-2).';
create trigger settlement_accounts_passed after update on settlement_accounts
for each row when (old.owner_id <> new.owner_id or old.sap_id <> new.sap_id or old.account_id <> new.account_id)
execute function note_former_owner();
create trigger settlement_accounts_removed after delete on settlement_accounts
for each row execute function note_former_owner();`;

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statements of [seen, owners]) await sql.raw(statements).execute(db);
}
