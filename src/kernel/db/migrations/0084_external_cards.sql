-- Money between an account and somebody's payment card elsewhere, by the token of that card.
create table external_card_transactions (
  id                 id primary key,
  tenant_id          id not null references tenants,
  account_id         id not null references accounts,
  kind               text not null check (kind in ('topup', 'withdrawal')),
  status             text not null,            -- src/transfers/external-cards/rules.ts
  currency           text not null,
  amount             numeric not null,         -- what the card pays, or is paid
  fee                numeric not null,
  token              bytea not null,           -- the card's token, sealed under the id
  return_url         text,
  redirect_hash      bytea not null unique,    -- of the token in our redirect address
  action_url         bytea,                    -- the provider's page, sealed under the id
  action_expires_at  timestamptz(3) not null,  -- the payer must have acted by then
  idempotency_key    text collate "C" not null,
  failure            text,                     -- the provider's code
  returned_amount    numeric not null default 0,      -- what the provider says has gone back of `amount`
  returns            int not null default 0,          -- movements booked for it: the first has the record's own reference
  suspended          numeric not null default 0,      -- what stands in suspense for it
  completed_at       timestamptz(3),
  watched_until      timestamptz(3),           -- when its workflow will have looked again; null when it need not
  created_at         timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  updated_at         timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp())
);
create index external_card_transactions_of_account on external_card_transactions (account_id, id desc);
create index external_card_transactions_watched on external_card_transactions (watched_until)
  where watched_until is not null;

-- The sandbox's card acquirer: an outside party that happens to live here. Nothing else reads this table.
create table sandbox_external_cards (
  key            text collate "C" primary key,  -- the idempotency key of the order
  kind           text not null,                 -- charge or push
  token          text not null,                 -- decides how the acquirer behaves; it is a sandbox's token
  amount         numeric not null,
  currency       text not null,
  merchant       text not null,
  return_url     text,
  callback_url   text not null,
  page           text collate "C" not null unique,  -- the secret part of the address of its page
  expires_at     timestamptz(3) not null,
  first_asked_at timestamptz(3) not null,
  calls          int not null default 0,        -- orders that came through to the acquirer
  accepted_at    timestamptz(3),
  confirmed_at   timestamptz(3),                -- the payer's decision on the page
  refused_at     timestamptz(3)
);
