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
  permissions     text[] not null default '{view,review,money,chain,security}',  -- src/process/desk/permissions.ts
  totp_secret     bytea,  -- of the code generator, sealed under the id. Null: signs in without codes, in the sandbox only
  totp_step       bigint,  -- of the last code that was used. A code works once
  check (permissions <@ '{view,review,money,chain,security}'),
  check ((disabled_at is null) = (disabled_by is null)),
  constraint operators_admitted check ((admitted_by is null) = (admitted_at is null)),
  constraint operators_admitted_by_two check (admitted_by <> proposed_by)
);
create unique index operators_by_name on operators (lower(name));
alter table tenants add constraint tenants_operator foreign key (operator_id) references operators;

-- API processes cache what an operator's credentials may do with the tenant. They read both again after a change.
create function operators_move_access() returns trigger language plpgsql as $$
begin
  update tenants set access_version = access_version where operator_id = new.id;
  return null;
end $$;
create trigger operators_move_access after update of disabled_at, permissions on operators
  for each row execute function operators_move_access();
create function operators_refuse() returns trigger language plpgsql as $$
begin
  raise exception 'an operator stays admitted, and stays disabled' using errcode = 'integrity_constraint_violation';
end $$;
create trigger operators_stay before update on operators
  for each row when ((old.admitted_at is not null and (new.admitted_at, new.admitted_by) is distinct from (old.admitted_at, old.admitted_by))
    or (old.disabled_at is not null and (new.disabled_at, new.disabled_by) is distinct from (old.disabled_at, old.disabled_by)))
  execute function operators_refuse();

-- One-time links, by which an invited operator sets what he signs in by, or an operator a new code generator. Times are of
-- the machine, as those of sessions.
create table operator_links (
  token_hash  bytea primary key,
  purpose     text not null check (purpose in ('invitation', 'code_generator')),
  operator_id id not null,  -- of an invitation: the id that the operator will have
  name        text not null,
  permissions text[] not null check (permissions <@ '{view,review,money,chain,security}'),
  created_by  text not null,  -- who invited the operator, or approved the reset
  totp_secret bytea not null,  -- of the new code generator, sealed under the operator's id
  failures    int not null default 0,  -- wrong secrets and codes
  created_at  timestamptz(3) not null,
  expires_at  timestamptz(3) not null,
  used_at     timestamptz(3)
);
create index operator_links_open on operator_links (expires_at) where used_at is null;

-- Who is told once an hour by mail of what waits. Without a row, an operator is not.
create table operator_mails (
  operator_id id primary key references operators,
  address     bytea not null,  -- sealed under the id
  mailed_for  timestamptz(3)  -- the hour that a mail was last sent for
);

-- Sessions of operators at the desk. Times are of the machine, because the sandbox's clock may be moved.
create table desk_sessions (
  id          id primary key,
  operator_id id not null references operators,
  token_hash  bytea not null unique,
  transport   text not null check (transport in ('bearer', 'cookie')),
  address     text not null,  -- from which it was begun
  created_at  timestamptz(3) not null,
  seen_at     timestamptz(3) not null,  -- of the last request, to within some seconds
  ended_at    timestamptz(3)
);
create index desk_sessions_of_operator on desk_sessions (operator_id, id);
create index desk_sessions_open on desk_sessions (created_at, id) where ended_at is null;

-- Failures to sign in, in a row, by name and address. Rows older than a day count no more and are deleted.
create table sign_in_failures (
  name      text not null,  -- as given, in lower case. It may be no operator's
  address   text not null,
  failures  int not null,
  failed_at timestamptz(3) not null,
  primary key (name, address)
);
create index sign_in_failures_by_time on sign_in_failures (failed_at);
