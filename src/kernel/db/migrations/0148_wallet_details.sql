-- What a person has noted of the gas on a wallet, in the native coin, and when.
alter table wallets
  add column gas_balance    numeric check (gas_balance >= 0),
  add column gas_balance_at timestamptz(3),
  add constraint wallets_gas_balance_at check ((gas_balance is null) = (gas_balance_at is null));
