-- What was swept off wallets, and what gas they were given: each by one transaction on the chain.
create table gas_operations (
  id             id primary key,
  type           text not null check (type in ('sweep', 'topup')),
  chain          text not null references networks,
  wallet_id      id not null references wallets,
  asset          text not null,
  token          text collate "C",              -- its contract; null: the native coin
  decimals       int not null check (decimals >= 0),
  from_address   text not null collate "C",
  to_address     text not null collate "C",
  units          numeric(78) not null check (units > 0),
  execution      text not null check (execution in ('local', 'manual')),
  status         text not null check (status in ('pending', 'awaiting_confirmation', 'confirming', 'completed', 'failed', 'expired')),
  waits_for      text,                          -- a code: why it does not go on
  tx_hash        text collate "C",
  moved_units    numeric(78),                   -- what has arrived
  lost_units     numeric(78),                   -- what a token has taken on the way
  fee_units      numeric(78),                   -- of the native coin
  failure_code   text,
  failure_reason text,
  expires_at     timestamptz(3) not null,
  exported_at    timestamptz(3),
  executed_at    timestamptz(3),                -- when the chain's word was booked
  due_by         timestamptz(3),                -- its workflow must have moved it by then, or was lost
  revision       int not null default 0,
  created_at     timestamptz(3) not null,
  updated_at     timestamptz(3) not null,
  check ((status = 'failed') = (failure_code is not null))
);
create unique index gas_operations_open on gas_operations (wallet_id, type)
  where status in ('pending', 'awaiting_confirmation', 'confirming');
create unique index gas_operations_hash on gas_operations (chain, tx_hash) where tx_hash is not null;
create index gas_operations_waiting on gas_operations (created_at desc, id desc)
  where status in ('pending', 'awaiting_confirmation', 'confirming');
create index gas_operations_newest on gas_operations (created_at desc, id desc);
create index gas_operations_of_chain on gas_operations (chain, created_at desc, id desc);
create index gas_operations_of_status on gas_operations (status, created_at desc, id desc);
create index gas_operations_fees on gas_operations (chain, coalesce(executed_at, updated_at)) where fee_units is not null;
create index gas_operations_due on gas_operations (due_by) where due_by is not null;

-- The transactions of our addresses, one nonce after the other. A transaction that does not get into a block is replaced under its
-- nonce by a dearer one: another attempt. What is signed is stored before it is broadcast, and what
-- is broadcast is so marked before.
create table chain_nonces (
  number                   bigint generated always as identity primary key,
  chain                    text not null,
  address                  text not null collate "C",
  nonce                    bigint not null check (nonce >= 0),
  attempt                  int not null check (attempt >= 0),
  operation_id             id not null references gas_operations,
  recipient                text not null collate "C",   -- the transaction's `to`: a token's contract, or who gets the coin
  value                    numeric(78) not null,
  data                     text not null,
  gas                      numeric(78) not null,
  max_fee_per_gas          numeric(78) not null,
  max_priority_fee_per_gas numeric(78) not null,
  raw                      text,
  hash                     text collate "C",           -- of what was signed here, or was reverted
  broadcast_at             timestamptz(3),
  settled_at               timestamptz(3),              -- one of its nonce is in a final block
  released_at              timestamptz(3),              -- wanted no more, and never handed over: the nonce is free
  created_at               timestamptz(3) not null,
  check (raw is null or hash is not null),
  check (released_at is null or (raw is null and broadcast_at is null))
);
create unique index chain_nonces_taken on chain_nonces (chain, address, nonce, attempt) where released_at is null;
create unique index chain_nonces_hash on chain_nonces (chain, hash) where hash is not null;
create index chain_nonces_of_operation on chain_nonces (operation_id);
create index chain_nonces_reserved on chain_nonces (chain) where settled_at is null and released_at is null;
