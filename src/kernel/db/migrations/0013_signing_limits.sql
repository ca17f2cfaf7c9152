-- Keys of stations that another system holds, as the signing process has read them. The rows tell other processes which
-- address may become a station, and prove nothing to the signing process.
create table held_keys (
  address    text collate "C" primary key,  -- checksummed
  provider   text not null check (provider in ('kms', 'web3signer')),
  checked_at timestamptz(3) not null  -- when the key last gave this address, by the machine
);

-- A station whose key is held elsewhere. Its derivation index is used by no key. Null: the key follows from the seed.
alter table wallets add column held_by text check (held_by in ('kms', 'web3signer'));

-- Signatures of held keys. A provider's signature of the same bytes differs each time, and a transaction keeps its hash.
create table held_signatures (
  digest    text collate "C" primary key,  -- Keccak-256 of what is signed
  address   text collate "C" not null,
  signature jsonb not null,  -- { r, s, yParity }
  signed_at timestamptz(3) not null  -- by the machine
);
create index held_signatures_by_age on held_signatures (signed_at);

-- Units that were signed in a UTC day, by network and asset: the contract of a token, `native`, or `gas` for fees at most.
create table signing_sums (
  chain_id bigint not null check (chain_id > 0),
  asset    text collate "C" not null,
  day      date not null,
  units    numeric(78) not null check (units >= 0),
  primary key (chain_id, asset, day)
);

-- The most that any transaction under a nonce may move. Only one transaction of a nonce is mined, so they count once.
create table signing_counts (
  chain_id     bigint not null check (chain_id > 0),
  from_address text collate "C" not null,
  nonce        bigint not null check (nonce >= 0),
  asset        text collate "C" not null,
  units        numeric(78) not null check (units >= 0),
  counted_on   date not null,
  primary key (chain_id, from_address, nonce, asset)
);

-- Counts what a transaction may move, and never takes it back. The runtime role changes the sums by this function alone, so
-- that it can only raise them. Serialises by the row of the sum. `p_most` null: there is no limit.
-- Returns null when it has counted, else the units that are left of the day.
create function count_signing(
  p_chain_id bigint, p_asset text, p_day date, p_from text, p_nonce bigint, p_units numeric, p_most numeric
) returns numeric language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  v_sum numeric;
  v_before numeric;
  v_more numeric;
begin
  insert into signing_sums (chain_id, asset, day, units) values (p_chain_id, p_asset, p_day, 0) on conflict do nothing;
  select units into v_sum from signing_sums where chain_id = p_chain_id and asset = p_asset and day = p_day for update;
  select units into v_before from signing_counts
   where chain_id = p_chain_id and from_address = p_from and nonce = p_nonce and asset = p_asset for update;
  v_more := greatest(p_units - coalesce(v_before, 0), 0);
  if v_more > 0 and p_most is not null and v_sum + v_more > p_most then return greatest(p_most - v_sum, 0); end if;
  if v_more = 0 then return null; end if;
  insert into signing_counts (chain_id, from_address, nonce, asset, units, counted_on)
       values (p_chain_id, p_from, p_nonce, p_asset, p_units, p_day)
  on conflict (chain_id, from_address, nonce, asset) do update set units = excluded.units, counted_on = excluded.counted_on;
  update signing_sums set units = v_sum + v_more where chain_id = p_chain_id and asset = p_asset and day = p_day;
  return null;
end $$;
revoke execute on function count_signing from public;
