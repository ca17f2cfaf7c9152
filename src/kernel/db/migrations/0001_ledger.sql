-- Identifiers sort by their bytes, whatever the database's locale: a typeid is ordered by time.
create domain id as text collate "C";

-- Client accounts (master, user) and cards store their balances; internal accounts are the sum of their legs,
-- so that no transaction must lock a row that all others need too.
create table ledger_accounts (
  id         id primary key,
  kind       text not null check (kind in ('card', 'user', 'iban', 'master', 'internal')),
  tenant_id  id,
  currency   text not null,
  -- Rows are locked in the order (lock_rank, id): the busiest, a tenant's master accounts, last.
  lock_rank  smallint not null generated always as
               (case kind when 'card' then 1 when 'user' then 2 when 'iban' then 3 when 'master' then 4 else 9 end) stored,
  available  numeric not null default 0,
  pending    numeric not null default 0 constraint hold_not_negative check (pending >= 0),
  spent      numeric not null default 0,
  entries    bigint not null default 0,
  last_at    timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  created_at timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp())
) with (fillfactor = 60);
create index ledger_accounts_by_tenant on ledger_accounts (tenant_id);

-- A call of ledger_write takes a thousand numbers and counts its postings within them.
create sequence ledger_postings increment by 1000;

-- One row a posting and account: what changes in each of its balances. available + pending sums to zero over a
-- posting and currency; spent is a card's statistic beside them.
create table ledger_legs (
  posting_id bigint not null,
  account_id id not null,
  currency   text not null,
  number     bigint,            -- 1, 2, 3 … per account, under its lock; null on internal accounts
  at         timestamptz(3) not null,
  id         id,                -- the public id of an account transaction
  type       text not null,
  subtype    text,
  reference_id id,
  available  numeric not null,
  pending    numeric not null,
  spent      numeric not null,
  balance_available numeric,    -- after this leg; null on internal accounts
  balance_pending   numeric,
  balance_spent     numeric,
  forced     boolean not null,
  listed     boolean not null,  -- shown in the account's history
  xact       xid8,              -- internal accounts only: lets a snapshot know what it has seen
  -- Only a forced posting may take an account below zero. Within a posting, credits come before debits.
  constraint not_overdrawn check (forced or number is null or available >= 0 or balance_available >= 0)
);
create unique index ledger_legs_of_account on ledger_legs (account_id, at, number) where number is not null;
create index ledger_legs_listed on ledger_legs (account_id, at, number) where listed;
create index ledger_legs_internal on ledger_legs (account_id, xact) where number is null;
create index ledger_legs_by_reference on ledger_legs using hash (reference_id) where listed;

create table ledger_snapshots (
  account_id id not null references ledger_accounts,
  taken_at   timestamptz(3) not null,
  horizon    xid8 not null,     -- every leg of an older transaction is in; no other is
  available  numeric not null,
  primary key (account_id, taken_at)
);

create function ledger_refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'a posted leg is never changed or deleted: post its reversal' using errcode = 'integrity_constraint_violation';
end $$;
create trigger ledger_legs_are_final before update or delete or truncate on ledger_legs
  for each statement execute function ledger_refuse_change();

-- Two promises, kept whoever connects: a posting sums to zero per currency, and a stored balance is what its last
-- leg says. Once a statement, not once a row: a batch of postings pays once.
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
create trigger ledger_legs_balance after insert on ledger_legs referencing new table as new_legs
  for each statement execute function ledger_check_legs();

-- Writes legs and the balances that they lead to: the only writer of either. The caller has locked the accounts, tried
-- the postings in order and numbered the legs (src/kernel/ledger/book.ts); what is written here is checked again by the
-- constraints above, and a caller that had not seen an account's last entry is refused.
create function ledger_write(p_accounts json, p_legs json, p_at timestamptz) returns void language plpgsql as $$
declare
  v_expected int := json_array_length(p_accounts);
  v_updated int;
  v_first bigint := nextval('ledger_postings');
begin
  update ledger_accounts a
     set available = n.available, pending = n.pending, spent = n.spent, entries = n.entries, last_at = p_at
    from json_to_recordset(p_accounts) as n(id id, seen bigint, available numeric, pending numeric, spent numeric, entries bigint)
   where a.id = n.id and a.entries = n.seen and a.last_at <= p_at;
  get diagnostics v_updated = row_count;
  if v_updated <> v_expected then
    raise exception 'an account has moved since it was read' using errcode = 'serialization_failure';
  end if;
  insert into ledger_legs
  select v_first + l.posting, l.account_id, l.currency, l.number, p_at, l.id, l.type, l.subtype, l.reference_id, l.available,
         l.pending, l.spent, l.balance_available, l.balance_pending, l.balance_spent, l.forced, l.listed,
         case when l.number is null then pg_current_xact_id() end
    from json_to_recordset(p_legs) as l(posting int, account_id id, currency text, number bigint, id id, type text,
      subtype text, reference_id id, available numeric, pending numeric, spent numeric, balance_available numeric,
      balance_pending numeric, balance_spent numeric, forced boolean, listed boolean);
end $$;
