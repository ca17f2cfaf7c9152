-- A BIN and the programme that runs on it: fees in the BIN's currency, percentages of the billing amount.
create table bins (
  bin          text primary key,
  scheme       text not null,
  currency     text not null,
  model        text not null check (model in ('B2B', 'B2C')),
  status       text not null default 'active' check (status in ('active', 'closed')),
  capacity_per_cardholder int not null default 10,
  fee_issue    numeric not null default 0,
  fee_topup    numeric not null default 0,
  fee_settle_fixed numeric not null default 0,
  fee_settle_percent numeric not null default 0,
  fee_decline  numeric not null default 0,
  markup_percent numeric not null default 0,
  authorization_days int not null default 7,
  max_authorization numeric,               -- above: declined with limit_exceeded
  blocked_mccs text[] not null default '{}', -- declined with invalid_merchant
  demo         boolean not null default false,
  created_at   timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  updated_at   timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp())
);
create table tenant_bins (
  tenant_id id not null references tenants,
  bin       text not null references bins,
  primary key (tenant_id, bin)
);
create table user_bins (
  user_id id not null references users,
  bin     text not null references bins,
  enabled boolean not null,
  updated_at timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  primary key (user_id, bin)
);

create table cardholders (
  id          id primary key,
  tenant_id   id not null references tenants,
  user_id     id references users,
  account_id  id not null references accounts,
  bin         text not null references bins,
  model       text not null check (model in ('B2B', 'B2C')),
  status      text not null check (status in
                ('pending_review', 'wait_audit', 'pass_audit', 'reject', 'submission_failed', 'rejected_by_admin')),
  description text,
  email       text not null,               -- lower case
  submissions int not null default 0,
  reviewed_at timestamptz(3),
  created_at  timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  updated_at  timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp())
);
create unique index cardholders_email_per_bin on cardholders (tenant_id, bin, email);
create unique index cardholders_one_per_user_and_bin on cardholders (user_id, bin);
create index cardholders_of_tenant on cardholders (tenant_id, id desc);

create table cards (
  id            id primary key,
  tenant_id     id not null references tenants,
  user_id       id not null references users,
  account_id    id not null references accounts,   -- what funds it
  master_account_id id not null references accounts, -- where settle and decline fees fall
  cardholder_id id not null references cardholders,
  bin           text not null references bins,
  scheme        text not null,
  currency      text not null,
  label         text,
  status        text not null check (status in ('pending', 'active', 'frozen', 'closing', 'closed', 'failed')),
  freeze_reasons text[] not null default '{}',
  user_blocked  boolean not null default false, -- its user's status, kept here so that an authorization reads one row
  last4         text,
  expiry_month  smallint,
  expiry_year   smallint,
  processor_reference text,
  initial_amount numeric not null default 0,
  issue_fee     numeric not null default 0,
  processor_closed_at timestamptz(3),      -- the provider has confirmed the closure
  failure       text,
  idempotency_key text,
  created_at    timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  updated_at    timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp())
);
create index cards_of_tenant on cards (tenant_id, id desc);
create index cards_of_user on cards (user_id, id desc);
create index cards_of_cardholder on cards (cardholder_id);
create index cards_of_account on cards (account_id, id desc);
create index cards_by_status on cards (tenant_id, status, id desc);
create index cards_unfinished on cards (updated_at)
  where status = 'pending' or (status in ('closing', 'closed') and processor_closed_at is null);

-- An authorization and what became of it, in its own currency and in the card's (billing).
create table authorizations (
  id            id primary key,            -- the id of its card transaction
  card_id       id not null references cards,
  reference_id  id not null,               -- of the chain's first event
  currency      text not null,
  billing_currency text not null,
  rate          numeric not null,          -- billing per unit, markup included; kept to the chain's end
  authorized    numeric not null,
  settled       numeric not null default 0,
  reversed      numeric not null default 0,
  refunded      numeric not null default 0,
  billing_authorized numeric not null,     -- what these became in the card's currency
  billing_settled  numeric not null default 0,
  billing_reversed numeric not null default 0,
  billing_refunded numeric not null default 0,
  fee_percent   numeric not null,          -- the programme's, as it was at the authorization
  fee_held      numeric not null default 0 check (fee_held >= 0),
  last_settle_id id,                       -- what a refund follows
  expires_at    timestamptz(3) not null,
  closed        boolean not null default false, -- nothing is held any more
  created_at    timestamptz(3) not null,
  updated_at    timestamptz(3) not null,
  check (settled + reversed <= authorized),
  check (billing_settled + billing_reversed <= billing_authorized)
) with (fillfactor = 80);
create index authorizations_open on authorizations (expires_at) where not closed;

create table card_transactions (
  id            id primary key,
  card_id       id not null,
  tenant_id     id not null,
  number        bigint not null,           -- the card's ledger entry of this event
  at            timestamptz(3) not null,
  type          text not null,
  amount        numeric not null,
  currency      text not null,
  billing_amount numeric not null,
  billing_currency text not null,
  reference_id  id not null,
  linked_id     id,
  authorization_id id,                     -- the chain it belongs to
  fee           numeric not null default 0,
  forced        boolean not null default false,
  decline_reason text,
  source        text,                      -- buffer | expiry | closure … where the type alone does not tell
  merchant      jsonb,
  available     numeric not null,          -- the card's balances after it
  pending       numeric not null,
  spent         numeric not null
);
create index card_transactions_of_card on card_transactions (card_id, at, number);
create unique index card_transactions_by_reference on card_transactions (reference_id, type);
create index card_transactions_of_chain on card_transactions (authorization_id) where linked_id is not null;
