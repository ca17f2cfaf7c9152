-- The audit log can be added to and read, and nothing else, whoever connects.
create function audit_refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is only added to' using errcode = 'integrity_constraint_violation';
end $$;
create trigger audit_log_is_final before update or delete or truncate on audit_log
  for each statement execute function audit_refuse_change();

-- A chain over its rows, in the order in which they were committed: the hash of each is over the one before and its own
-- content, so nothing in the middle is changed, taken out or put in unseen (`audit verify`).
create table audit_chain (
  number   bigint primary key,                     -- from 1, without gaps
  entry_id bigint not null unique,                 -- the row of audit_log
  previous bytea not null,
  hash     bytea not null
);
create trigger audit_chain_is_final before update or delete or truncate on audit_chain
  for each statement execute function audit_refuse_change();

-- What is hashed. src/kernel/audit/log.ts computes it by an expression of its own, for this function may be changed.
create function audit_content(entry audit_log) returns bytea language sql stable as $$
  select convert_to(jsonb_build_array(entry.id, (extract(epoch from entry.at) * 1000)::bigint, entry.actor, entry.action,
    entry.subject, entry.tenant_id, entry.request_id, entry.before, entry.after)::text, 'UTF8')
$$;

-- Runs when the transaction commits, so that whoever adds to the log waits for others' commits and nothing longer.
create function audit_chain_entry() returns trigger language plpgsql as $$
declare
  last audit_chain;
begin
  perform pg_advisory_xact_lock(hashtextextended('audit_chain', 0));
  select * into last from audit_chain order by number desc limit 1;
  insert into audit_chain (number, entry_id, previous, hash)
    values (coalesce(last.number, 0) + 1, new.id, coalesce(last.hash, ''),
            sha256(coalesce(last.hash, '') || audit_content(new)));
  return null;
end $$;
create constraint trigger audit_log_is_chained after insert on audit_log
  deferrable initially deferred for each row execute function audit_chain_entry();

-- What was written down before is chained here, by its numbers; the trigger above holds off whoever would add to it.
do $$
declare
  entry audit_log;
  at bigint := 0;
  known bytea := '';
  next bytea;
begin
  for entry in select * from audit_log order by id loop
    at := at + 1;
    next := sha256(known || audit_content(entry));
    insert into audit_chain (number, entry_id, previous, hash) values (at, entry.id, known, next);
    known := next;
  end loop;
end $$;

create index audit_log_by_actor on audit_log (actor, id);
