-- Deposits from outside through hosted checkout. Amounts are the payer's currency unless they are named otherwise.
create table deposits (
  id              id primary key,
  tenant_id       id not null references tenants,
  account_id      id not null references accounts,
  external_id     text,                          -- the client's own name for it
  quote_id        id not null unique references quotes,
  method          text not null,
  status          text not null check (status in ('created', 'awaiting_payment', 'processing', 'completed', 'failed',
                    'cancelled', 'expired', 'manual_review', 'refunded', 'chargeback')),
  amount          numeric not null check (amount > 0),       -- asked for
  currency        text not null,                              -- the payer's
  charged_amount  numeric not null,                           -- what the payer is charged, or was
  credited_amount numeric not null check (credited_amount > 0),   -- the account's currency, as the fee
  service_fee     numeric not null check (service_fee >= 0),
  account_currency text not null,
  rate            numeric not null,                           -- of the account's currency for one of the payer's
  fee_fixed       numeric not null,
  fee_percent     numeric not null,
  reference_id    id not null unique,            -- of its account transactions
  return_url      text not null,
  token_hash      bytea not null unique,         -- SHA-256 of the token in the checkout's address
  expires_at      timestamptz(3) not null,
  session_id      text collate "C" unique,       -- the provider's name for it
  redirect_sealed bytea,                         -- the provider's page
  paid_amount     numeric,                       -- what the provider says it has
  paid_currency   text,
  settled_at      timestamptz(3),
  suspended       numeric not null default 0,    -- of what was paid, stands in suspense
  decision        text check (decision in ('approved', 'rejected')),   -- of the operator, until it is done
  failure         text,                          -- a code: why it failed, or waits for a review
  refunded_amount numeric not null default 0,
  refund_open     boolean not null default false,   -- the provider has not ended a refund
  idempotency_key text not null,
  -- When its workflow will have looked again; later than that it has been lost.
  watched_until   timestamptz(3) not null,
  created_at      timestamptz(3) not null,
  updated_at      timestamptz(3) not null,
  completed_at    timestamptz(3)
);
create index deposits_of_account on deposits (account_id, id);
create index deposits_unfinished on deposits (watched_until)
  where status in ('created', 'awaiting_payment', 'processing', 'manual_review') or refund_open;
create index deposits_to_review on deposits (updated_at) where status = 'manual_review';

-- What a person decided about a deposit that waits for it. Rows are only added.
create table deposit_decisions (
  id         bigint generated always as identity primary key,
  deposit_id id not null references deposits,
  decision   text not null check (decision in ('approved', 'rejected')),
  reason     text,
  decided_by text not null,
  at         timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp())
);
create index deposit_decisions_on on deposit_decisions (deposit_id, id);

-- Money that goes back to the payer. refund: of a completed deposit, debited from its account. return: of one that was
-- never credited.
create table deposit_refunds (
  id           id primary key,
  deposit_id   id not null references deposits,
  kind         text not null check (kind in ('refund', 'return')),
  origin       text not null check (origin in ('operator', 'provider')),
  status       text not null check (status in ('requested', 'pending', 'succeeded', 'failed')),
  amount       numeric not null check (amount > 0),
  debit        numeric not null,                 -- of the account, in its currency
  gross        numeric not null,                 -- debit and the part of the service fee that goes back
  excess       numeric not null default 0,       -- beyond what was left of the deposit: in suspense
  reference_id id not null,
  provider_id  text collate "C",
  reason       text,
  requested_by text not null,
  created_at   timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  updated_at   timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp())
);
create unique index deposit_refunds_of_provider on deposit_refunds (deposit_id, provider_id);
create index deposit_refunds_of on deposit_refunds (deposit_id, id);

create table deposit_disputes (
  deposit_id   id not null references deposits,
  provider_id  text collate "C" not null,
  status       text not null check (status in ('debited', 'reversed')),
  amount       numeric not null,
  debit        numeric not null,                 -- as of a refund
  gross        numeric not null,
  excess       numeric not null default 0,       -- taken beyond what was left of the deposit: in suspense
  reference_id id not null,
  created_at   timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  updated_at   timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  primary key (deposit_id, provider_id)
);

-- Settled money of a checkout that no deposit knows: it stands in suspense.
create table unmatched_payments (
  id         id primary key,                     -- the reference of its posting
  session_id text collate "C" not null unique,
  amount     numeric not null,
  currency   text not null,
  created_at timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp())
);
