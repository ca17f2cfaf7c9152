-- outside a transaction

-- What a tenant has of the pool: what holds its wallet, and what has ended so lately that its wallet rests. Counted without a look at
-- the rows.
create index concurrently if not exists wallet_allocations_resting
  on wallet_allocations (tenant_id, (coalesce(ended_at, expires_at, 'infinity'::timestamptz))) include (ended_at, expires_at);
drop index concurrently if exists wallet_allocations_of_tenant;

-- So that not each allocation counts them: at most so many a tenant has, for a rest of so long. Its row is the lock of its allocations.
create table if not exists allocation_counts (
  tenant_id          id primary key,
  at_most            int check (at_most >= 0),       -- null: not counted yet
  quarantine_seconds int not null check (quarantine_seconds >= 0)
);
