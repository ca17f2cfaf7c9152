-- outside a transaction

-- How many wallets a tenant holds is counted at each allocation.
create index concurrently if not exists wallet_allocations_of_tenant on wallet_allocations (tenant_id) where ended_at is null;

-- Deposits whose chain has not been asked yet: told, with those that wait for a height, when its blocks are read no more.
create index concurrently if not exists transfers_on_chain_without_word on transfers ((terms->>'chain'))
  where kind = 'chain_deposit' and word is null;
