-- outside a transaction
-- Transfers of unlisted tokens follow the chain, and their sums are whole.

-- Finds the transfers of blocks that a reorganisation replaced.
create index concurrently if not exists unlisted_tokens_of_block on unlisted_tokens (chain, block_number);

-- Further transfers of a transaction, one row for a token. Lists do not show them, and sums count them when the token is listed.
create table if not exists unlisted_rests (
  chain        text not null references networks,
  tx_hash      text not null,
  token        text not null,
  block_number bigint not null,
  transfers    jsonb not null,  -- by ordinal: [address, units]
  primary key (chain, tx_hash, token)
);
create index if not exists unlisted_rests_of_token on unlisted_rests (chain, token, block_number);
create index if not exists unlisted_rests_of_block on unlisted_rests (chain, block_number);
