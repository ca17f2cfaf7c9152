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
-- reads this table. The only personal data is the payer whom a tester names for a payment to an IBAN.
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
  created_at timestamptz(3) not null default product_now()
);
create index sandbox_mails_of_tenant on sandbox_mails (tenant_id, created_at);
-- Finds old mails, which are deleted.
create index sandbox_mails_by_age on sandbox_mails (created_at);

-- Changes of balances at the sandbox's exchange, written with their time when the order is accepted.
create table sandbox_exchange_movements (
  number   bigint generated always as identity primary key,
  key      text collate "C" not null,  -- of the order
  currency text collate "C" not null,
  amount   numeric not null,  -- below zero: it goes
  at       timestamptz(3) not null
);
