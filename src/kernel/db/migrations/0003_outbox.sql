-- Which of the 16 dispatchers (SHARDS in src/kernel/outbox/events.ts) an endpoint's events fall to.
create function webhook_shard(tenant_id text, registration text) returns smallint immutable language sql
  return mod(abs(hashtext(tenant_id || registration)::bigint), 16)::smallint;

-- What a webhook is told. Written in the transaction of what it tells, delivered by the dispatchers; one event has at
-- most one endpoint (a tenant registers one URL a type), so the state of its delivery stands beside it.
create table events (
  number      bigint generated always as identity primary key,
  tenant_id   id not null,
  registration text not null check (registration in ('card', 'account', 'deposit', 'cardholder', 'kyc')),
  event       text not null,
  data_id     id not null,
  reference_id id,
  type        text,
  subtype     text,
  data        text not null,               -- the exact bytes of the envelope's data
  idempotency_key text,
  created_at  timestamptz(3) not null,
  shard       smallint not null,
  -- recorded: no endpoint was registered. due: to be delivered. parked: its endpoint was deleted.
  delivery    text not null check (delivery in ('recorded', 'due', 'delivered', 'failed', 'parked')),
  attempts    smallint not null default 0,
  due_at      timestamptz(3),              -- the order of delivery: when it happened
  leased_until timestamptz(3),             -- a dispatcher has it in hand until then
  delivered_at timestamptz(3),
  last_error  text
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
-- Receivers drop a second event with the same (event, referenceId, type, subtype): interface.md 6.1, receiver rule 3.
create unique index events_are_told_once on events (reference_id, event, type, subtype) nulls not distinct
  where reference_id is not null;
-- One index both for "which endpoints have due events" (a skip from endpoint to endpoint) and for an endpoint's next.
create index events_due on events (shard, tenant_id, registration, due_at, number) where delivery = 'due';
create index events_to_resend on events (tenant_id, created_at) where delivery in ('recorded', 'failed', 'parked');

-- What a workflow is to be told: start, or look at its record again. Deleted when Temporal has taken it.
create table workflow_commands (
  number      bigint generated always as identity primary key,
  workflow    text not null,               -- the registered name
  workflow_id text not null,
  task_queue  text not null,
  action      text not null check (action in ('start', 'look')),
  args        jsonb not null,
  tenant_id   id,
  summary     text,
  created_at  timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  attempts    int not null default 0,
  due_at      timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  leased_until timestamptz(3),
  parked_at   timestamptz(3),
  last_error  text
);
create index workflow_commands_due on workflow_commands (due_at) where parked_at is null;
