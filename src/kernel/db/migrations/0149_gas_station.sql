-- What a gas station may do on a chain, and the address that it pays from. A row comes with the first setting of either.
create table gas_configs (
  chain               text primary key references networks,
  gas_threshold       numeric not null check (gas_threshold >= 0),       -- of the native coin, as all below but the price
  gas_topup_amount    numeric not null check (gas_topup_amount >= 0),
  max_gas_price       numeric check (max_gas_price > 0),                 -- gwei for one gas
  daily_gas_budget    numeric check (daily_gas_budget >= 0),
  min_sweep_amount    jsonb not null,                                    -- { symbol: decimal text }
  treasury_address    text collate "C",
  sweep_confirmations int not null check (sweep_confirmations > 0),
  auto_sweep          boolean not null,
  station_address     text collate "C",
  station_wallet_id   id references wallets,                             -- null: a station whose key is not ours
  version             int not null,                                      -- 0: only the station was ever set
  created_at          timestamptz(3) not null,
  updated_at          timestamptz(3) not null,
  check (station_wallet_id is null or station_address is not null),
  check (station_address <> treasury_address)
);

-- How far the blocks have been read for what has come to a station's address: all up to that one.
create table station_scans (
  chain      text not null references networks,
  address    text not null collate "C",
  scanned_to bigint not null,
  updated_at timestamptz(3) not null,
  primary key (chain, address)
);

-- Native coin that has come to a station in a block that is final, each booked once.
create table station_topups (
  id           id primary key,
  chain        text not null references networks,
  address      text not null collate "C",
  tx_hash      text not null collate "C",
  ordinal      int not null,                -- of the log in its receipt; -1: the native coin
  from_address text not null collate "C",
  asset        text not null,
  units        numeric not null check (units > 0),
  amount       numeric not null,            -- what was booked: rounded down to the ledger's decimals
  paid_by      text not null,               -- the internal account that it was booked from, without its currency
  reference    text not null,
  block_number bigint not null,
  block_hash   text not null,
  block_at     timestamptz(3) not null,
  created_at   timestamptz(3) not null,
  unique (chain, tx_hash, ordinal, address)
);
create index station_topups_of_chain on station_topups (chain, id desc);
create index station_topups_by_time on station_topups (created_at desc);

-- Of the list of all wallets.
create index wallets_by_time on wallets (created_at desc);
create index wallets_of_status on wallets (status, id desc);
create index wallets_of_stations on wallets (id desc) where purpose = 'station';
