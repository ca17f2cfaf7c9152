-- outside a transaction

-- Orders for which the exchange owes us something: what a check of the settlement counts and releases. All of one that is
-- completed has been released.
create index concurrently if not exists exchange_orders_owed on transfers ((terms->>'toCurrency'), id)
  where kind = 'exchange_order' and status <> 'completed' and word->'fills' <> '[]';
