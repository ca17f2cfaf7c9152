-- outside a transaction

-- Deposits on chains are transfers (kind `chain_deposit`); here is how far the blocks of each chain are read, and what was found
-- that is not posted.
create table if not exists chain_places (
  chain        text primary key references networks,
  block_number bigint not null,             -- the last block that was read, and all before it
  read_at      timestamptz(3) not null
);

-- The hashes of the blocks that were read last: where a chain was reorganised it is read again from the last one that both know.
create table if not exists chain_blocks (
  chain  text not null references networks,
  number bigint not null,
  hash   text not null,
  primary key (chain, number)
);

-- Of contracts that no network lists, for anybody can make one and send of it: shown, never posted.
create table if not exists unlisted_tokens (
  chain        text not null references networks,
  tx_hash      text not null,
  ordinal      int not null,
  token        text not null,
  address      text not null,
  units        numeric not null,
  block_number bigint not null,
  block_hash   text not null,
  seen_at      timestamptz(3) not null,
  primary key (chain, tx_hash, ordinal)
);
create index if not exists unlisted_tokens_newest on unlisted_tokens (seen_at desc);

-- Those that a new block concerns, and those that a reorganisation does.
create index concurrently if not exists transfers_on_chain on transfers ((terms->>'chain'), ((coalesce(word->>'blockNumber', terms->>'blockNumber'))::bigint))
  where kind = 'chain_deposit';
create index concurrently if not exists transfers_on_chain_waiting on transfers ((terms->>'chain'))
  where kind = 'chain_deposit' and word->>'state' in ('seen', 'absent');
