// The books of each day are sent as camt.054 to those who have registered an address for them (REC-2). Forward only: a
// released migration is never edited; what it got wrong, a later one mends.
import { sql, type Kysely } from 'kysely';

const endpoints = `
create table book_endpoints (
  party_id text primary key,
  url text not null
);
create trigger book_endpoints_changed after insert or update or delete or truncate on book_endpoints
  for each statement execute function notify_reference_data();
comment on table book_endpoints is 'Where the camt.054 of each day is sent (REC-2).';
comment on column book_endpoints.party_id is 'The payment system; or the internalId of an institution, for each account that it has at a settlement access provider.';
comment on column book_endpoints.url is 'Full address.';`;

const pages = `
create table book_pages (
  book_page_id uuid primary key,
  book text not null,
  party text not null,
  period_from timestamptz not null,
  period_to timestamptz not null,
  page integer not null check (page > 0),
  pages integer not null check (pages >= page),
  message_id uuid not null,
  created_at timestamptz not null default clock_timestamp(),
  unique (book, period_from, period_to, page)
);
create index book_pages_period on book_pages (period_from, period_to);
comment on table book_pages is 'Each page of a camt.054 that is sent, once per book and period (REC-2). Rows are inserted and never changed.';
comment on column book_pages.book_page_id is 'Our id: the subject_id of its message and its delivery.';
comment on column book_pages.book is 'The payment system; or the internalId of a settlement access provider, a space, and the account there.';
comment on column book_pages.party is 'To whom: payment system, or BIC of the institution.';
comment on column book_pages.period_from is 'From then on.';
comment on column book_pages.period_to is 'Before then.';
comment on column book_pages.page is 'From 1.';
comment on column book_pages.pages is 'Of the notification.';
comment on column book_pages.message_id is 'The camt.054.';
comment on column book_pages.created_at is 'When it was made.';`;

const kinds = `
alter table messages drop constraint messages_message_type_check;
alter table messages add constraint messages_message_type_check
  check (message_type in ('pacs008', 'pacs002', 'pacs028', 'acmt023', 'acmt024', 'fxtr017', 'camt054')) not valid;
alter table messages drop constraint messages_leg_check;
alter table messages add constraint messages_leg_check check (leg in ('source', 'destination', 'fxp', 'book')) not valid;
alter table deliveries drop constraint deliveries_kind_check;
alter table deliveries add constraint deliveries_kind_check check (kind in
  ('instruction', 'callback', 'confirmation', 'notification', 'directory-enquiry', 'account-enquiry', 'book')) not valid;
alter table deliveries drop constraint deliveries_one_end;
alter table deliveries add constraint deliveries_one_end check (
  kind not in ('callback', 'confirmation', 'notification', 'book') or delivered_at is null or closed_at is null) not valid;
drop index deliveries_open;
create index deliveries_open on deliveries (asked_at)
  where kind in ('callback', 'confirmation', 'notification', 'book') and delivered_at is null and closed_at is null;
drop index deliveries_dead;
create index deliveries_dead on deliveries (closed_at)
  where kind in ('callback', 'confirmation', 'notification', 'book') and delivered_at is null and closed_at is not null;
comment on column deliveries.subject_id is 'What its message is about: the UETR of a payment, or the id of a resolution or of a page of a book.';
comment on column deliveries.kind is 'instruction: pacs.008 to the destination; callback: final pacs.002, or acmt.024, to the source; confirmation: pacs.002 to the destination; notification: fxtr.017; directory-enquiry, account-enquiry: acmt.023 to a proxy directory, to a creditor agent; book: a page of a camt.054.';
comment on column messages.subject_id is 'What it is about: the UETR of a payment, or the id of a resolution or of a page of a book.';
comment on column messages.message_type is 'pacs008, pacs002, pacs028, acmt023, acmt024, fxtr017 or camt054.';
comment on column messages.leg is 'source, destination or fxp: the side we exchanged it with; book: whoever keeps the same books.';
comment on column audit_events.subject_id is 'What it is about, where that is one: the UETR of a payment, or the id of a resolution or of a page of a book.';
comment on column deliveries.party is 'To whom: payment system, FX provider, or owner of an account.';`;

/** What was checked before is a subset of what is allowed now. */
const checked = `
alter table messages validate constraint messages_message_type_check;
alter table messages validate constraint messages_leg_check;
alter table deliveries validate constraint deliveries_kind_check;
alter table deliveries validate constraint deliveries_one_end;`;

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statements of [endpoints, pages, kinds, checked]) await sql.raw(statements).execute(db);
}
