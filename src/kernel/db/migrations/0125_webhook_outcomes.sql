-- An endpoint counts as failing after five failures in a row, or ten of its last twenty attempts: a bit an attempt that
-- counts, 1 for a failure, the last one lowest. An endpoint that takes everything has 0 and is never written to.
alter table webhook_endpoints
  add column recent_failures int not null default 0,
  add column probe_event bigint, -- what a failing endpoint is probed with
  add column probe_failures smallint not null default 0; -- of that event, in this recovery

-- What is parked has a time to be delivered still while its endpoint is disabled: it is due again when that is set again.
-- What was parked because its endpoint was deleted has none: it can be asked for.
update events e
   set due_at = case when exists (select from webhook_endpoints w
                                   where w.tenant_id = e.tenant_id and w.registration = e.registration
                                     and w.status = 'disabled') then least(e.created_at, clock_timestamp()) end
 where e.delivery = 'parked';
