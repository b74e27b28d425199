// Messages to other parties, and every attempt to deliver them.

export const deliveries = `
-- Messages to deliver to another party, at least once, with the same bytes (CBK-1). One row per payment or resolution and kind. Attempts and decisions both update the row, so each sees the other.
create table deliveries (
  delivery_id uuid not null, -- Our id.
  subject_id uuid not null, -- Subject of its message: the UETR of a payment, or the id of a resolution or of a page of a book.
  kind text not null check (kind in ('instruction', 'callback', 'confirmation', 'notification', 'directory-enquiry', 'account-enquiry', 'book')), -- instruction: pacs.008 to the destination; callback: final pacs.002, or acmt.024, to the source; confirmation: pacs.002 to the destination; notification: fxtr.017; directory-enquiry, account-enquiry: acmt.023 to a proxy directory, to a creditor agent; book: a page of a camt.054.
  message_id uuid not null, -- The message that is delivered.
  party text not null, -- The receiver: a payment system, an FX provider, or the owner of an account.
  url text, -- Address of a callback; null for other kinds, which use the address that is registered at the time of each attempt.
  asked_at timestamptz not null default now(), -- When it was last requested; a redelivery sets it again.
  next_due_at timestamptz not null default now(), -- When the next attempt is due; during an attempt, when that attempt counts as lost.
  attempts integer not null default 0, -- Number of attempts made; the last one may be under way.
  attempts_since_asked integer not null default 0, -- Position in the schedule: of CBK-1, or of the current round of an instruction.
  possibly_sent integer not null default 0 check (possibly_sent >= 0), -- Attempts that are under way, or that ended other than NOT_SENT.
  delivered_at timestamptz, -- When the receiver acknowledged it, since it was last requested; null: not acknowledged.
  closed_at timestamptz, -- When attempts ended: given up, decided (instructions) or answered (enquiries).
  closed_reason text, -- decided, answered, gone (410), expired (72 h).
  final_report_id uuid, -- Instruction only: the first final pacs.002 of the destination that was stored. From then on it decides.
  asks integer not null default 1, -- How often it was requested. An attempt of an earlier request does not change the schedule of a later one.
  round text, -- Instruction only: the send to which attempts_since_asked belongs, with its retries.
  claim uuid, -- Id of the last claim, known only to the claimant, which may repeat the claim until it has sent something.
  enquiry_asked_at timestamptz, -- Instruction only: when the source last asked for the status; questions within 5 s of it join it.
  enquiry_owed_since timestamptz, -- Instruction only: the first of the status questions of the source that no send had followed when the last question came.
  begun_at timestamptz not null, -- When its payment was judged, or its resolution or book page began. Partition key.
  constraint deliveries_one_end check (kind not in ('callback', 'confirmation', 'notification', 'book') or delivered_at is null or closed_at is null)
) partition by range (begun_at);
create table deliveries_default partition of deliveries default;
alter table deliveries_default add primary key (delivery_id), add unique (subject_id, kind);
create index deliveries_closed on deliveries (closed_at) where closed_at is not null and delivered_at is null;
create index deliveries_dead on deliveries (closed_at) where kind in ('callback', 'confirmation', 'notification', 'book') and delivered_at is null and closed_at is not null;
create index deliveries_open on deliveries (asked_at) where kind in ('callback', 'confirmation', 'notification', 'book') and delivered_at is null and closed_at is null;
create index deliveries_undecided on deliveries (asked_at) where kind = 'instruction' and closed_at is null;

-- Every attempt. Its row is committed before the socket opens (TIM-3, CBK-4). A row without outcome counts as MAYBE_SENT.
create table delivery_attempts (
  delivery_id uuid not null, -- The delivery.
  attempt integer not null check (attempt > 0), -- From 1.
  started_at timestamptz not null default clock_timestamp(), -- Before the socket opened.
  finished_at timestamptz, -- When the answer or the failure was recorded.
  outcome text check (outcome in ('NOT_SENT', 'MAYBE_SENT', 'ANSWERED')), -- NOT_SENT, MAYBE_SENT or ANSWERED.
  http_status smallint, -- Status of the answer.
  duration_ms integer, -- Milliseconds from start to answer or failure.
  error_class text, -- refused, timeout, reset and so on; null when answered.
  response_excerpt text, -- At most 1 KiB of an answer other than 2xx.
  url text, -- Address that it was sent to.
  begun_at timestamptz not null, -- When its payment was judged, or its resolution or book page began. Partition key.
  excerpt_key_id text -- Data key that seals the excerpt, which is then base64; null: it is not sealed.
) partition by range (begun_at);
create table delivery_attempts_default partition of delivery_attempts default;
alter table delivery_attempts_default add primary key (delivery_id, attempt);
create index delivery_attempts_started_at on delivery_attempts using brin (started_at);
`;
