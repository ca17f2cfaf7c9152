-- An entry of an account that has no row was stored and stood in no trial balance. ledger_write refuses it, and one in another
-- currency than its account's: each entry finds its account by key as it is inserted.
insert into ledger_accounts (id, kind, currency)
select names.name || ':' || currencies.currency, 'internal', currencies.currency
  from (values ('funding'), ('card_network'), ('fees'), ('fx_position'), ('suspense'), ('deposits'), ('payouts'), ('treasury'),
               ('losses')) names (name)
  cross join (select distinct currency from ledger_accounts) currencies
on conflict do nothing;

create or replace function ledger_write(p_balances ledger_new_balance[], p_legs ledger_new_leg[], p_at timestamptz)
  returns void language plpgsql
  -- Each row is looked up by its key, however small the tables were when this was planned.
  set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_rows int;
  v_first bigint := nextval('ledger_postings');
begin
  update ledger_accounts a
     set available = n.available, pending = n.pending, spent = n.spent, entries = n.entries, last_at = p_at
    from unnest(p_balances) n
   where a.id = n.id and a.entries = n.seen and a.last_at <= p_at;
  get diagnostics v_rows = row_count;
  if v_rows <> cardinality(p_balances) then
    raise exception 'an account has moved since it was read' using errcode = 'serialization_failure';
  end if;
  insert into ledger_legs
  select v_first + l.posting, l.account_id, l.currency, l.number, p_at, l.id, l.type, l.subtype, l.reference_id, l.available,
         l.pending, l.spent, l.balance_available, l.balance_pending, l.balance_spent, l.forced, l.listed,
         case when l.number is null then pg_current_xact_id() end
    from unnest(p_legs) l join ledger_accounts a on a.id = l.account_id and a.currency = l.currency;
  get diagnostics v_rows = row_count;
  if v_rows <> cardinality(p_legs) then
    raise exception 'an entry names an account that does not exist in its currency' using errcode = 'foreign_key_violation';
  end if;
end $$;
