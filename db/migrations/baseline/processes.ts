// What processes share, and tell of themselves.

export const processes = `
-- Work that one process at a time does, such as the sweep (LIF-2).
create table leases (
  name text primary key, -- The work.
  holder text not null, -- The process.
  held_until timestamptz not null -- From then on another process may take it.
);

-- The worker processes, each of which says every few seconds that it is there: what is older than 30 s is of one that is gone (OBS-7).
create unlogged table worker_states (
  worker_id uuid primary key, -- The worker process.
  started_at timestamptz not null default clock_timestamp(), -- When it first said so.
  at timestamptz not null default clock_timestamp() -- When it last did.
);

-- How each worker finds the receivers that it sends to (CBK-3), written anew every few seconds: what is older than 30 s is of a worker that is gone.
create unlogged table receiver_states (
  worker_id uuid not null, -- The worker process.
  receiver text not null, -- The origin as registered; with a party behind it, where it has several.
  breaker text not null check (breaker in ('closed', 'open', 'probing')), -- open: nothing is sent to it for now; probing: one send tries it.
  failures_in_a_row integer not null, -- Since its last answer.
  sends_under_way integer not null, -- Of 16 at most.
  at timestamptz not null default clock_timestamp(), -- When it was written.
  primary key (worker_id, receiver)
);

-- Requests of this minute and the last, over all apis (SEC-7). Not logged: after a crash it is empty.
create unlogged table request_counts (
  name text not null, -- Client and route; of failed logins, a digest.
  minute integer not null, -- Minutes since 1970.
  count integer not null, -- How many.
  primary key (name, minute)
);
`;
