-- outside a transaction
-- Permanent addresses: an allocation without an end, and one derivation index on all EVM networks.

-- null: the index is the wallet's alone. evm: the index is a wallet on every EVM network that was enabled while it was allocated.
alter table wallets add column if not exists scope text check (scope = 'evm');

-- An address is one wallet on each chain. The order serves the search for an address alone.
create unique index concurrently if not exists wallets_of_address on wallets (address, chain);
create unique index concurrently if not exists wallets_of_index on wallets (kind, derivation_index, chain);
create unique index concurrently if not exists wallets_alone on wallets (kind, derivation_index) where scope is null;
alter table wallets drop constraint if exists wallets_address_key;
alter table wallets drop constraint if exists wallets_kind_derivation_index_key;

-- Wallets that a sweep may find money on.
create index concurrently if not exists wallets_used on wallets (chain, tenant_id)
  where purpose = 'pool' and status in ('available', 'quarantined', 'allocated') and tenant_id is not null;

-- An index has one address, and only a scope shares it.
create or replace function wallets_refuse_taken_index() returns trigger language plpgsql as $$
begin
  if exists (select from wallets other
              where other.kind = new.kind and other.derivation_index = new.derivation_index
                and (other.scope is null or new.scope is null or other.address <> new.address)) then
    raise unique_violation using message = format('the index %s has another wallet', new.derivation_index);
  end if;
  return new;
end $$;
create or replace trigger wallets_share_by_scope before insert on wallets
  for each row execute function wallets_refuse_taken_index();

alter table wallet_allocations add column if not exists permanent boolean not null default false;
-- As the wallet's. An allocation of a scope is a row a network: the first one, and others that name it.
alter table wallet_allocations add column if not exists scope text check (scope = 'evm');
alter table wallet_allocations add column if not exists scope_of id;

-- A reference is one allocation, which has a row on each network of its scope.
create unique index concurrently if not exists wallet_allocations_reference on wallet_allocations
  (tenant_id, reference, (case when scope_of is null then '' else wallet_id::text end));
alter table wallet_allocations drop constraint if exists wallet_allocations_tenant_id_reference_key;
create index concurrently if not exists wallet_allocations_members on wallet_allocations (scope_of) where scope_of is not null;
-- A network that is enabled joins them.
create index concurrently if not exists wallet_allocations_scoped on wallet_allocations (id)
  where scope is not null and scope_of is null and ended_at is null;
-- Counts a tenant's addresses: an address of a scope counts once.
create index concurrently if not exists wallet_allocations_counted
  on wallet_allocations (tenant_id, coalesce(ended_at, expires_at, 'infinity'::timestamptz)) include (ended_at, expires_at)
  where scope_of is null;

-- An index has one holder at a time, and one tenant for ever.
create or replace function wallet_allocations_refuse_second_holder() returns trigger language plpgsql as $$
begin
  if exists (select from wallets own
               join wallets other on other.kind = own.kind and other.derivation_index = own.derivation_index and other.id <> own.id
               left join wallet_allocations held on held.wallet_id = other.id and held.ended_at is null
              where own.id = new.wallet_id
                and (other.tenant_id <> new.tenant_id
                     or coalesce(held.scope_of, held.id) <> coalesce(new.scope_of, new.id))) then
    raise unique_violation using message = format('the index of the wallet %s has another holder', new.wallet_id);
  end if;
  return new;
end $$;
create or replace trigger wallet_allocations_one_holder before insert on wallet_allocations
  for each row execute function wallet_allocations_refuse_second_holder();

-- What the books hold of one wallet, which bounds its sweep while it is allocated.
create index concurrently if not exists holding_changes_of_address on holding_changes (chain, address, asset) include (booked);
