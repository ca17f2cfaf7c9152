-- Ids sort by their bytes in any locale, because an id of ours begins with its time.
create domain id as text collate "C";

-- The product's time: the machine's, plus the offset that only the sandbox's clock advances (POST /sandbox/clock). The offset is the
-- body of a function, because Postgres inlines it: no statement reads a row for it, and a change replaces all plans at once.
-- `stable`, and not `immutable`, because Postgres would compute an immutable offset into plans that outlive the change.
create function product_offset() returns interval language sql stable parallel safe
  return '0'::interval;
create function product_now(moment timestamptz default clock_timestamp()) returns timestamptz language sql volatile parallel safe
  return date_trunc('milliseconds', moment + product_offset());

-- The last mark of each process that watches over commits. A process remembers the marks that Postgres has confirmed, so an older or
-- missing mark shows that a fail-over or a restore has lost commits (src/kernel/db/commit-marks.ts).
create table commit_marks (
  process text primary key,
  number  bigint not null,
  at      timestamptz(3) not null  -- the machine's time
);

-- Functions with `security definer` run with the owner's rights, for what the runtime role may do by them and in no other way
-- (src/kernel/db/rights.ts). Each has a fixed search path, so that no object of the caller takes the place of ours.

-- Refuses a statement with the message that its trigger gives.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '%', tg_argv[0] using errcode = 'integrity_constraint_violation';
end $$;

-- Whether a role has the owner's rights. With one role only, it is the owner.
create function is_owner(role name) returns boolean language sql stable set search_path = pg_catalog as $$
  select pg_has_role(role, relowner, 'member') from pg_class where oid = 'public.knex_migrations'::regclass
$$;

-- Adds whole seconds to the offset. The runtime role may call it in a sandbox only (src/kernel/product-clock.ts).
create function advance_product_offset(by_seconds bigint, out before bigint, out after bigint) language plpgsql security definer
  set search_path = public, pg_temp
as $$
begin
  -- Advances wait for each other. A connection sees the functions that another has changed only when it gets the lock of a table,
  -- and an advisory lock is none. Audit entries are still written meanwhile.
  lock table audit_log in share update exclusive mode;
  before := extract(epoch from product_offset());
  after := before + by_seconds;
  execute format($body$create or replace function product_offset() returns interval language sql stable parallel safe
                         return '%s seconds'::interval$body$, after);
end $$;
revoke execute on function advance_product_offset from public;

-- Whether a role may move the clock: the runtime role of a sandbox, and the owner.
create function is_sandbox(role name) returns boolean language sql stable set search_path = pg_catalog as $$
  select has_function_privilege(role, 'public.advance_product_offset(bigint)', 'execute')
$$;

-- Accounts of clients and cards store their balances. The balance of an internal account is the sum of its legs, because all
-- transactions would otherwise wait for the lock of one row.
create table ledger_accounts (
  id         id primary key,
  kind       text not null check (kind in ('card', 'card_buffer', 'user', 'iban', 'master', 'internal')),
  tenant_id  id,
  currency   text not null,
  available  numeric not null default 0,
  pending    numeric not null default 0 constraint hold_not_negative check (pending >= 0),
  spent      numeric not null default 0,
  entries    bigint not null default 0,
  last_at    timestamptz(3) not null default product_now(now()),
  created_at timestamptz(3) not null default product_now(now())
) with (fillfactor = 60);
create index ledger_accounts_by_tenant on ledger_accounts (tenant_id);
-- The runtime role may update this column alone, because Postgres gives a row's lock only to a role that may update one of its
-- columns. The trigger refuses the update itself (ledger_refuse_change).

-- The change of an account's balances by a posting. available + pending sums to zero over a posting and currency; spent is a
-- card's statistic beside them. In this and other large tables columns of eight bytes stand first, because Postgres fills up to
-- seven bytes before each of them.
create table ledger_legs (
  posting_id        bigint not null,
  at                timestamptz(3) not null,
  number            bigint,  -- 1, 2, 3 … per account, under its lock; null on internal accounts
  xact              bigint,  -- of internal accounts only: the transaction's id on ledger_base(), for snapshots to compare
  forced            boolean not null,
  listed            boolean not null,  -- shown in the account's history
  account_id        id not null,
  currency          text not null,
  id                id,  -- the public id of an account transaction
  type              text not null,
  subtype           text,
  reference_id      id,
  available         numeric not null,
  pending           numeric not null,
  spent             numeric not null,
  balance_available numeric,  -- after this leg; null on internal accounts
  balance_pending   numeric,
  balance_spent     numeric,
  tenant_id         id,  -- of listed entries only: the account's tenant, for the list of all its transactions
  constraint not_overdrawn check (forced or number is null or available >= 0 or balance_available >= 0)
);
create unique index ledger_legs_of_account on ledger_legs (account_id, at, number) where number is not null;
create index ledger_legs_listed on ledger_legs (account_id, at, number) where listed;
create index ledger_legs_internal on ledger_legs (account_id, xact) where number is null;
create index ledger_legs_of_tenant on ledger_legs (tenant_id, at) where listed;
create index ledger_legs_by_reference on ledger_legs using hash (reference_id) where listed;
-- Numbers of postings. One call of ledger_write takes a thousand numbers and counts its postings within them.
create sequence ledger_postings increment by 1000;

-- Where the ledger has lived, the present place last. Each place counts transaction ids by itself, and copied legs keep the
-- ids of their place. So each place adds a base to its ids, which is above every id that was kept before. Two numbers tell a
-- place: the cluster's identifier, and the object id of ledger_legs. A logical restore makes the table anew, even in the same
-- cluster or in a clone of it. A physical copy changes neither number, because it goes on counting.
create table ledger_places (
  number  int primary key,  -- from 1
  cluster bigint not null,
  legs    oid not null,
  base    bigint not null,
  since   timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp())
);

create function ledger_refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'a posted leg is never changed or deleted: post its reversal' using errcode = 'integrity_constraint_violation';
end $$;

create trigger ledger_accounts_are_as_opened before update of created_at on ledger_accounts
  for each statement execute function ledger_refuse_change();

-- Checks two invariants for any writer: a posting sums to zero in each currency, and a stored balance equals the balance of the
-- account's last leg. The check runs once a statement, so a batch of postings pays for it once.
create function ledger_check_legs() returns trigger language plpgsql as $$
begin
  if exists (select from new_legs group by posting_id, currency having sum(available + pending) <> 0) then
    raise exception 'a posting does not sum to zero' using errcode = 'integrity_constraint_violation';
  end if;
  if exists (
    select from (select account_id, max(number) as number from new_legs where number is not null group by account_id) m
      join new_legs l on l.account_id = m.account_id and l.number = m.number
      join ledger_accounts a on a.id = l.account_id
     where a.available <> l.balance_available or a.pending <> l.balance_pending or a.spent <> l.balance_spent
        or a.entries < l.number
  ) then
    raise exception 'a stored balance differs from its last leg' using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;

create trigger ledger_legs_are_final before update or truncate on ledger_legs
  for each statement execute function ledger_refuse_change();
create trigger ledger_legs_balance after insert on ledger_legs referencing new table as new_legs
  for each statement execute function ledger_check_legs();

-- Rows that ledger_write takes. These types are apart from the tables, so a new column breaks no running process.
create type ledger_new_balance as (id text, seen bigint, entries bigint, available numeric, pending numeric, spent numeric);
create type ledger_new_leg as (
  posting int, account_id text, currency text, number bigint, id text, type text, subtype text, reference_id text,
  available numeric, pending numeric, spent numeric, balance_available numeric, balance_pending numeric,
  balance_spent numeric, forced boolean, listed boolean
);

create trigger ledger_places_are_final before delete or update or truncate on ledger_places
  for each statement execute function ledger_refuse_change();

-- What is added to a transaction id of now. The first writer at a new place notes the place. A session keeps that it has compared
-- the cluster, because it cannot change its cluster. It does not keep the base, because any role may set a session's settings. A
-- rollback takes back what the session has kept.
create function ledger_base() returns bigint language plpgsql as $$
declare
  v_legs oid := 'ledger_legs'::regclass::oid;
  v_kept text := current_setting('cardwright.ledger_place', true);
  v_cluster bigint;
  v_last ledger_places;
begin
  select * into v_last from ledger_places order by number desc limit 1;
  if v_last.legs = v_legs and v_kept = v_legs::text then
    return v_last.base;
  end if;
  select system_identifier into v_cluster from pg_control_system();
  loop
    select * into v_last from ledger_places order by number desc limit 1;
    exit when v_last.cluster = v_cluster and v_last.legs = v_legs;
    -- Who notes it at the same moment waits here, and reads what the first has noted.
    insert into ledger_places (number, cluster, legs, base)
    select coalesce(v_last.number, 0) + 1, v_cluster, v_legs,
           coalesce(greatest(max(l.xact), (select max(horizon) from ledger_snapshots)) + 1, 0)
      from ledger_accounts a
      left join lateral (select xact from ledger_legs where account_id = a.id and number is null and xact is not null
                          order by xact desc limit 1) l on true
     where a.kind = 'internal'
    on conflict do nothing;
  end loop;
  perform set_config('cardwright.ledger_place', v_legs::text, false);
  return v_last.base;
end $$;

-- Writes legs and the balances that they lead to. It is the only writer of both, and the runtime role has no other way to write
-- them. The caller has locked the accounts, judged the postings in order and numbered the legs (src/kernel/ledger/book.ts). The
-- constraints of both tables check the result again. Refused are a caller that has not seen an account's last entry, a balance
-- that differs from the one before by anything but its legs, and a numbered leg without its balance. Each leg finds its account by
-- key, so other joins are off.
create function ledger_write(p_balances ledger_new_balance[], p_legs ledger_new_leg[], p_at timestamptz)
  returns void language plpgsql security definer
  set search_path = public, pg_temp set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_accounts int;
  v_rows int;
  v_first bigint := nextval('ledger_postings');
  v_xact bigint := ledger_base() + pg_current_xact_id()::text::bigint;
begin
  -- One row an account: its new balance beside the sums of its legs. Aggregated, because joins of the two would compare all pairs.
  with changed as (
    select id, max(seen) as seen, max(entries) as entries, max(available) as available, max(pending) as pending, max(spent) as spent,
           sum(legs_available) as legs_available, sum(legs_pending) as legs_pending, sum(legs_spent) as legs_spent,
           min(number) as first, max(number) as last
      from (select n.id, n.seen, n.entries, n.available, n.pending, n.spent, 0::numeric as legs_available, 0::numeric as legs_pending,
                   0::numeric as legs_spent, null::bigint as number from unnest(p_balances) n
            union all
            select l.account_id, null, null, null, null, null, l.available, l.pending, l.spent, l.number
              from unnest(p_legs) l where l.number is not null) given
     group by id
  ), moved as (
    update ledger_accounts a
       set available = c.available, pending = c.pending, spent = c.spent, entries = c.entries, last_at = p_at
      from changed c
     where a.id = c.id and a.entries = c.seen and a.last_at <= p_at and c.entries > c.seen
       and c.available = a.available + c.legs_available and c.pending = a.pending + c.legs_pending
       and c.spent = a.spent + c.legs_spent and (c.first is null or (c.first > c.seen and c.last <= c.entries))
    returning 1
  )
  select (select count(*) from changed), (select count(*) from moved) into v_accounts, v_rows;
  if v_accounts <> cardinality(p_balances) then
    raise exception 'an entry has no balance' using errcode = 'integrity_constraint_violation';
  end if;
  if v_rows <> v_accounts then
    if exists (select from unnest(p_balances) n join ledger_accounts a on a.id = n.id
                where a.entries = n.seen and a.last_at <= p_at) then
      raise exception 'a balance differs from its entries' using errcode = 'integrity_constraint_violation';
    end if;
    raise exception 'an account has moved since it was read' using errcode = 'serialization_failure';
  end if;
  insert into ledger_legs (posting_id, at, number, xact, forced, listed, account_id, currency, id, type, subtype, reference_id,
                           available, pending, spent, balance_available, balance_pending, balance_spent, tenant_id)
  select v_first + l.posting, p_at, l.number, case when l.number is null then v_xact end, l.forced, l.listed, l.account_id,
         l.currency, l.id, l.type, l.subtype, l.reference_id, l.available, l.pending, l.spent, l.balance_available,
         l.balance_pending, l.balance_spent, case when l.listed then a.tenant_id end
    from unnest(p_legs) l
    join ledger_accounts a on a.id = l.account_id and a.currency = l.currency and (a.kind = 'internal') = (l.number is null);
  get diagnostics v_rows = row_count;
  if v_rows <> cardinality(p_legs) then
    raise exception 'an entry names an account that does not exist in its currency' using errcode = 'foreign_key_violation';
  end if;
end $$;
revoke execute on function ledger_write from public;

create table ledger_snapshots (
  account_id id not null references ledger_accounts,
  taken_at   timestamptz(3) not null,
  horizon    bigint not null,  -- the snapshot holds the legs of every older transaction and of no other
  available  numeric not null,
  primary key (account_id, taken_at)
);

-- Stores the sums of internal accounts, so that a later trial balance reads only newer entries.
create function take_ledger_snapshots() returns void language plpgsql security definer
  set search_path = public, pg_temp
as $$
begin
  with h as materialized (
    select ledger_base() + pg_snapshot_xmin(pg_current_snapshot())::text::bigint as horizon
  )
  insert into ledger_snapshots (account_id, taken_at, horizon, available)
  select a.id, product_now(), h.horizon,
         coalesce(s.available, 0) + coalesce((select sum(l.available) from ledger_legs l
           where l.account_id = a.id and l.number is null
             and l.xact >= coalesce(s.horizon, 0) and l.xact < h.horizon), 0)
    from ledger_accounts a
    cross join h
    left join lateral (select available, horizon from ledger_snapshots where account_id = a.id
                        order by taken_at desc limit 1) s on true
   where a.kind = 'internal'
  on conflict do nothing;
end $$;
revoke execute on function take_ledger_snapshots from public;

-- Checkpoints of the books (src/kernel/ledger/archive.ts). A checkpoint covers the legs before a moment that no earlier one covers.
-- All of them are in the checkpoint's file, and nearly all leave the database. The audit log has a digest of the checkpoint with its
-- opening balances, so `ledger check` finds a changed one.
create table ledger_checkpoints (
  number    int primary key,  -- from 1, without gaps
  at        timestamptz(3) not null unique,
  legs      bigint not null,  -- that it covers, each a line of its file
  file_hash bytea not null,  -- SHA-256 of the file
  kept      bigint not null,  -- of these legs, how many stay in the database
  kept_hash bytea not null  -- SHA-256 of the lines of those that stay
);

-- The balance of each account after all legs that this checkpoint and earlier ones cover.
create table ledger_openings (
  checkpoint int not null references ledger_checkpoints deferrable initially deferred,
  account_id id not null references ledger_accounts,
  number     bigint,  -- of the account's last leg before the moment; null on internal accounts
  available  numeric not null,
  pending    numeric not null,
  spent      numeric not null,
  primary key (checkpoint, account_id)
);
create trigger ledger_checkpoints_are_final before delete or update or truncate on ledger_checkpoints
  for each statement execute function ledger_refuse_change();
create trigger ledger_openings_are_final before delete or update or truncate on ledger_openings
  for each statement execute function ledger_refuse_change();

-- Whether a leg leaves the database when a checkpoint covers it. Clients' histories and statements need the listed legs of accounts.
-- Balances at a moment need the last leg before the checkpoint (`last`). Other legs of accounts stay if they changed the sum of
-- available and pending, which statements print.
create function ledger_leg_leaves(kind text, number bigint, last bigint, listed boolean, total numeric) returns boolean
  immutable parallel safe language sql
  return number is null or (number <> last and (kind in ('card', 'card_buffer') or (not listed and total = 0)));

-- Refuses to delete any other leg, whoever connects.
create function ledger_check_removal() returns trigger language plpgsql as $$
begin
  if exists (
    select from old_legs l
      left join lateral (select number from ledger_checkpoints where at > l.at order by at limit 1) c on true
      left join ledger_openings o on o.checkpoint = c.number and o.account_id = l.account_id
      left join ledger_accounts a on a.id = l.account_id
     where ledger_leg_leaves(a.kind, l.number, o.number, l.listed, l.available + l.pending) is not true or o.account_id is null
  ) then
    raise exception 'a posted leg is never changed or deleted: post its reversal' using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;
create trigger ledger_legs_leave after delete on ledger_legs referencing old table as old_legs
  for each statement execute function ledger_check_removal();

-- Status changes of records that belong to an account or a card. They share the numbers of its ledger entries, so a mixed
-- history pages by one number. A change takes its number under the account's lock, so no page misses a late commit.
create table status_changes (
  account_id      id not null,  -- the ledger account: an account's, a virtual IBAN's, a card's
  at              timestamptz(3) not null,  -- never earlier than the entry before it
  number          bigint not null,
  id              id not null,
  kind            text not null,  -- src/kernel/ledger/status-changes.ts
  record_id       id not null,
  reference_id    id not null,  -- of the record's account transactions
  status          text not null,
  previous_status text,  -- absent: the record was created with this status
  failure         text,
  primary key (account_id, at, number)
);
create trigger status_changes_are_final before delete or update or truncate on status_changes
  for each statement execute function ledger_refuse_change();

-- Notes status changes with the next numbers of an account (src/kernel/ledger/status-changes.ts). A waiting update re-reads the
-- row under the lock, so its numbers follow those of the previous holder. For an unknown account the numbers are null, which the
-- table refuses together with the whole transaction.
create function note_status_changes(p_account text, p_count int, p_changes json) returns void language plpgsql security definer
  set search_path = public, pg_temp
as $$
begin
  with numbered as (
    update ledger_accounts
       set entries = entries + p_count, last_at = greatest(last_at, product_now())
     where id = p_account
    returning entries - p_count as before, last_at as at)
  insert into status_changes (account_id, at, number, id, kind, record_id, reference_id, status, previous_status, failure)
  select p_account, n.at, n.before + c.o, c.id, c.kind, c.record_id, c.reference_id, c.status, c.previous_status, c.failure
    from json_to_recordset(p_changes) as c(o int, id text, kind text, record_id text, reference_id text, status text,
           previous_status text, failure text)
    left join numbered n on true;
end $$;
revoke execute on function note_status_changes from public;

-- The stored answer of an idempotency key, written in the transaction of the effect.
create table idempotency_keys (
  name        uuid primary key,  -- hash of tenant, scope (method and path) and key: a third of their length
  created_at  timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  status      smallint not null,
  permanent   boolean not null default false,
  fingerprint bytea not null,  -- of the canonical body, query and files
  body        text not null
);
-- Rows that the hot path writes as arrays. This type is apart from the table, so a new column breaks no running process.
create type new_answer as (name uuid, fingerprint text, status smallint, body text, permanent boolean);
create trigger idempotency_keys_stay before delete on idempotency_keys
  for each row when (old.permanent) execute function refuse_change('a permanent idempotency key is never deleted');
-- Finds those that are forgotten after a day, past all that are kept for ever.
create index idempotency_keys_forgotten on idempotency_keys (created_at) where not permanent;

-- The personal fields of stored answers, sealed. The key has the answer without them.
create table personal_answers (
  name       uuid primary key,  -- hash of tenant, scope and key
  user_id    id,  -- whose data key seals the fields; null: the installation's key
  sealed     bytea not null,  -- JSON of the fields by name, sealed under the name
  permanent  boolean not null,  -- as the key
  created_at timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp())
);
create index personal_answers_of_user on personal_answers (user_id) where user_id is not null;
create index personal_answers_forgotten on personal_answers (created_at) where not permanent;

-- The installation's own random keys, one a purpose, and during a renewal a further version. Everything else is sealed, hashed and
-- linked under them. Each is sealed by a master key, which is not in the database.
create table installation_keys (
  purpose      text not null,
  number       int not null check (number > 0),
  sealed       bytea not null,
  sealed_by    text not null,  -- id of the master key
  sealed_at    timestamptz(3),  -- of a later sealing; null: sealed once, when it was made
  sealing_from timestamptz(3),  -- of a renewed key: from then on the processes seal with it. Null: since it was made
  created_at   timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  primary key (purpose, number)
);

create table audit_log (
  id         bigint generated always as identity primary key,
  at         timestamptz(3) not null default product_now(),
  actor      text not null,  -- operator:<name>, at the desk or by his credential; else the client id of the credential
  action     text not null,
  subject    text,
  tenant_id  id,
  request_id text,
  before     jsonb,
  after      jsonb
);
create index audit_log_by_subject on audit_log (subject, id);
create index audit_log_by_actor on audit_log (actor, id);

-- A hash chain over the audit log, in the order of commits. Each hash covers the previous hash and its entry's content, so
-- `audit verify` finds an entry that was changed, removed or inserted.
create table audit_chain (
  number   bigint primary key,  -- from 1, without gaps
  entry_id bigint not null unique,  -- the row of audit_log
  previous bytea not null,
  hash     bytea not null
);

-- The bytes of an entry that are hashed. src/kernel/audit/log.ts computes them by an expression of its own, because an intruder
-- could change this function.
create function audit_content(entry audit_log) returns bytea language sql stable as $$
  select convert_to(jsonb_build_array(entry.id, (extract(epoch from entry.at) * 1000)::bigint, entry.actor, entry.action,
    entry.subject, entry.tenant_id, entry.request_id, entry.before, entry.after)::text, 'UTF8')
$$;

-- Appends an entry to the chain when its transaction commits. A writer therefore waits only for the commits of other writers.
create function audit_chain_entry() returns trigger language plpgsql security definer
  set search_path = public, pg_temp
as $$
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

-- Entries can be added and read, whoever connects.
create trigger audit_chain_is_final before delete or update or truncate on audit_chain
  for each statement execute function refuse_change('the audit log is only added to');
create trigger audit_log_is_final before delete or update or truncate on audit_log
  for each statement execute function refuse_change('the audit log is only added to');
create constraint trigger audit_log_is_chained after insert on audit_log deferrable initially deferred
  for each row execute function audit_chain_entry();

-- The head of the chain at the beginning of an hour, which is told outside (src/parties/witness). The first head of an hour stays.
create table audit_heads (
  hour    timestamptz(0) primary key,
  number  bigint not null,
  hash    bytea not null,
  told_at timestamptz(3)  -- null: not told yet
);
create index audit_heads_untold on audit_heads (hour) where told_at is null;

-- The dispatcher, one of 16 (SHARDS in src/kernel/outbox/events.ts), that an endpoint's events belong to.
create function webhook_shard(tenant_id text, registration text) returns smallint immutable language sql
  return mod(abs(hashtext(tenant_id || registration)::bigint), 16)::smallint;

-- The name by which receivers know an event of a reference. Null and empty differ.
create function event_name(event text, type text, subtype text) returns text immutable parallel safe language sql
  return event || ' ' || type || ' ' || coalesce(subtype, '-');

-- The record that an event tells of. `data` is JSON that we rendered, so a text of a client's in it is escaped.
create function event_record(data text, data_id text) returns text immutable parallel safe language sql
  return coalesce(substring(data from '"(?:recordId|cardholderId|userId|clientId)":"([a-z]+_[0-9a-z]+)"'), data_id);

-- The attempts of a delivery with one more, the newest 20 (src/tenants/webhooks/delivery/attempts.ts).
create function webhook_attempts(made jsonb, attempt jsonb) returns jsonb immutable parallel safe language sql
  return case when jsonb_array_length(made) >= 20 then made - 0 else coalesce(made, '[]') end || attempt;

-- Events for webhooks. Each is written in the transaction that it tells of; dispatchers deliver it. An event has at most one
-- endpoint, because a tenant registers one URL a type, so the state of its delivery is in the same row.
create table events (
  number          bigint generated always as identity primary key,
  created_at      timestamptz(3) not null,
  due_at          timestamptz(3),  -- the order of delivery: when it happened
  leased_until    timestamptz(3),  -- reserved by a dispatcher until then
  delivered_at    timestamptz(3),
  shard           smallint not null,
  attempts        smallint not null default 0,
  tenant_id       id not null,
  registration    text not null,
  event           text not null,
  data_id         id not null,
  reference_id    id,
  type            text,
  subtype         text,
  data            text not null,  -- the exact bytes of the envelope's data
  idempotency_key text,
  -- recorded: no endpoint was registered. due: awaits delivery. parked: its endpoint was deleted.
  delivery        text not null check (delivery in ('recorded', 'due', 'delivered', 'failed', 'parked')),
  last_error      text,
  traceparent     text,  -- of the request that caused it, where traces are on
  attempts_made   jsonb,  -- oldest first: [{ at, url, status, durationMs, error }], `url` an id of webhook_urls
  check (registration in ('card', 'account', 'deposit', 'cardholder', 'kyc', 'payout', 'transfer'))
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
-- Receivers drop a second event with the same (event, referenceId, type, subtype): interface.md 6.1, receiver rule 3.
-- The names are hashed, because they would be half of the index. No two of our names have the same hash.
create unique index events_are_told_once on events (reference_id, hashtext(event_name(event, type, subtype))) nulls not distinct
  where reference_id is not null;
-- Finds the endpoints with due events, by a skip from one to the next, and the next event of an endpoint.
create index events_due on events (shard, tenant_id, registration, due_at, number) where delivery = 'due';
create index events_to_resend on events (tenant_id, registration, created_at, number)
  where delivery in ('recorded', 'failed', 'parked');
-- With the index before it, finds a tenant's events in the order of their time. The two are disjoint, so that an event has an entry
-- in one of them.
create index events_sent on events (tenant_id, registration, created_at, number) where delivery in ('due', 'delivered');
-- Finds the events that wait for a disabled endpoint to be set again.
create index events_parked on events (tenant_id, registration, created_at, number) where delivery = 'parked' and due_at is not null;
-- Finds the events of a record's story. Events of cards and accounts, nearly all of the table, are left out because they are
-- found by their reference.
create index events_of_record on events (event_record(data, data_id), number)
  where event not in ('card_transaction', 'account_transaction');
create index events_by_data_id on events (data_id) where event not in ('card_transaction', 'account_transaction');

-- Rows that the hot path writes as arrays.
create type new_event as (
  tenant_id text, registration text, event text, data_id text, reference_id text, type text, subtype text, data text,
  idempotency_key text, created_at timestamptz, traceparent text
);

-- Commands to workflows: start, or look at the record again. A row is deleted when Temporal has accepted it.
create table workflow_commands (
  number       bigint generated always as identity primary key,
  workflow     text not null,  -- the registered name
  workflow_id  text not null,
  task_queue   text not null,
  action       text not null check (action in ('start', 'look')),
  args         jsonb not null,
  tenant_id    id,
  summary      text,
  traceparent  text,  -- of the request that caused it, where traces are on
  created_at   timestamptz(3) not null default date_trunc('milliseconds', now()),
  attempts     int not null default 0,
  due_at       timestamptz(3) not null default date_trunc('milliseconds', now()),
  leased_until timestamptz(3),
  parked_at    timestamptz(3),
  last_error   text
);
create index workflow_commands_due on workflow_commands (due_at) where parked_at is null;
-- Finds the waiting commands of a workflow, to withdraw one and to avoid a second of the same kind.
create index workflow_commands_workflow on workflow_commands (workflow_id);
-- Finds commands that were given up.
create index workflow_commands_parked on workflow_commands (parked_at) where parked_at is not null;

-- API processes that serve now. Each renews its row every few seconds. Their number divides the rate limits of tenants.
create table api_processes (
  id      text primary key,
  beat_at timestamptz not null
);
