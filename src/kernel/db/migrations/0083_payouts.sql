-- Money that leaves an account for a bank, a card or a chain.
create table payouts (
  id                 id primary key,
  tenant_id          id not null references tenants,
  account_id         id not null references accounts,
  quote_id           id not null unique references quotes,
  external_id        text collate "C",
  method             text not null,
  status             text not null,            -- src/transfers/payouts/rules.ts
  currency           text not null,            -- the account's
  amount             numeric not null,
  fee                numeric not null,
  received_currency  text not null,            -- what the destination gets
  received_amount    numeric not null,
  rate               numeric not null,         -- of the received currency for one of the account's
  destination        bytea not null,           -- sealed under the id; opened only to submit it
  destination_masked jsonb not null,
  idempotency_key    text collate "C" not null,
  description        text,                     -- why the operator rejected it
  failure            text,                     -- the provider's code
  submitted_at       timestamptz(3),           -- it may have reached the provider since
  sent_at            timestamptz(3),
  completed_at       timestamptz(3),
  returned_at        timestamptz(3),
  returned_amount    numeric,                  -- what was credited again, in the account's currency
  returned_received  numeric,                  -- what came back, in the received currency
  revision           int not null default 0,   -- changes so far: a word of the provider that is older than one is not taken
  watched_until      timestamptz(3),           -- when its workflow will have looked again; null when it need not
  created_at         timestamptz(3) not null,
  updated_at         timestamptz(3) not null
);
create unique index payouts_external_id on payouts (tenant_id, external_id);
create unique index payouts_idempotency_key on payouts (account_id, idempotency_key);
create index payouts_of_account on payouts (account_id, id desc);
create index payouts_watched on payouts (watched_until) where watched_until is not null;
create index payouts_pending_approval on payouts (id) where status = 'pending_approval';

-- What a person decided: who, on what, when and why. Rows are only added.
create table payout_decisions (
  payout_id  id primary key references payouts,  -- one decision a payout
  decision   text not null check (decision in ('approved', 'rejected')),
  reason     text,
  decided_by text not null,
  at         timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp())
);

-- The sandbox's payouts provider: an outside party that happens to live here. Nothing else reads this table.
create table sandbox_payouts (
  key            text collate "C" primary key,   -- the idempotency key of the order
  method         text not null,
  amount         numeric not null,
  currency       text not null,
  callback_url   text not null,
  first_asked_at timestamptz(3) not null,
  calls          int not null default 0,         -- orders that came through to the provider
  accepted_at    timestamptz(3)                  -- when it took the order; nothing of the destination is kept
);
