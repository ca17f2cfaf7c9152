-- The API processes that serve now: each writes its row every few seconds, and takes its share of the tenants' rate limits.
create table api_processes (
  id      text primary key,
  beat_at timestamptz not null
);
