-- The answer that a key stands for: written in the transaction of the effect itself.
create table idempotency_keys (
  tenant_id   id not null,
  scope       text collate "C" not null,   -- method and path
  key         text collate "C" not null,
  fingerprint bytea not null,              -- of the canonical body, query and files
  status      smallint not null,
  body        text not null,
  permanent   boolean not null default false,
  created_at  timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  primary key (tenant_id, key, scope)
);
create index idempotency_keys_by_age on idempotency_keys using brin (created_at);

create table audit_log (
  id         bigint generated always as identity primary key,
  at         timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  actor      text not null,      -- the admin's client id, or the operator at the command line
  action     text not null,
  subject    text,
  tenant_id  id,
  request_id text,
  before     jsonb,
  after      jsonb
);
create index audit_log_by_subject on audit_log (subject, id);
