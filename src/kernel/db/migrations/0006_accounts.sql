-- The client's accounts: whose they are. Their balances are the ledger's.
create table accounts (
  id         id primary key,
  tenant_id  id not null references tenants,
  owner_type text not null check (owner_type in ('client', 'user')),
  user_id    id references users,
  currency   text not null,
  status     text not null default 'active' check (status in ('active', 'closed')),
  created_at timestamptz(3) not null default product_now(now()),
  updated_at timestamptz(3) not null default product_now(now()),
  check ((owner_type = 'user') = (user_id is not null))
);
create index accounts_of_tenant on accounts (tenant_id, id desc);
-- One open account an owner and currency; closed ones stay beside it.
create unique index accounts_master on accounts (tenant_id, currency) where owner_type = 'client' and status = 'active';
create unique index accounts_of_user_open on accounts (user_id, currency) where status = 'active';
create index accounts_master_any on accounts (tenant_id, currency) where owner_type = 'client';
create index accounts_of_user on accounts (user_id, currency);
create index accounts_of_tenant_by_time on accounts (tenant_id, created_at);

create table offramp_references (
  tenant_id    id not null references tenants,
  reference    text not null,
  created_at   timestamptz(3) not null default product_now(),
  -- The reference of the off-ramp's postings.
  reference_id id not null,
  account_id   id not null references accounts,
  primary key (tenant_id, reference)
);

create table account_transfers (
  reference_id    id primary key,
  tenant_id       id not null references tenants,
  from_account_id id not null references accounts,
  to_account_id   id not null references accounts,
  amount          numeric not null,
  currency        text not null,
  description     text,
  created_at      timestamptz(3) not null
);

-- What was agreed of an exchange between two accounts of a tenant. It is completed with its posting, so it has no status; its
-- account transactions carry its id as their reference.
create table account_exchanges (
  id              id primary key,
  tenant_id       id not null,
  quote_id        id not null,
  from_account_id id not null,
  to_account_id   id not null,
  sell_currency   text not null,
  sell_amount     numeric not null,  -- the whole debit: what is exchanged, and the fee
  fee             numeric not null,
  buy_currency    text not null,
  buy_amount      numeric not null,
  rate            numeric not null,  -- of the bought currency for one of the sold, less the tenant's spread
  mid             numeric not null,  -- what the rate came from
  remainder       numeric not null,  -- of the bought currency, exact: what is lost below its minor unit
  idempotency_key text collate "C" not null,
  caller_id       id not null,  -- the tenant of whoever called
  created_at      timestamptz(3) not null
);
create unique index account_exchanges_idempotency_key on account_exchanges (caller_id, from_account_id, idempotency_key);

-- The virtual EUR IBAN of a company, a ledger account of kind 'iban' under the same id.
create table virtual_ibans (
  id         id primary key,
  tenant_id  id not null unique references tenants,
  number     bigint generated always as identity unique,  -- its place in the range that the bank has given us
  iban       text collate "C" not null unique,
  bic        text not null,
  status     text not null check (status in ('active', 'disabled')),
  created_at timestamptz(3) not null default product_now(now()),
  updated_at timestamptz(3) not null default product_now(now())
);

-- Periods in which it was enabled. Each month of such a period costs a fee.
create table virtual_iban_periods (
  id              bigint generated always as identity primary key,
  virtual_iban_id id not null references virtual_ibans,
  enabled_at      timestamptz(3) not null,
  disabled_at     timestamptz(3)
);
create index virtual_iban_periods_of on virtual_iban_periods (virtual_iban_id);
create unique index virtual_iban_periods_open on virtual_iban_periods (virtual_iban_id) where disabled_at is null;

-- The fee of an IBAN for a month. The key makes it one.
create table virtual_iban_fees (
  virtual_iban_id id not null references virtual_ibans,
  month           date not null check (extract(day from month) = 1),  -- its first day, UTC
  amount          numeric not null,
  status          text not null check (status in ('paid', 'unpaid')),
  reference_id    id not null unique,
  attempts        int not null default 0,
  paid_at         timestamptz(3),
  created_at      timestamptz(3) not null default product_now(),
  primary key (virtual_iban_id, month),
  check ((status = 'paid') = (paid_at is not null))
);
create index virtual_iban_fees_unpaid on virtual_iban_fees (month) where status = 'unpaid';
