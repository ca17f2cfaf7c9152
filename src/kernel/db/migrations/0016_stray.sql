-- outside a transaction
-- Money that was sent on another network than its address was derived for, and tokens that no network lists.

-- The index was derived for another network, and money has come to its address here. The wallet is swept, and never allocated alone.
alter table wallets add column if not exists adopted boolean not null default false;

create unique index concurrently if not exists wallets_derived_alone on wallets (kind, derivation_index) where scope is null and not adopted;
drop index concurrently if exists wallets_alone;

-- An index has one address, which a scope shares, and which other networks adopt.
create or replace function wallets_refuse_taken_index() returns trigger language plpgsql as $$
begin
  if exists (select from wallets other
              where other.kind = new.kind and other.derivation_index = new.derivation_index
                and (other.address <> new.address
                     or not new.adopted and (other.scope is null or new.scope is null))) then
    raise unique_violation using message = format('the index %s has another wallet', new.derivation_index);
  end if;
  return new;
end $$;

-- Recoveries of tokens that no network lists. The ledger has no currency for them, so this record is their book.
create table if not exists token_recoveries (
  operation_id       id primary key references gas_operations,  -- its sweep
  chain              text not null references networks,
  wallet_id          id not null references wallets,
  address            text collate "C" not null,
  token              text collate "C" not null,
  treasury           text collate "C" not null,
  reason             text,
  decided_by         text not null,  -- operator:<name>, who approved it
  -- Balances of both addresses as the token's contract told them. They are shown, and nothing is posted by them.
  units_before       numeric(78) not null,
  treasury_before    numeric(78) not null,
  units_after        numeric(78),  -- null: it has not ended
  treasury_after     numeric(78),
  block_number       bigint,  -- of its transaction
  created_at         timestamptz(3) not null
);
create index if not exists token_recoveries_newest on token_recoveries (created_at desc, operation_id desc);
create index if not exists token_recoveries_of_token on token_recoveries (chain, token);
-- What lies on our addresses of a token that a network begins to list.
create index concurrently if not exists unlisted_tokens_of_token on unlisted_tokens (chain, token, block_number);
