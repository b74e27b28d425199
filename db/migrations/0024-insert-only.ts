// Messages, payments, decisions and audit events are written once: the database refuses to change or to remove them, and
// refuses a decision that the states of a payment do not have (LIF-1).
// Forward only: a released migration is never edited; what it got wrong, a later one mends.
import { sql, type Kysely } from 'kysely';

const insertOnly = ['messages', 'payments', 'decisions', 'audit_events'];

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      `create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is insert-only: % refused (LIF-1)', tg_table_name, lower(tg_op)
    using errcode = 'integrity_constraint_violation', hint = 'What was wrong is told by a further record.';
end $$;
${insertOnly
  .map(
    (table) =>
      `create trigger ${table}_insert_only before update or delete or truncate on ${table}
  for each statement execute function refuse_change();`,
  )
  .join('\n')}

create function check_decision() returns trigger language plpgsql as $$
declare
  payment record;
  is_known boolean;
begin
  select accepted, priority into payment from payments where uetr = new.uetr;
  if payment.accepted is null then
    raise exception 'a decision without a payment (LIF-1)' using errcode = 'integrity_constraint_violation';
  end if;
  is_known := case
    when not payment.accepted then new.decided_by = 'gateway' and new.status = 'RJCT' and new.rule_id is not null
    when new.decided_by <> 'gateway' then new.rule_id is null
    else new.status = 'RJCT' and (payment.priority, new.rule_id) in (('HIGH', 'TIM-1'), ('NORM', 'TIM-3'))
  end;
  if is_known is not true then
    raise exception 'the states of a payment do not have this decision (LIF-1): % by %, %', new.status, new.decided_by,
      coalesce(new.rule_id, 'no rule') using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;
create constraint trigger decisions_follow_the_states after insert on decisions
  deferrable initially deferred for each row execute function check_decision();`,
    )
    .execute(db);
}
