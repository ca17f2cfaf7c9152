-- outside a transaction

-- Those that end with their destination: what has ended before it was ordered is not among them. The release before goes by
-- `withdrawals_not_ordered`, which the next one drops; and `exchange_orders_waiting` of 0136, which nothing after it reads.
create index concurrently if not exists withdrawals_open_not_ordered on transfers ((terms ->> 'destinationId'))
  where kind = 'exchange_withdrawal' and ordered_at is null
    and status in ('created', 'pending_approval', 'processing', 'sent');
