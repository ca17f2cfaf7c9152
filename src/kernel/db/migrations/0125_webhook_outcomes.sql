-- An endpoint counts as failing after five failures in a row, or ten of its last twenty attempts: a bit an attempt, 1 for
-- a failure, the last one lowest. An endpoint that takes everything has 0 and is never written to.
alter table webhook_endpoints
  add column recent_failures int not null default 0,
  add column taken_nothing_since timestamptz(3), -- its first failure since it last took anything
  add column probe_event bigint,                 -- what a failing endpoint is probed with
  add column probe_failures smallint not null default 0; -- of that event, in this recovery

-- What fails now has taken nothing for as long as it has failed.
update webhook_endpoints set taken_nothing_since = failing_since where status = 'failing';
