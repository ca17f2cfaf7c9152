-- Past and future changes of records at the sandbox's parties. A row is written in the transaction that decides it, so it
-- survives the process. Lists of changes and callbacks are made from these rows.
create table sandbox_party_changes (
  number          bigint generated always as identity primary key,
  party           text collate "C" not null,
  ref             text collate "C" not null,  -- what the party is asked for: a session, an order's key, a credit
  at              timestamptz(3) not null,  -- when it happens
  callback_url    text,  -- absent: it is listed, and nobody is called
  repeats         boolean not null default false,  -- each callback is sent twice, with a forged one beside it
  next_attempt_at timestamptz(3),  -- absent: told, given up, or nobody is called
  attempts        int not null default 0,
  told_at         timestamptz(3),
  check (callback_url is not null or next_attempt_at is null)
);
create index sandbox_party_changes_in_order on sandbox_party_changes (party, at, number);
create index sandbox_party_changes_of on sandbox_party_changes (party, ref, at, number);
create index sandbox_party_changes_due on sandbox_party_changes (next_attempt_at) where next_attempt_at is not null;

-- Orders and other records of the sandbox's parties, which are outside parties that happen to live here. Nothing else
-- reads this table. No personal data is kept.
create table sandbox_orders (
  number         bigint generated always as identity,
  party          text collate "C" not null,
  key            text collate "C" not null,  -- the idempotency key of the order
  kind           text collate "C" not null,  -- of the party's kinds of orders
  id             text collate "C",  -- the party's own name of the record
  page           text collate "C",  -- the secret part of its page's address
  asked          jsonb not null,  -- another order under the key differs here
  state          jsonb not null,  -- what the party keeps beside the order
  callback_url   text,  -- absent: nobody is called
  first_asked_at timestamptz(3) not null,
  calls          int not null default 0,  -- orders that came through to the party
  accepted_at    timestamptz(3),  -- when it took the order
  primary key (party, key),
  unique (party, id),
  unique (party, page)
);

-- Mails to testers' cardholders, and to operators. `sealed` holds address, subject and text.
create table sandbox_mails (
  id         text collate "C" primary key,
  tenant_id  id references tenants,  -- null: to an operator
  sealed     bytea not null,
  created_at timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp())
);
create index sandbox_mails_of_tenant on sandbox_mails (tenant_id, created_at);

-- The sandbox's hosted checkout: an outside party that happens to live here. Nothing else reads these tables.
create table sandbox_checkout_sessions (
  id             text collate "C" primary key,
  key            text collate "C" not null unique,  -- the idempotency key that it was made under
  page           text collate "C" not null unique,  -- 256 bits: whoever knows the page's address is the payer
  method         text not null check (method in ('card', 'bank_transfer', 'crypto')),
  amount         numeric not null check (amount > 0),  -- asked for; decides how the party behaves, too
  currency       text not null,
  merchant       text not null,
  return_url     text not null,
  callback_url   text not null,
  expires_at     timestamptz(3) not null,
  first_asked_at timestamptz(3) not null,
  calls          int not null default 0,
  status         text not null default 'open' check (status in ('open', 'failed', 'cancelled')),
  risk           text not null default 'normal' check (risk in ('normal', 'review')),
  failure_code   text
);

-- Payments of a session. A payment in the future has its time in paid_at.
create table sandbox_checkout_payments (
  id         text collate "C" primary key,
  session_id text collate "C" not null references sandbox_checkout_sessions,
  amount     numeric not null check (amount > 0),
  paid_at    timestamptz(3) not null,
  settles_at timestamptz(3),  -- absent while nobody has said so
  failed_at  timestamptz(3),  -- taken back by the payer's bank before it was settled
  risk       text not null check (risk in ('normal', 'review'))
);
create index sandbox_checkout_payments_of on sandbox_checkout_payments (session_id, id);

create table sandbox_checkout_refunds (
  id         text collate "C" primary key,
  session_id text collate "C" not null references sandbox_checkout_sessions,
  key        text collate "C" unique,  -- absent on one that nobody asked us for
  amount     numeric not null check (amount > 0),
  ends_at    timestamptz(3) not null,
  outcome    text not null check (outcome in ('succeeded', 'failed')),
  undone_at  timestamptz(3)  -- it succeeded, and has failed after all
);
create index sandbox_checkout_refunds_of on sandbox_checkout_refunds (session_id, id);

create table sandbox_checkout_disputes (
  id         text collate "C" primary key,
  session_id text collate "C" not null references sandbox_checkout_sessions,
  amount     numeric not null check (amount > 0),
  opens_at   timestamptz(3) not null,
  ends_at    timestamptz(3),  -- absent while nobody has decided
  outcome    text check (outcome in ('won', 'lost')),
  turned_at  timestamptz(3),  -- the outcome is the other one from then on
  check ((ends_at is null) = (outcome is null))
);
create index sandbox_checkout_disputes_of on sandbox_checkout_disputes (session_id, id);

-- The sandbox's bank: an outside party that happens to live here. Nothing else reads this table.
create table sandbox_bank_credits (
  sequence      bigint generated always as identity primary key,
  id            text collate "C" not null unique,
  iban          text not null,
  amount        numeric not null,
  currency      text not null,
  remitter_name text not null,
  remitter_iban text,
  received_at   timestamptz(3) not null,
  callback_url  text  -- absent: nobody is told of it
);

-- Returns of a received payment: recalled by the payer's bank, or ordered by us.
create table sandbox_bank_returns (
  id        text collate "C" primary key,
  credit_id text collate "C" not null references sandbox_bank_credits (id),
  kind      text not null check (kind in ('recall', 'return')),
  key       text collate "C" unique,  -- the idempotency key that a return was ordered under
  amount    numeric not null check (amount > 0),
  at        timestamptz(3) not null,
  ends_at   timestamptz(3) not null,
  outcome   text not null check (outcome in ('succeeded', 'failed')),
  undone_at timestamptz(3)  -- it succeeded, and has failed after all
);
create index sandbox_bank_returns_of on sandbox_bank_returns (credit_id, at);

-- Changes of balances at the sandbox's exchange, written with their time when the order is accepted.
create table sandbox_exchange_movements (
  number   bigint generated always as identity primary key,
  key      text collate "C" not null,  -- of the order
  currency text collate "C" not null,
  amount   numeric not null,  -- below zero: it goes
  at       timestamptz(3) not null
);
