-- Who was ever given a nonce, though it is free again.
create index chain_nonces_given on chain_nonces (chain, address, nonce);
-- Whether an address has ever paid a top-up: what it sends to the pool is no deposit.
create index gas_operations_payers on gas_operations (chain, from_address) where type = 'topup';
