-- outside a transaction

-- Comparisons of a chain with the books that have begun and not ended, be it because nothing can be read: since when there was none.
create table if not exists chain_comparisons (
  chain text primary key references networks,
  since timestamptz(3) not null
);

-- What was left on the wallets of a chain's pool when it was read last, in units of the chain.
create table if not exists pool_dust (
  chain         text not null references networks,
  asset         text not null,
  below_minimum numeric not null,
  below_ledger  numeric not null,
  read_at       timestamptz(3) not null,
  primary key (chain, asset)
);

-- What sweeps have moved that the ledger has no decimals for is summed at each reading of a chain: by the index alone.
create index concurrently if not exists gas_operations_units_swept on gas_operations (chain, asset) include (moved_units, lost_units)
  where type = 'sweep' and executed_at is not null;
