-- Addresses of ours: derived by their index from the seed, so no key is kept.
create table wallets (
  id                id primary key,
  chain             text not null references networks,
  kind              text not null check (kind in ('evm', 'tron')),   -- of its network
  address           text not null unique collate "C",
  derivation_index  int not null check (derivation_index >= 0),
  purpose           text not null check (purpose in ('pool', 'station')),
  status            text not null check (status in ('available', 'allocated', 'quarantined', 'disabled')),
  quarantined_until timestamptz(3),
  sweep_id          id,                     -- what is emptying it: nobody is given it meanwhile
  created_at        timestamptz(3) not null,
  updated_at        timestamptz(3) not null,
  unique (kind, derivation_index),          -- one address on all chains of a kind: it is of one chain's wallet alone
  check ((status = 'quarantined') = (quarantined_until is not null))
);
create index wallets_of_chain on wallets (chain, purpose, status, derivation_index);
create index wallets_quarantined on wallets (quarantined_until) where status = 'quarantined';

-- A wallet that is kept for the deposits of one payer. One at a time holds a wallet.
create table wallet_allocations (
  id         id primary key,
  wallet_id  id not null references wallets,
  tenant_id  id not null,
  account_id id not null,
  asset      text not null,
  reference  text not null collate "C",
  expires_at timestamptz(3),
  started_at timestamptz(3) not null,
  ended_at   timestamptz(3),
  due_by     timestamptz(3),                -- its workflow must have ended it by then, or was lost
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  unique (tenant_id, reference)
);
create unique index wallet_allocations_of_wallet on wallet_allocations (wallet_id) where ended_at is null;
create index wallet_allocations_history on wallet_allocations (wallet_id, started_at desc);
create index wallet_allocations_due on wallet_allocations (due_by) where ended_at is null and due_by is not null;
