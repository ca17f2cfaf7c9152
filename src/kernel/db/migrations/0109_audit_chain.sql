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

-- Migration 0124 chains what was written down before, and then gives the log the trigger that calls this.
