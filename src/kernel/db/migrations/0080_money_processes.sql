-- What the processes that move money in and out share: quotes, callbacks of providers, breaks for the operator.

-- A price that stands for a while and is taken once. Its terms belong to the domain that made it.
create table quotes (
  id         id primary key,
  tenant_id  id not null references tenants,
  account_id id not null,                    -- of the domain that quotes: the virtual IBAN has accounts of its own
  kind       text not null check (kind in ('deposit', 'payout', 'iban_payout')),
  terms      jsonb not null,
  expires_at timestamptz(3) not null,
  used_by    id,                             -- the record that took it
  used_at    timestamptz(3),
  created_at timestamptz(3) not null,
  check ((used_by is null) = (used_at is null))
);
create index quotes_by_age on quotes using brin (created_at);

-- What outside parties have told us, as it came. A verified one is kept once; a forged one moves nothing.
create table provider_callbacks (
  id          id primary key,
  party       text not null,
  external_id text collate "C",              -- the party's own name for it; absent on what could not be verified
  body        bytea not null,                -- the exact bytes, sealed under the id
  headers     jsonb not null,                -- an allow-list: neither signatures nor credentials
  verified    boolean not null,
  received_at timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  handled_at  timestamptz(3),
  outcome     text,
  check (verified = (external_id is not null))
);
create unique index provider_callbacks_once on provider_callbacks (party, external_id) where verified;
create index provider_callbacks_forged on provider_callbacks (party, received_at) where not verified;

-- What the operator must look at: money or words of a provider that fit no record.
create table breaks (
  id          id primary key,
  tenant_id   id references tenants,         -- absent where the money belongs to nobody that we know
  kind        text not null,
  subject     text collate "C" not null,     -- the record, or the provider's object, that it is about
  detail      text not null,
  amount      numeric,
  currency    text,
  created_at  timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  resolved_at timestamptz(3),
  resolved_by text,
  note        text,
  check ((amount is null) = (currency is null)),
  check ((resolved_at is null) = (resolved_by is null))
);
create unique index breaks_once on breaks (kind, subject, detail);
create index breaks_open on breaks (created_at) where resolved_at is null;
