-- Native coins of networks, which are currencies of the ledger. ISO 4217 currencies, USDT, USDC and ETH are known to the code.
create table coins (
  symbol     text collate "C" primary key check (symbol ~ '^[A-Z][A-Z0-9]{1,9}$'),
  decimals   int not null check (decimals between 0 and 18),
  created_at timestamptz(3) not null
);
-- Amounts of a coin are stored and shown with its decimals, so a coin stays as it is.
create function coins_refuse() returns trigger language plpgsql as $$
begin
  raise exception 'a coin is never changed or removed';
end $$;
create trigger coins_stay before update or delete or truncate on coins
  for each statement execute function coins_refuse();

-- How the chain takes a fee for data beside gas.
alter table networks add column fee_model text not null default 'evm'
  constraint networks_fee_model check (fee_model in ('evm', 'op', 'arbitrum'));

-- Most that the chain below takes for the transaction (OP stack), in the native coin's smallest units.
alter table chain_nonces add column data_fee numeric(78) not null default 0
  constraint chain_nonces_data_fee check (data_fee >= 0);
