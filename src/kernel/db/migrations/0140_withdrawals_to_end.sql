-- outside a transaction

-- Those that end with their destination: what has ended before it was ordered is not among them. It takes the place of
-- `withdrawals_not_ordered`.
create index concurrently if not exists withdrawals_open_not_ordered on transfers ((terms ->> 'destinationId'))
  where kind = 'exchange_withdrawal' and ordered_at is null
    and status in ('created', 'pending_approval', 'processing', 'sent');
drop index concurrently if exists withdrawals_not_ordered;
