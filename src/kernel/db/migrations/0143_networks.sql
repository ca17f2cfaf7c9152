-- Chains that deposits come from. The addresses of their nodes may hold credentials, so they are sealed.
create table networks (
  chain         text primary key check (chain ~ '^[a-z][a-z0-9-]{0,31}$'),
  name          text not null,
  kind          text not null check (kind in ('evm', 'tron')),
  chain_id      bigint check (chain_id > 0),
  rpc_urls      bytea not null,             -- a JSON list, sealed under the chain's name
  explorer_url  text,
  confirmations int not null check (confirmations > 0),
  enabled       boolean not null,
  assets        jsonb not null,             -- [{ symbol, contract, decimals, minDeposit }]
  version       int not null,
  created_at    timestamptz(3) not null,
  updated_at    timestamptz(3) not null
);
-- Two networks of one chain would find each deposit twice.
create unique index networks_chain_id on networks (chain_id) where chain_id is not null;
