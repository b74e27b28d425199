-- Run once as the owner of the tables, after a restore to a point in time and before an api or a worker starts
-- (docs/operations/postgres-and-temporal.md). Prints the UETRs of the payments that it removes.
begin;

-- A send after the point is not on record. So each undecided payment counts as possibly sent. No NORM payment is then
-- rejected as unreachable (TIM-3), and the destination of a rejected HIGH payment is told (TIM-1).
update deliveries set possibly_sent = possibly_sent + 1 where kind = 'instruction' and closed_at is null;

-- A submission without an answer may have been accepted after the point. The sweep would judge it anew, and its
-- destination would get a second pacs.008. Once removed, it is missing like the submissions after the point.
alter table messages disable trigger messages_insert_only;
alter table message_bodies disable trigger message_bodies_insert_only;
with removed as (
  delete from messages m
  where m.direction = 'in' and m.leg = 'source' and m.created_at > now() - interval '62 days' -- the sweep looks no further back
    and not exists (select from messages a where a.in_reply_to = m.message_id)
    and not exists (select from payments p where p.uetr = m.subject_id and p.message_id = m.message_id)
    and not exists (select from resolutions r where r.resolution_id = m.message_id)
  returning m.message_id, m.created_at, m.message_type, m.party, m.sha256, m.subject_id
), bodies as (
  delete from message_bodies b using removed r where b.message_id = r.message_id and b.created_at = r.created_at
), keys as (
  delete from message_keys k using removed r
  where k.party = r.party and k.message_type = r.message_type and k.sha256 = r.sha256
)
select subject_id as uetr from removed where message_type = 'pacs008';
alter table messages enable trigger messages_insert_only;
alter table message_bodies enable trigger message_bodies_insert_only;

commit;
