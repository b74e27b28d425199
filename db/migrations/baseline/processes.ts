// Coordination and heartbeats of processes.

export const processes = `
-- Work that one process at a time does, such as the sweep (LIF-2).
create table leases (
  name text primary key, -- Name of the work.
  holder text not null, -- Process that holds the lease.
  held_until timestamptz not null -- When the lease expires, and another process may take it.
);

-- Heartbeats of the worker processes, every few seconds: a row older than 30 s belongs to a worker that is gone (OBS-7).
create unlogged table worker_states (
  worker_id uuid primary key, -- The worker process.
  started_at timestamptz not null default clock_timestamp(), -- When its first heartbeat came.
  at timestamptz not null default clock_timestamp() -- When its last heartbeat came.
);

-- State of each receiver as each worker sees it (CBK-3), rewritten every few seconds: a row older than 30 s belongs to a worker that is gone.
create unlogged table receiver_states (
  worker_id uuid not null, -- The worker process.
  receiver text not null, -- The registered origin; followed by the party if several parties share it.
  breaker text not null check (breaker in ('closed', 'open', 'probing')), -- open: the worker sends nothing for now; probing: one send tests it.
  failures_in_a_row integer not null, -- Failures since its last answer.
  sends_under_way integer not null, -- Sends under way, at most 16.
  at timestamptz not null default clock_timestamp(), -- When it was written.
  primary key (worker_id, receiver)
);

-- Number of requests in this minute and the last, over all apis (SEC-7). Unlogged: empty after a crash.
create unlogged table request_counts (
  name text not null, -- Client and route; for failed logins, a digest.
  minute integer not null, -- Minutes since 1970.
  count integer not null, -- Number of requests.
  primary key (name, minute)
);
`;
