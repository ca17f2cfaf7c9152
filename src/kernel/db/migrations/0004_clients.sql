create table tenants (
  id         id primary key,
  name       text not null,
  role       text not null check (role in ('client', 'admin')),
  status     text not null default 'active' check (status in ('active', 'disabled')),
  settings   jsonb not null default '{}',
  created_at timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  updated_at timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp())
);

-- A tenant has one current secret and, while a rotation overlaps, earlier ones.
create table credentials (
  id          bigint generated always as identity primary key,
  tenant_id   id not null references tenants,
  secret_hash bytea not null,              -- HMAC-SHA256 under a key derived from the master key
  secret_sealed bytea not null,            -- AES-256-GCM; opened only to sign webhooks
  created_at  timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  expires_at  timestamptz(3)
);
create index credentials_of_tenant on credentials (tenant_id, id desc);
create unique index credentials_one_current on credentials (tenant_id) where expires_at is null;

create table users (
  id          id primary key,
  tenant_id   id not null references tenants,
  external_id text collate "C",
  status      text not null default 'active' check (status in ('active', 'blocked')),
  status_reason text,
  meta        jsonb not null default '{}',
  kyc_status  text not null default 'not_started',
  created_at  timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  updated_at  timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp())
);
create index users_of_tenant on users (tenant_id, id desc);
create unique index users_external_id on users (tenant_id, external_id) where external_id is not null;

-- The client's accounts: whose they are. Their balances are the ledger's.
create table accounts (
  id         id primary key,
  tenant_id  id not null references tenants,
  owner_type text not null check (owner_type in ('client', 'user')),
  user_id    id references users,
  currency   text not null,
  status     text not null default 'active' check (status in ('active', 'closed')),
  created_at timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  updated_at timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  check ((owner_type = 'user') = (user_id is not null))
);
create index accounts_of_tenant on accounts (tenant_id, id desc);
create unique index accounts_master on accounts (tenant_id, currency) where owner_type = 'client';
create unique index accounts_of_user on accounts (user_id, currency);

create table offramp_references (
  tenant_id id not null references tenants,
  reference text not null,
  created_at timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  primary key (tenant_id, reference)
);
