create table webhook_endpoints (
  tenant_id    id not null references tenants,
  registration text not null check (registration in ('card', 'account', 'deposit', 'cardholder', 'kyc')),
  url          text not null,
  -- failing: a recovery workflow probes it, everything else of it waits. disabled: it answered 410.
  status       text not null default 'active' check (status in ('active', 'failing', 'disabled')),
  failing_since timestamptz(3),
  probes       smallint not null default 0, -- where in the schedule the next probe stands
  next_probe_at timestamptz(3),
  last_error   text,
  created_at   timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  updated_at   timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  primary key (tenant_id, registration)
);
create index webhook_endpoints_failing on webhook_endpoints (next_probe_at) where status = 'failing';

-- When each tenant last asked for a replay: one in 10 s, whichever process is asked.
create table webhook_resends (
  tenant_id id primary key references tenants,
  at        timestamptz(3) not null
);
