-- The operations of one wallet, and those of one asset, newest first.
create index gas_operations_of_wallet on gas_operations (wallet_id, created_at desc, id desc);
create index gas_operations_of_asset on gas_operations (asset, created_at desc, id desc);
