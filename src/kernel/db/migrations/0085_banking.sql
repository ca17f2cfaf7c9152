-- The virtual EUR IBAN of a company, a ledger account of kind 'iban' under the same id.
create table virtual_ibans (
  id          id primary key,
  tenant_id   id not null unique references tenants,
  number      bigint generated always as identity unique,  -- its place in the range that the bank has given us
  iban        text collate "C" not null unique,
  bic         text not null,
  status      text not null check (status in ('active', 'disabled')),
  created_at  timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  updated_at  timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp())
);

-- When the operator had it enabled: months in which it was cost their fee.
create table virtual_iban_periods (
  id              bigint generated always as identity primary key,
  virtual_iban_id id not null references virtual_ibans,
  enabled_at      timestamptz(3) not null,
  disabled_at     timestamptz(3)
);
create index virtual_iban_periods_of on virtual_iban_periods (virtual_iban_id);
create unique index virtual_iban_periods_open on virtual_iban_periods (virtual_iban_id) where disabled_at is null;

-- The fee of an IBAN and month: one, whatever asks for it and however often.
create table virtual_iban_fees (
  virtual_iban_id id not null references virtual_ibans,
  month           date not null,                -- its first day, UTC
  amount          numeric not null,
  status          text not null check (status in ('paid', 'unpaid')),
  reference_id    id not null unique,
  attempts        int not null default 0,
  paid_at         timestamptz(3),
  created_at      timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  primary key (virtual_iban_id, month),
  check (extract(day from month) = 1),
  check ((status = 'paid') = (paid_at is not null))
);
create index virtual_iban_fees_unpaid on virtual_iban_fees (month) where status = 'unpaid';

-- Money that leaves a virtual IBAN by SEPA.
create table iban_payouts (
  id                 id primary key,
  tenant_id          id not null references tenants,
  virtual_iban_id    id not null references virtual_ibans,
  quote_id           id not null unique references quotes,
  external_id        text collate "C",
  status             text not null,             -- src/transfers/iban/payout-rules.ts
  amount             numeric not null,          -- EUR, as everything here
  fee                numeric not null,
  destination        bytea not null,            -- sealed under the id; opened only to submit it
  destination_masked jsonb not null,
  idempotency_key    text collate "C" not null,
  failure            text,                      -- the provider's code
  submitted_at       timestamptz(3),            -- it may have reached the provider since
  sent_at            timestamptz(3),
  completed_at       timestamptz(3),
  returned_amount    numeric not null default 0,
  returns            int not null default 0,    -- movements booked for it: the first has the payout's id as its reference
  watched_until      timestamptz(3),            -- when its workflow will have looked again; null when it need not
  created_at         timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  updated_at         timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp())
);
create unique index iban_payouts_external_id on iban_payouts (tenant_id, external_id);
create index iban_payouts_watched on iban_payouts (watched_until) where watched_until is not null;

-- Money that the bank has received for an IBAN of our range. Once a payment, whatever tells of it.
create table iban_credits (
  bank_id         text collate "C" primary key, -- the bank's name for the payment
  virtual_iban_id id references virtual_ibans,  -- absent: it stands in suspense
  outcome         text not null check (outcome in ('credited', 'suspended')),
  reference_id    id not null unique,
  amount          numeric not null,
  currency        text not null,
  booked_at       timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp())
);

-- The sandbox's bank: an outside party that happens to live here. Nothing else reads this table.
create table sandbox_bank_credits (
  sequence     bigint generated always as identity primary key,
  id           text collate "C" not null unique,
  iban         text not null,
  amount       numeric not null,
  currency     text not null,
  received_at  timestamptz(3) not null
);

-- Up to where the bank has been asked what it has received.
create table iban_credit_place (
  sole  boolean primary key check (sole),
  place text collate "C" not null
);
