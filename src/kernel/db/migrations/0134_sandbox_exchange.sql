-- The sandbox's exchange: what was ordered of it, a deal or a withdrawal, under one key each.
create table sandbox_exchange_orders (
  key            text collate "C" primary key,   -- the idempotency key of the order
  kind           text not null check (kind in ('deal', 'withdrawal')),
  currency       text not null,                  -- what is sold, or withdrawn
  amount         numeric not null check (amount > 0),
  bought         text,                           -- the currency that is bought
  min_receive    numeric,
  rate           numeric,                        -- what one unit was worth when the order was taken
  callback_url   text not null,
  first_asked_at timestamptz(3) not null,
  calls          int not null default 0,         -- orders that came through to the party
  accepted_at    timestamptz(3),                 -- when it took the order; nothing of a destination is kept
  check ((kind = 'deal') = (bought is not null))
);

-- What its balances come to: each change of one, written with its time as the order is taken.
create table sandbox_exchange_movements (
  number   bigint generated always as identity primary key,
  key      text collate "C" not null references sandbox_exchange_orders,
  currency text collate "C" not null,
  amount   numeric not null,                     -- below zero: it goes
  at       timestamptz(3) not null
);
