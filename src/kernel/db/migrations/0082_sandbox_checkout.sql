-- The sandbox's hosted checkout: an outside party that happens to live here. Nothing else reads these tables.
create table sandbox_checkout_sessions (
  id             text collate "C" primary key,
  key            text collate "C" not null unique,  -- the idempotency key that it was made under
  page           text collate "C" not null unique,  -- 256 bits: whoever knows the page's address is the payer
  method         text not null check (method in ('card', 'bank_transfer', 'crypto')),
  amount         numeric not null check (amount > 0),   -- asked for; decides how the party behaves, too
  currency       text not null,
  merchant       text not null,
  return_url     text not null,
  callback_url   text not null,
  expires_at     timestamptz(3) not null,
  first_asked_at timestamptz(3) not null,
  calls          int not null default 0,
  status         text not null default 'open' check (status in ('open', 'paid', 'failed', 'cancelled')),
  paid_amount    numeric,                            -- all that was paid, in the session's currency
  settles_at     timestamptz(3),                     -- absent while nobody has said so
  risk           text not null default 'normal' check (risk in ('normal', 'review')),
  failure_code   text,
  check ((status = 'paid') = (paid_amount is not null))
);

create table sandbox_checkout_refunds (
  id         text collate "C" primary key,
  session_id text collate "C" not null references sandbox_checkout_sessions,
  key        text collate "C" unique,                -- absent on one that nobody asked us for
  amount     numeric not null check (amount > 0),
  ends_at    timestamptz(3) not null,
  outcome    text not null check (outcome in ('succeeded', 'failed'))
);
create index sandbox_checkout_refunds_of on sandbox_checkout_refunds (session_id, id);

create table sandbox_checkout_disputes (
  id         text collate "C" primary key,
  session_id text collate "C" not null references sandbox_checkout_sessions,
  amount     numeric not null check (amount > 0),
  opens_at   timestamptz(3) not null,
  ends_at    timestamptz(3),                         -- absent while nobody has decided
  outcome    text check (outcome in ('won', 'lost')),
  check ((ends_at is null) = (outcome is null))
);
create index sandbox_checkout_disputes_of on sandbox_checkout_disputes (session_id, id);
