-- outside a transaction

-- What stood on a chain at a block, beside our books of the same moment: a row a place and asset, read every few minutes.
create table if not exists chain_readings (
  chain         text not null references networks,
  place         text not null check (place in ('pool', 'station', 'treasury')),
  asset         text not null,
  read_at       timestamptz(3) not null,
  block_number  bigint not null,
  reported      numeric not null,
  booked        numeric not null,
  -- What was on the chain by that block and not in the books, and is known: deposits that are not final, what an operation has moved,
  -- units that the ledger has no decimals for.
  unbooked      numeric not null,
  -- Since when the chain has had another sum than the last two, without a reading in between at which it had not.
  differs_since timestamptz(3),
  primary key (chain, place, asset, read_at)
);

-- Deposits of which the ledger could not hold all units, and those that were mined again with others: what they left on the pool.
create index concurrently if not exists transfers_on_chain_with_dust on transfers ((terms->>'chain'), (terms->>'asset'))
  where kind = 'chain_deposit' and (terms->>'dust' <> '0' or word->>'units' <> terms->>'units');
