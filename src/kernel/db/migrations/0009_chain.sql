-- Networks that deposits come from. URLs of nodes may hold credentials, so they are sealed.
create table networks (
  chain         text primary key check (chain ~ '^[a-z][a-z0-9-]{0,31}$'),
  name          text not null,
  kind          text not null check (kind = 'evm'),
  chain_id      bigint not null check (chain_id > 0),
  rpc_urls      bytea not null,  -- a JSON list, sealed under the chain's name
  explorer_url  text,
  confirmations int not null check (confirmations > 0),
  enabled       boolean not null,
  assets        jsonb not null,  -- [{ symbol, contract, decimals, minDeposit }]
  version       int not null,
  created_at    timestamptz(3) not null,
  updated_at    timestamptz(3) not null
);
-- Two networks of one chain would find each deposit twice.
create unique index networks_chain_id on networks (chain_id);

-- The BIP-39 seed of all wallets. It is opened only to sign a transaction. Addresses are derived from the public keys.
create table wallet_seeds (
  id          text primary key check (id = 'main'),  -- one seed, because an address without its seed is lost
  sealed      bytea not null,  -- the entropy, sealed by a signer key, which only the signing process has
  sealed_by   text not null,  -- id of that key
  public_keys bytea not null,  -- extended public keys by kind, { evm }, sealed
  created_at  timestamptz(3) not null
);

-- What other processes ask the signing process for, and its answers. An answer is deleted once it is read. Nothing here
-- proves anything to the signing process.
create table signing_requests (
  digest      text collate "C" primary key,  -- of the request, so that a repeat is one request
  request     jsonb not null,
  asked_at    timestamptz(3) not null,  -- the last time, by the machine
  answer      jsonb,  -- signed bytes, or { refused }
  answered_at timestamptz(3)
);
create index signing_requests_open on signing_requests (asked_at) where answered_at is null;

-- Lists of what the signing process may sign, and operators' signatures on them. The signing process verifies them by
-- public keys of its own, and keeps the highest sequence outside of this database.
create table allow_lists (
  digest      text collate "C" primary key,  -- SHA-256 of what is signed
  sequence    bigint not null check (sequence > 0),
  body        text not null,  -- what is signed
  verdict     text,  -- the signing process's word, for people: in force, or why not
  judged_at   timestamptz(3),
  created_at  timestamptz(3) not null
);
create index allow_lists_order on allow_lists (sequence desc, digest);

create table allow_list_signatures (
  digest     text collate "C" not null references allow_lists,
  operator   text not null,
  signature  text not null,  -- Ed25519, base64
  created_at timestamptz(3) not null,
  primary key (digest, operator)
);

-- Addresses of ours, derived from the seed by their index. No private key is stored.
create table wallets (
  id                id primary key,
  chain             text not null references networks,
  kind              text not null check (kind = 'evm'),  -- of its network
  address           text collate "C" not null unique,
  derivation_index  int not null check (derivation_index >= 0),
  purpose           text not null check (purpose in ('pool', 'station')),
  attestation       bytea,  -- keyed hash of the above (src/chain/wallets/attestation.ts). A row without its own is nobody's
  status            text not null check (status in ('available', 'allocated', 'quarantined', 'disabled')),
  tenant_id         id,  -- the only one that it is ever allocated to, because its payers may pay late; null: it never was allocated
  quarantined_until timestamptz(3),
  sweep_id          id,  -- the sweep that empties it; it is not allocated meanwhile
  bound_to          text check (bound_to in ('native_coin', 'delegation')),  -- set once; null: neither yet
  created_at        timestamptz(3) not null,
  updated_at        timestamptz(3) not null,
  gas_balance       numeric check (gas_balance >= 0),
  gas_balance_at    timestamptz(3),
  check ((status = 'quarantined') = (quarantined_until is not null)),
  unique (kind, derivation_index),
  unique (id, tenant_id),
  check (purpose = 'pool' or tenant_id is null),
  constraint wallets_gas_balance_at check ((gas_balance is null) = (gas_balance_at is null))
);
create index wallets_of_chain on wallets (chain, purpose, status, derivation_index);
-- Finds a wallet for a tenant: one that it had, or one that nobody had.
create index wallets_free on wallets (chain, tenant_id, status, quarantined_until, derivation_index)
  where purpose = 'pool' and status in ('available', 'quarantined');
-- The same for an allocation of the native coin, which takes no wallet that delegates.
create index wallets_free_for_native on wallets (chain, tenant_id, status, quarantined_until, derivation_index)
  where purpose = 'pool' and status in ('available', 'quarantined') and bound_to is distinct from 'delegation';
create index wallets_quarantined on wallets (quarantined_until) where status = 'quarantined';
create index wallets_by_time on wallets (created_at desc);
create index wallets_of_status on wallets (status, id desc);
create index wallets_of_stations on wallets (id desc) where purpose = 'station';

-- A payment with 21,000 gas cannot pay an address that has delegated. So no wallet ever does both.
create function wallets_refuse_other_bond() returns trigger language plpgsql as $$
begin
  raise exception 'the wallet % is bound to %', old.id, old.bound_to;
end $$;
create trigger wallets_bond_stays before update of bound_to on wallets
  for each row when (old.bound_to is not null and new.bound_to is distinct from old.bound_to)
  execute function wallets_refuse_other_bond();

-- Stations and treasuries of a chain. An address has one role for ever, but for a treasury that was never used.
create table named_addresses (
  chain   text not null references networks,
  address text collate "C" not null,
  role    text not null check (role in ('station', 'treasury')),
  used    boolean not null,  -- false: its role ends when another treasury is named
  primary key (chain, address)
);

-- The lowest index that the next wallet of a kind may have. After a restore, indexes that the database has lost are skipped by it.
create table wallet_index_floors (
  kind       text primary key check (kind = 'evm'),
  lowest     int not null check (lowest >= 0),
  updated_at timestamptz(3) not null
);
create function wallet_index_floors_refuse() returns trigger language plpgsql as $$
begin
  raise exception 'the floor of wallet indexes is only ever raised';
end $$;
create trigger wallet_index_floors_rise before update on wallet_index_floors
  for each row when (new.lowest < old.lowest or new.kind <> old.kind) execute function wallet_index_floors_refuse();
create trigger wallet_index_floors_stay before delete or truncate on wallet_index_floors
  for each statement execute function wallet_index_floors_refuse();

-- A wallet reserved for the deposits of one payer. A wallet has at most one allocation at a time.
create table wallet_allocations (
  id         id primary key,
  wallet_id  id not null,
  tenant_id  id not null,
  account_id id not null,
  asset      text not null,
  reference  text collate "C" not null,
  expires_at timestamptz(3),
  started_at timestamptz(3) not null,
  ended_at   timestamptz(3),
  due_by     timestamptz(3),  -- its workflow must have ended it by then
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  unique (tenant_id, reference),
  constraint wallet_allocations_of_tenant foreign key (wallet_id, tenant_id) references wallets (id, tenant_id)
);
create unique index wallet_allocations_of_wallet on wallet_allocations (wallet_id) where ended_at is null;
create index wallet_allocations_open_for on wallet_allocations (account_id) where ended_at is null;
create index wallet_allocations_history on wallet_allocations (wallet_id, started_at desc);
create index wallet_allocations_due on wallet_allocations (due_by) where ended_at is null and due_by is not null;
-- Counts a tenant's wallets: allocated ones, and those that still rest after an allocation.
create index wallet_allocations_resting
  on wallet_allocations (tenant_id, coalesce(ended_at, expires_at, 'infinity'::timestamptz)) include (ended_at, expires_at);

-- An upper bound of a tenant's wallets, so that not every allocation counts them. Allocations lock this row.
create table allocation_counts (
  tenant_id          id primary key,
  at_most            int check (at_most >= 0),  -- null: not counted yet
  quarantine_seconds int not null check (quarantine_seconds >= 0)
);

-- How far the blocks of each chain are read.
create table chain_places (
  chain          text primary key references networks,
  block_number   bigint not null,  -- all blocks up to this one are read
  read_at        timestamptz(3) not null,
  back_to        bigint,
  back_until     bigint,
  checked_number bigint not null
);

-- Hashes of the last blocks. After a reorganisation, reading goes on from the last block that both know.
create table chain_blocks (
  chain  text not null references networks,
  number bigint not null,
  hash   text not null,
  primary key (chain, number)
);

-- What each cause has changed at an address of ours. The sum of an address and asset is what stands there.
create table holding_changes (
  chain        text not null references networks,
  cause        text collate "C" not null,  -- a deposit, an operation, a transfer to a station, or the hash of a reverted transaction
  address      text collate "C" not null,
  asset        text not null,
  place        text not null check (place in ('pool', 'station', 'treasury')),
  amount       numeric not null,  -- on the chain, exact; below zero for what has left
  booked       numeric not null,  -- of that in the books
  block_number bigint not null,
  primary key (chain, cause, address, asset)
);
-- Each reading of a chain sums what is not booked as it is, and what later blocks have changed.
create index holding_changes_unbooked on holding_changes (chain) where amount <> booked;
create index holding_changes_by_block on holding_changes (chain, block_number);
-- Each new block asks for what has come to stations and is not booked.
create index holding_changes_arrivals on holding_changes (chain, block_number)
  where place = 'station' and booked = 0 and amount > 0;

-- Transfers of tokens that no network lists. They are shown and never posted, because anybody can create a token.
create table unlisted_tokens (
  chain        text not null references networks,
  tx_hash      text not null,
  ordinal      int not null,
  token        text not null,
  address      text not null,
  units        numeric not null,
  block_number bigint not null,
  block_hash   text not null,
  seen_at      timestamptz(3) not null,
  -- The number of further transfers of the same transaction that are not kept.
  more         int not null default 0,
  primary key (chain, tx_hash, ordinal)
);
create index unlisted_tokens_newest on unlisted_tokens (seen_at desc);

-- Settings of a chain's gas station and the address that it pays from.
create table gas_configs (
  chain               text primary key references networks,
  -- amounts of the native coin, but for the price
  gas_threshold       numeric not null check (gas_threshold >= 0),
  gas_topup_amount    numeric not null check (gas_topup_amount >= 0),
  max_gas_price       numeric check (max_gas_price > 0),  -- gwei for one gas
  daily_gas_budget    numeric check (daily_gas_budget >= 0),
  min_sweep_amount    jsonb not null,  -- { symbol: decimal text }
  treasury_address    text collate "C",
  sweep_confirmations int not null check (sweep_confirmations > 0),
  auto_sweep          boolean not null,
  station_address     text collate "C",
  station_wallet_id   id references wallets,  -- null: a station whose key is not ours
  version             int not null,  -- 0: only the station was ever set
  created_at          timestamptz(3) not null,
  updated_at          timestamptz(3) not null,
  -- transfer: the wallet sends its tokens. delegated: the station calls wallets that delegate to a contract (EIP-7702).
  sweep_strategy      text not null default 'transfer' check (sweep_strategy in ('transfer', 'delegated')),
  -- approved by two people; it becomes the treasury at that time
  next_treasury_address text collate "C",
  next_treasury_at      timestamptz(3),
  check ((next_treasury_address is null) = (next_treasury_at is null)),
  check (station_wallet_id is null or station_address is not null),
  check (station_address <> treasury_address),
  constraint gas_configs_capped check (not auto_sweep or (max_gas_price is not null and daily_gas_budget is not null))
);

-- Sweeps of wallets and top-ups of their gas. Each is a transaction on the chain, or a part of a batch.
create table gas_operations (
  id              id primary key,
  type            text not null check (type in ('sweep', 'topup')),
  chain           text not null references networks,
  wallet_id       id not null references wallets,
  asset           text not null,
  token           text collate "C",  -- its contract; null: the native coin
  decimals        int not null check (decimals >= 0),
  from_address    text collate "C" not null,
  to_address      text collate "C" not null,
  units           numeric(78) not null check (units > 0),
  execution       text not null check (execution in ('local', 'manual')),
  status          text not null,
  waits_for       text,  -- a code: why it does not go on
  tx_hash         text collate "C",
  moved_units     numeric(78),  -- what has arrived
  lost_units      numeric(78),  -- what a token has taken on the way
  fee_units       numeric(78),  -- of the native coin
  failure_code    text,
  failure_reason  text,
  cancel_reason   text,  -- of a person who has cancelled what was signed
  expires_at      timestamptz(3) not null,
  exported_at     timestamptz(3),
  exported_block  bigint,  -- where the chain stood at the first export
  executed_at     timestamptz(3),  -- when the chain's word was booked
  due_by          timestamptz(3),  -- its workflow must have moved it by then
  revision        int not null default 0,
  created_at      timestamptz(3) not null,
  updated_at      timestamptz(3) not null,
  station_address text collate "C",
  batch_of        id references gas_operations,
  -- The wallet was a station before: its money is in the station's books.
  of_station      boolean not null default false,
  check (status in ('pending', 'awaiting_confirmation', 'confirming', 'completed', 'failed', 'expired')),
  check ((status = 'failed') = (failure_code is not null))
);
create unique index gas_operations_open on gas_operations (wallet_id, type)
  where status in ('pending', 'awaiting_confirmation', 'confirming');
create index gas_operations_waiting on gas_operations (created_at desc, id desc)
  where status in ('pending', 'awaiting_confirmation', 'confirming');
create index gas_operations_newest on gas_operations (created_at desc, id desc);
create index gas_operations_of_chain on gas_operations (chain, created_at desc, id desc);
create index gas_operations_of_status on gas_operations (status, created_at desc, id desc);
create index gas_operations_fees on gas_operations (chain, coalesce(executed_at, updated_at)) where fee_units is not null;
create index gas_operations_due on gas_operations (due_by) where due_by is not null;
create index gas_operations_of_batch on gas_operations (batch_of) where batch_of is not null;
create unique index gas_operations_hash on gas_operations (chain, tx_hash, wallet_id) where tx_hash is not null;
-- The operations of one wallet, and those of one asset, newest first.
create index gas_operations_of_wallet on gas_operations (wallet_id, created_at desc, id desc);
create index gas_operations_of_asset on gas_operations (asset, created_at desc, id desc);

-- Transactions of our addresses by nonce. A transaction that stays out of blocks is replaced under its nonce by an attempt with
-- a higher fee. A signed transaction is stored before it is broadcast, and marked as broadcast before it leaves.
create table chain_nonces (
  number                   bigint generated always as identity primary key,
  chain                    text not null,
  address                  text collate "C" not null,
  nonce                    bigint not null check (nonce >= 0),
  attempt                  int not null check (attempt >= 0),
  operation_id             id not null references gas_operations,
  -- the transaction's `to`: a token's contract, or who gets the coin
  recipient                text collate "C" not null,
  value                    numeric(78) not null,
  data                     text not null,
  gas                      numeric(78) not null,
  max_fee_per_gas          numeric(78) not null,
  max_priority_fee_per_gas numeric(78) not null,
  raw                      text,
  hash                     text collate "C",  -- of a transaction that was signed here or was reverted
  broadcast_at             timestamptz(3),
  settled_at               timestamptz(3),  -- a transaction with this nonce is in a final block
  released_at              timestamptz(3),  -- never broadcast and no longer wanted, so the nonce is free
  created_at               timestamptz(3) not null,
  -- EIP-7702 authorizations that its wallets have signed. They are public once the transaction is broadcast.
  authorizations           jsonb not null default '[]',
  -- It moves nothing: it takes the nonce of an operation that a person has cancelled.
  cancels                  boolean not null default false,
  refusals                 int not null default 0,  -- in a row, by all nodes
  check (raw is null or hash is not null),
  check (released_at is null or (raw is null and broadcast_at is null))
);
create unique index chain_nonces_taken on chain_nonces (chain, address, nonce, attempt) where released_at is null;
create unique index chain_nonces_hash on chain_nonces (chain, hash) where hash is not null;
create index chain_nonces_of_operation on chain_nonces (operation_id);
create index chain_nonces_reserved on chain_nonces (chain) where settled_at is null and released_at is null;
-- Finds all nonces ever given, freed ones included.
create index chain_nonces_given on chain_nonces (chain, address, nonce);
-- A transaction that was given up may be in a block after all. It is looked for whenever its sender gets a nonce.
create index chain_nonces_freed on chain_nonces (chain, address, nonce)
  where released_at is not null and settled_at is null and hash is not null;

-- The block up to which payments to a station's address are read.
create table station_scans (
  chain      text not null references networks,
  address    text collate "C" not null,
  scanned_to bigint not null,
  updated_at timestamptz(3) not null,
  primary key (chain, address)
);

-- Payments to a station in final blocks. Each is booked once.
create table station_topups (
  id           id primary key,
  chain        text not null references networks,
  address      text collate "C" not null,
  tx_hash      text collate "C" not null,
  ordinal      int not null,  -- of the log in its receipt; -1: the native coin
  from_address text collate "C" not null,
  asset        text not null,
  units        numeric not null check (units > 0),
  amount       numeric not null,  -- what was booked: rounded down to the ledger's decimals
  paid_by      text not null,  -- the internal account that it was booked from, without its currency
  reference    text not null,
  block_number bigint not null,
  block_hash   text not null,
  block_at     timestamptz(3) not null,
  created_at   timestamptz(3) not null,
  unique (chain, tx_hash, ordinal, address)
);
create index station_topups_of_chain on station_topups (chain, id desc);
create index station_topups_by_time on station_topups (created_at desc);

-- Balances on a chain at a block beside the books of that moment, by place and asset. Read every few minutes.
create table chain_readings (
  chain         text not null references networks,
  place         text not null check (place in ('pool', 'station', 'treasury')),
  asset         text not null,
  read_at       timestamptz(3) not null,
  block_number  bigint not null,
  reported      numeric not null,
  booked        numeric not null,
  -- Known amounts on the chain that are not booked: deposits before finality, moves of open operations, fractions below the
  -- ledger's decimals.
  unbooked      numeric not null,
  -- Since when reported has differed from booked and unbooked at each reading.
  differs_since timestamptz(3),
  primary key (chain, place, asset, read_at)
);

-- Comparisons of a chain with the books that have begun and not ended, and since when none has ended.
create table chain_comparisons (
  chain text primary key references networks,
  since timestamptz(3) not null
);

-- Amounts left on the pool's wallets at the last reading, in units of the chain.
create table pool_dust (
  chain         text not null references networks,
  asset         text not null,
  below_minimum numeric not null,
  below_ledger  numeric not null,
  read_at       timestamptz(3) not null,
  primary key (chain, asset)
);
