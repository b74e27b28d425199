// What a message, a delivery or an event is about is a payment or a resolution: the column that names it says so.
// Processes of the releases before know it as `uetr` and cannot work with this schema: they are stopped first
// (docs/operations.md). Forward only: a released migration is never edited; what it got wrong, a later one mends.
import { sql, type Kysely } from 'kysely';

const subjectIds = `
alter table messages rename column uetr to subject_id;
alter index messages_uetr rename to messages_subject_id;
comment on column messages.subject_id is 'What it is about: the UETR of a payment, or the id of a resolution.';

alter table deliveries rename column uetr to subject_id;
alter table deliveries rename constraint deliveries_uetr_kind_key to deliveries_subject_id_kind_key;
comment on column deliveries.subject_id is 'What its message is about: the UETR of a payment, or the id of a resolution.';

alter table audit_events rename column uetr to subject_id;
alter index audit_events_uetr rename to audit_events_subject_id;
comment on column audit_events.subject_id is 'What it is about, where that is one: the UETR of a payment, or the id of a resolution.';
`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(subjectIds).execute(db);
}
