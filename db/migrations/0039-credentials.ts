// The keys of a party are found without reading those of all (SEC-7), and a tag goes with the secret that it was made of
// (ADM-4). Forward only: a released migration is never edited; what it got wrong, a later one mends.
import { sql, type Kysely } from 'kysely';

// a process of the release before knows no tags: it enters another secret, and leaves the tag of the one that was there
const credentials = `
create index public_keys_institution_id on public_keys (institution_id);
create index public_keys_operator_id on public_keys (operator_id);
create function forget_old_tag() returns trigger language plpgsql as $$
begin
  if (new.salt, new.digest) is distinct from (old.salt, old.digest) and new.tag is not distinct from old.tag then
    new.tag := null;
  end if;
  return new;
end
$$;
comment on function forget_old_tag() is 'A tag is of one secret: with another, that was entered without one, it goes.';
revoke execute on function forget_old_tag() from public;
create trigger client_secrets_tag before update on client_secrets for each row execute function forget_old_tag();`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(credentials).execute(db);
}
