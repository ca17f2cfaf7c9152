-- A wallet's request for a card. One open request a card and wallet: asking again gives the same one.
create table card_tokenizations (
  id         id primary key,
  tenant_id  id not null references tenants,
  card_id    id not null references cards,
  wallet     text not null check (wallet in ('apple_pay', 'google_pay')),
  status     text not null check (status in ('pending', 'completed', 'failed')),
  failure    text,
  created_at timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  updated_at timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp())
);
create unique index card_tokenizations_open on card_tokenizations (card_id, wallet) where status = 'pending';
create index card_tokenizations_unfinished on card_tokenizations (updated_at) where status = 'pending';

-- The sandbox's card processor: an outside party that happens to live here. Nothing else reads this table.
create table sandbox_processor_cards (
  sequence       bigint generated always as identity primary key,
  key            text collate "C" not null unique,  -- the idempotency key of the order
  bin            text not null,
  label          text,                               -- decides how the processor behaves
  first_asked_at timestamptz(3) not null,
  calls          int not null default 0,             -- orders that reached the processor
  accepted_at    timestamptz(3),
  reference      text collate "C" unique,
  number_sealed  bytea,
  cvv_sealed     bytea,
  last4          text,
  expiry_month   smallint,
  expiry_year    smallint,
  first_close_at timestamptz(3)
);
