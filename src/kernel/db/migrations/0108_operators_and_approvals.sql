-- The people who decide: each with a secret of its own, known by its keyed hash.
create table operators (
  id              id primary key,
  name            text not null,                   -- as decisions and the audit log tell of it; never given away again
  secret_hash     bytea not null unique,
  created_by      text not null,                   -- installation, or the operator who made it
  created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),
  disabled_at     timestamptz(3),
  disabled_by     text,
  disabled_reason text,
  check ((disabled_at is null) = (disabled_by is null))
);
create unique index operators_by_name on operators (lower(name));

-- What one operator has asked for and another one decides: nothing of it has been done before.
create table approvals (
  id           id primary key,
  kind         text not null,                      -- how it is carried out: src/operator/approvals/kinds.ts
  subject      id not null,                        -- the record that it is about
  tenant_id    id,
  amount       numeric not null,
  currency     text not null,
  terms        jsonb not null,                     -- of the kind's own shape; never changed
  reason       text not null,
  requested_by text not null,
  requested_at timestamptz(3) not null default date_trunc('milliseconds', now()),
  status       text not null default 'pending' check (status in ('pending', 'approved', 'rejected')),
  decided_by   text,
  decided_at   timestamptz(3),
  note         text,                               -- what was said with the decision
  check ((status = 'pending') = (decided_by is null) and (decided_by is null) = (decided_at is null)),
  check (status <> 'approved' or decided_by <> requested_by)
);
create index approvals_waiting on approvals (requested_at) where status = 'pending';
create index approvals_about on approvals (subject);
