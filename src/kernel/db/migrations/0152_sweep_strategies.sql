-- How tokens get off wallets: the wallet sends them, or the station calls a wallet that has delegated to a contract (EIP-7702).
alter table gas_configs add column sweep_strategy text not null default 'transfer'
  check (sweep_strategy in ('transfer', 'delegated'));

-- Who sends a sweep in place of its wallet, and pays for it; null: from_address does. Several of one station may be one transaction:
-- that of the operation which they are in a batch of.
alter table gas_operations
  add column station_address text collate "C",
  add column batch_of id references gas_operations;
create index gas_operations_of_batch on gas_operations (batch_of) where batch_of is not null;

-- What the wallets of a transaction have signed: public once it is broadcast, and good for nothing else.
alter table chain_nonces add column authorizations jsonb not null default '[]';

-- The operations of a batch share a transaction; two operations of one wallet never do.
drop index gas_operations_hash;
create unique index gas_operations_hash on gas_operations (chain, tx_hash, wallet_id) where tx_hash is not null;
