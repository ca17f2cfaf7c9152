-- outside a transaction

-- What was spent in months that no limit looks at any more is deleted, and found by its day.
create index concurrently if not exists spending_by_day on spending using brin (day);
