-- outside a transaction
-- Transfers of unlisted tokens follow the chain, and their sums are whole. Adopted wallets are swept of booked money.

-- Finds the transfers of blocks that a reorganisation replaced.
create index concurrently if not exists unlisted_tokens_of_block on unlisted_tokens (chain, block_number);

-- Further transfers of a transaction, one row for a token. Lists do not show them, and sums count them when the token is listed.
create table if not exists unlisted_rests (
  chain        text not null,
  tx_hash      text not null,
  token        text not null,
  block_number bigint not null,
  transfers    jsonb not null,  -- by ordinal: [address, units]
  primary key (chain, tx_hash, token)
);
create index if not exists unlisted_rests_of_token on unlisted_rests (chain, token, block_number);
create index if not exists unlisted_rests_of_block on unlisted_rests (chain, block_number);
alter table unlisted_rests drop constraint if exists unlisted_rests_chain;
alter table unlisted_rests
  add constraint unlisted_rests_chain foreign key (chain) references networks (chain) not valid;

-- Wallets that a sweep may find booked money on: allocated once, or adopted.
create index concurrently if not exists wallets_to_sweep on wallets (chain, derivation_index)
  where purpose = 'pool' and status in ('available', 'quarantined', 'allocated') and (tenant_id is not null or adopted);
drop index concurrently if exists wallets_used;
