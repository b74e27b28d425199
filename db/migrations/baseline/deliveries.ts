// Messages to other parties, and every attempt to bring them.

export const deliveries = `
-- Messages to be brought to another party, at least once, same bytes (CBK-1). One row per payment or resolution and kind; every attempt updates it, so that an attempt and a decision against it never miss each other.
create table deliveries (
  delivery_id uuid not null, -- Our id.
  subject_id uuid not null, -- What its message is about: the UETR of a payment, or the id of a resolution or of a page of a book.
  kind text not null check (kind in ('instruction', 'callback', 'confirmation', 'notification', 'directory-enquiry', 'account-enquiry', 'book')), -- instruction: pacs.008 to the destination; callback: final pacs.002, or acmt.024, to the source; confirmation: pacs.002 to the destination; notification: fxtr.017; directory-enquiry, account-enquiry: acmt.023 to a proxy directory, to a creditor agent; book: a page of a camt.054.
  message_id uuid not null, -- What is delivered.
  party text not null, -- To whom: payment system, FX provider, or owner of an account.
  url text, -- Where a callback goes; null for every other kind, whose address is the one registered at the moment of each attempt.
  asked_at timestamptz not null default now(), -- When it was asked for; set anew by a redelivery.
  next_due_at timestamptz not null default now(), -- When the next attempt is due; during an attempt, when that attempt counts as lost.
  attempts integer not null default 0, -- Number of attempts made; the last one may be under way.
  attempts_since_asked integer not null default 0, -- Position in the schedule: of CBK-1, or of the round of an instruction.
  possibly_sent integer not null default 0 check (possibly_sent >= 0), -- Attempts that are under way or ended otherwise than NOT_SENT.
  delivered_at timestamptz, -- When it was acknowledged since it was last asked for; null while it is due.
  closed_at timestamptz, -- When no further attempt was allowed: given up, decided (instructions) or answered (enquiries).
  closed_reason text, -- decided, answered, gone (410), expired (72 h).
  final_report_id uuid, -- Of an instruction: the first final pacs.002 of the destination that was stored. From then on it decides.
  asks integer not null default 1, -- How often it was asked for: an attempt of an earlier asking changes nothing in the schedule of a later one.
  round text, -- Of an instruction: the send that its attempts since asked belong to, with its repeats.
  claim uuid, -- Of the last attempt: known to whoever claimed it, who may ask for the same attempt again as long as nothing was sent.
  enquiry_asked_at timestamptz, -- Of an instruction: when the source last asked for the status; others within 5 s join it.
  enquiry_owed_since timestamptz, -- Of an instruction: when the source first asked for the status, of those questions that no send had met when the last one came.
  begun_at timestamptz not null, -- When its payment was judged, its resolution or book page began: by it records are partitioned.
  constraint deliveries_one_end check (kind not in ('callback', 'confirmation', 'notification', 'book') or delivered_at is null or closed_at is null)
) partition by range (begun_at);
create table deliveries_default partition of deliveries default;
alter table deliveries_default add primary key (delivery_id), add unique (subject_id, kind);
create index deliveries_closed on deliveries (closed_at) where closed_at is not null and delivered_at is null;
create index deliveries_dead on deliveries (closed_at) where kind in ('callback', 'confirmation', 'notification', 'book') and delivered_at is null and closed_at is not null;
create index deliveries_open on deliveries (asked_at) where kind in ('callback', 'confirmation', 'notification', 'book') and delivered_at is null and closed_at is null;
create index deliveries_undecided on deliveries (asked_at) where kind = 'instruction' and closed_at is null;

-- Every attempt, its row committed before the socket opens (TIM-3, CBK-4). A row without outcome counts as MAYBE_SENT.
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
  url text, -- Where it went.
  begun_at timestamptz not null, -- When its payment was judged, its resolution or book page began: by it records are partitioned.
  excerpt_key_id text -- Data key that the excerpt is sealed under, which is base64 then; null: it is not sealed.
) partition by range (begun_at);
create table delivery_attempts_default partition of delivery_attempts default;
alter table delivery_attempts_default add primary key (delivery_id, attempt);
create index delivery_attempts_started_at on delivery_attempts using brin (started_at);
`;
