-- Operators. The secret of each is stored as a keyed hash.
create table operators (
  id              id primary key,
  name            text not null,  -- as decisions and the audit log show it; never used again
  secret_hash     bytea not null unique,
  created_by      text not null,  -- installation, or the operator who made it
  created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),
  disabled_at     timestamptz(3),
  disabled_by     text,
  disabled_reason text,
  proposed_by     text,  -- the first of two who admit
  admitted_by     text,  -- the second of two who admit, or the only one
  admitted_at     timestamptz(3),  -- the operator decides nothing before
  check ((disabled_at is null) = (disabled_by is null)),
  constraint operators_admitted check ((admitted_by is null) = (admitted_at is null)),
  constraint operators_admitted_by_two check (admitted_by <> proposed_by)
);
create unique index operators_by_name on operators (lower(name));
