-- outside a transaction

-- How many wallets a tenant holds is counted at each allocation.
create index concurrently if not exists wallet_allocations_of_tenant on wallet_allocations (tenant_id) where ended_at is null;
