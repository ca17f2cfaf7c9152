-- Both functions are those of 0001 with fewer look-ups of accounts, because ledger_write is a third of Postgres' work for an
-- authorization.

-- The last leg of an account comes from one sort of the new legs instead of a join with themselves.
create or replace function ledger_check_legs() returns trigger language plpgsql as $$
begin
  if exists (select from new_legs group by posting_id, currency having sum(available + pending) <> 0) then
    raise exception 'a posting does not sum to zero' using errcode = 'integrity_constraint_violation';
  end if;
  if exists (
    select from (select distinct on (account_id) account_id, number, balance_available, balance_pending, balance_spent
                   from new_legs where number is not null order by account_id, number desc) l
      join ledger_accounts a on a.id = l.account_id
     where a.available <> l.balance_available or a.pending <> l.balance_pending or a.spent <> l.balance_spent
        or a.entries < l.number
  ) then
    raise exception 'a stored balance differs from its last leg' using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;

-- The update of the balances checks the account and the currency of numbered legs, so only internal and listed legs look up
-- their account again. Such a look-up is a scalar, which the index answers even if the plan is from the time when the table
-- was small. All else is as in 0001.
create or replace function ledger_write(p_balances ledger_new_balance[], p_legs ledger_new_leg[], p_at timestamptz)
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
  -- `currency` is null where the legs of an account differ in it.
  with changed as (
    select id, max(seen) as seen, max(entries) as entries, max(available) as available, max(pending) as pending, max(spent) as spent,
           sum(legs_available) as legs_available, sum(legs_pending) as legs_pending, sum(legs_spent) as legs_spent,
           min(number) as first, max(number) as last, case when min(currency) = max(currency) then min(currency) end as currency
      from (select n.id, n.seen, n.entries, n.available, n.pending, n.spent, 0::numeric as legs_available, 0::numeric as legs_pending,
                   0::numeric as legs_spent, null::bigint as number, null::text as currency from unnest(p_balances) n
            union all
            select l.account_id, null, null, null, null, null, l.available, l.pending, l.spent, l.number, l.currency
              from unnest(p_legs) l where l.number is not null) given
     group by id
  ), moved as (
    update ledger_accounts a
       set available = c.available, pending = c.pending, spent = c.spent, entries = c.entries, last_at = p_at
      from changed c
     where a.id = c.id and a.kind <> 'internal' and a.entries = c.seen and a.last_at <= p_at and c.entries > c.seen
       and c.available = a.available + c.legs_available and c.pending = a.pending + c.legs_pending
       and c.spent = a.spent + c.legs_spent
       and (c.first is null or (c.first > c.seen and c.last <= c.entries and c.currency = a.currency))
    returning 1
  )
  select (select count(*) from changed), (select count(*) from moved) into v_accounts, v_rows;
  if v_accounts <> cardinality(p_balances) then
    raise exception 'an entry has no balance' using errcode = 'integrity_constraint_violation';
  end if;
  if v_rows <> v_accounts then
    if exists (select from unnest(p_legs) l where l.number is not null and l.currency is distinct from
                (select a.currency from ledger_accounts a where a.id = l.account_id and a.kind <> 'internal')) then
      raise exception 'an entry names an account that does not exist in its currency' using errcode = 'foreign_key_violation';
    end if;
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
         l.balance_pending, l.balance_spent,
         case when l.listed then (select a.tenant_id from ledger_accounts a where a.id = l.account_id) end
    from unnest(p_legs) l
   where l.number is not null
      or (select a.kind from ledger_accounts a where a.id = l.account_id and a.currency = l.currency) = 'internal';
  get diagnostics v_rows = row_count;
  if v_rows <> cardinality(p_legs) then
    raise exception 'an entry names an account that does not exist in its currency' using errcode = 'foreign_key_violation';
  end if;
end $$;
