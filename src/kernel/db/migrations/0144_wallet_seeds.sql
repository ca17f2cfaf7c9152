-- The seed that wallets are derived from (BIP-39). It is opened while a transaction is signed; addresses need the public keys alone.
create table wallet_seeds (
  id          text primary key check (id = 'main'),   -- one, for an address without its seed is lost
  sealed      bytea not null,                         -- the entropy, sealed
  public_keys jsonb not null,                         -- extended public keys by kind: { evm, tron }
  created_at  timestamptz(3) not null
);
