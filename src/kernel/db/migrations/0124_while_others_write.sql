-- outside a transaction

-- What the story of a record is made of is found by the record. Each index is of few rows: the events of cards and accounts,
-- which are nearly all, are in none of them (they are found by their reference).
create index concurrently if not exists events_of_record on events (event_record(data, data_id), number)
  where registration in ('deposit', 'cardholder', 'kyc', 'payout', 'transfer');
create index concurrently if not exists events_by_data_id on events (data_id)
  where registration in ('deposit', 'cardholder', 'kyc', 'payout', 'transfer');
create index concurrently if not exists breaks_of on breaks (subject, created_at);

-- Transfers that wait for somebody, for the metrics of what is open: few of all that there are.
create index concurrently if not exists transfers_open on transfers (kind, status, created_at)
  where status in ('created', 'awaiting_payment', 'pending', 'requires_action', 'pending_approval', 'processing', 'sent',
                   'manual_review', 'received', 'recalled', 'suspended');

create index concurrently if not exists audit_log_by_actor on audit_log (actor, id);

-- Chains the next rows of the log, by their numbers, up to one of them; returns how many it has chained.
create or replace function audit_chain_next(p_up_to bigint) returns int language plpgsql as $$
declare
  last audit_chain;
  entry audit_log;
  chained int := 0;
begin
  -- As a migrator would that was killed, and whose work goes on here.
  perform pg_advisory_xact_lock(hashtextextended('audit_chain', 0));
  select * into last from audit_chain order by number desc limit 1;
  for entry in select * from audit_log where id > coalesce(last.entry_id, 0) and id <= p_up_to order by id limit 1000 loop
    insert into audit_chain (number, entry_id, previous, hash)
      values (coalesce(last.number, 0) + 1, entry.id, coalesce(last.hash, ''),
              sha256(coalesce(last.hash, '') || audit_content(entry)))
      returning * into last;
    chained := chained + 1;
  end loop;
  return chained;
end $$;

-- What was written down before is chained in portions, each committed. Whoever adds to the log is held off for a moment a
-- round: a number of it is given under a lock of the table that lasts until the commit, so once nobody holds one no row below
-- the newest is still to come. The last round has few rows, and keeps others off until the trigger stands: none is left out.
do $$
declare
  up_to bigint;
begin
  loop
    lock table audit_log in share row exclusive mode;
    if exists (select from pg_trigger where tgrelid = 'audit_log'::regclass and tgname = 'audit_log_is_chained') then
      return;
    end if;
    up_to := coalesce((select max(id) from audit_log), 0);
    exit when (select count(*) from (select from audit_log
      where id > coalesce((select max(entry_id) from audit_chain), 0) limit 1000) rest) < 1000;
    commit;
    while audit_chain_next(up_to) > 0 loop
      commit;
    end loop;
    commit;
  end loop;
  perform audit_chain_next(up_to);
  create constraint trigger audit_log_is_chained after insert on audit_log
    deferrable initially deferred for each row execute function audit_chain_entry();
end $$;

drop function if exists audit_chain_next(bigint);

-- The release before knows of no operator's block, and would lift it from cards with the client's own, or issue one without it.
create or replace function cards_keep_operator_block() returns trigger language plpgsql as $$
begin
  if exists (select from users where id = new.user_id and operator_blocked) then
    new.user_blocked := true;
  end if;
  return new;
end $$;
create or replace trigger cards_keep_operator_block before insert or update of user_blocked on cards
  for each row when (not new.user_blocked) execute function cards_keep_operator_block();
