-- The writes of the hot path in fewer bytes and less parsing: arrays of rows in place of JSON. Their types are their own, so
-- that a column added to a table later breaks no process that does not know it yet. Processes from before this migration
-- cannot post after it: stop them first.
create type new_card_transaction as (
  id text, card_id text, tenant_id text, number bigint, at timestamptz, type text, amount numeric, currency text,
  billing_amount numeric, billing_currency text, reference_id text, linked_id text, authorization_id text, fee numeric,
  forced boolean, decline_reason text, source text, merchant jsonb, available numeric, pending numeric, spent numeric
);
create type new_authorization as (
  id text, card_id text, reference_id text, currency text, billing_currency text, rate numeric, authorized numeric,
  settled numeric, reversed numeric, refunded numeric, billing_authorized numeric, billing_settled numeric,
  billing_reversed numeric, billing_refunded numeric, fee_percent numeric, fee_held numeric, last_settle_id text,
  expires_at timestamptz, closed boolean, created_at timestamptz, updated_at timestamptz
);
create type ledger_new_balance as (id text, seen bigint, entries bigint, available numeric, pending numeric, spent numeric);
create type ledger_new_leg as (
  posting int, account_id text, currency text, number bigint, id text, type text, subtype text, reference_id text,
  available numeric, pending numeric, spent numeric, balance_available numeric, balance_pending numeric,
  balance_spent numeric, forced boolean, listed boolean
);

drop function ledger_write(json, json, timestamptz);

-- Writes legs and the balances that they lead to: the only writer of either. The caller has locked the accounts, tried
-- the postings in order and numbered the legs (src/kernel/ledger/book.ts); what is written here is checked again by the
-- constraints of both tables, and a caller that had not seen an account's last entry is refused.
create function ledger_write(p_balances ledger_new_balance[], p_legs ledger_new_leg[], p_at timestamptz)
  returns void language plpgsql
  -- Each row is looked up by its key, however small the tables were when this was planned.
  set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_updated int;
  v_first bigint := nextval('ledger_postings');
begin
  update ledger_accounts a
     set available = n.available, pending = n.pending, spent = n.spent, entries = n.entries, last_at = p_at
    from unnest(p_balances) n
   where a.id = n.id and a.entries = n.seen and a.last_at <= p_at;
  get diagnostics v_updated = row_count;
  if v_updated <> cardinality(p_balances) then
    raise exception 'an account has moved since it was read' using errcode = 'serialization_failure';
  end if;
  insert into ledger_legs
  select v_first + l.posting, l.account_id, l.currency, l.number, p_at, l.id, l.type, l.subtype, l.reference_id, l.available,
         l.pending, l.spent, l.balance_available, l.balance_pending, l.balance_spent, l.forced, l.listed,
         case when l.number is null then pg_current_xact_id() end
    from unnest(p_legs) l;
end $$;

-- A stored generated column is worked out anew, from its text, by every statement that updates the row; the order of the
-- locks is now in the statement that takes them.
alter table ledger_accounts drop column lock_rank;
