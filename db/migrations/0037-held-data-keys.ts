// Nothing is stored under a data key that is not there (SEC-3): nobody could read it. Forward only: a released migration is
// never edited; what it got wrong, a later one mends.
import { sql, type Kysely } from 'kysely';

// no foreign key: to add one reads every message, and a key that is lost must not keep partitions from being moved
const held = `
create function held_data_key(id text) returns text language plpgsql stable as $$
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
revoke execute on function held_data_key(text) from public;`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(held).execute(db);
}
