-- outside a transaction

-- What was booked lately of a chain's operations: asked at each reading of the chain.
create index concurrently if not exists gas_operations_executed on gas_operations (chain, executed_at) where tx_hash is not null;

-- The treasuries that have paid a station, though nothing was ever swept to them.
create index concurrently if not exists station_topups_by_treasury on station_topups (chain, from_address) where paid_by = 'treasury';

-- What was booked of blocks that are not read for deposits yet, or that no scan has passed.
create index concurrently if not exists station_topups_by_block on station_topups (chain, block_number);
