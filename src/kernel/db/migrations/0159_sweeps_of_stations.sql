-- A station of before is swept as the wallets of the pool are: what it had stood in the books of the station.
alter table gas_operations add column of_station boolean not null default false;

-- What a person has executed in vain, and was booked lately.
create index chain_nonces_reverted on chain_nonces (chain, settled_at) where raw is null and hash is not null;

-- Each address that was ever swept to, by one look-up for each.
create index gas_operations_recipients on gas_operations (chain, to_address) where type = 'sweep';
