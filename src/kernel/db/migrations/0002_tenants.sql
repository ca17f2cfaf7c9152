create table tenants (
  id             id primary key,
  name           text not null,
  role           text not null check (role in ('client', 'admin')),
  status         text not null default 'active' check (status in ('active', 'disabled')),
  settings       jsonb not null default '{}',
  operator_id    id,  -- of an admin: the operator to whom it belongs. Null: it names nobody
  created_at     timestamptz(3) not null default product_now(now()),
  updated_at     timestamptz(3) not null default product_now(now()),
  -- Counts changes of the row and of its secrets. API processes cache a tenant and compare this number.
  access_version bigint not null default 0,
  check (operator_id is null or role = 'admin')
);
create index tenants_of_operator on tenants (operator_id) where operator_id is not null;

-- A tenant has one current secret and, while a rotation overlaps, earlier ones.
create table credentials (
  id            bigint generated always as identity primary key,
  tenant_id     id not null references tenants,
  name          text not null default 'main',
  scopes        text[] check (scopes <> '{}'),     -- null: all
  addresses     text[] check (addresses <> '{}'),  -- addresses and networks that the secret may come from; null: any
  secret_hash   bytea not null,  -- HMAC-SHA256 under the installation's key of that purpose
  secret_sealed bytea not null,  -- AES-256-GCM; opened only to sign webhooks
  shown_to      text,  -- operator:<name>, who saw it when it was made. Null: the tenant alone
  created_at    timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  expires_at    timestamptz(3)
);
create index credentials_of_tenant on credentials (tenant_id, id desc);
create unique index credentials_one_current on credentials (tenant_id, name) where expires_at is null;

-- Each change of a tenant's row or secrets raises access_version, whoever makes the change.
create function tenants_move_access() returns trigger language plpgsql as $$
begin
  new.access_version := old.access_version + 1;
  return new;
end $$;
create function credentials_move_access() returns trigger language plpgsql as $$
begin
  -- The number itself is set by the trigger of tenants.
  update tenants set access_version = access_version where id in (old.tenant_id, new.tenant_id);
  return null;
end $$;

create trigger tenants_move_access before update on tenants
  for each row execute function tenants_move_access();
create trigger credentials_move_access after insert or delete or update on credentials
  for each row execute function credentials_move_access();

-- A secret that was rotated away, because somebody else may know it, is never valid for longer.
create trigger credentials_end before update of expires_at on credentials
  for each row when (old.expires_at is not null and (new.expires_at is null or new.expires_at > old.expires_at) and not is_owner(current_user))
  execute function refuse_change('a secret that ends is never valid for longer');

-- The URLs of webhooks, each once, because an attempt names its URL for as long as its event is kept.
create table webhook_urls (
  id        integer generated always as identity primary key,
  tenant_id id not null references tenants,
  url       text not null,
  left_at   timestamptz(3)  -- when the last endpoint left it. Null: an endpoint has it
);
create unique index webhook_urls_once on webhook_urls (tenant_id, md5(url));
create index webhook_urls_left on webhook_urls (left_at) where left_at is not null;

create table webhook_endpoints (
  tenant_id       id not null references tenants,
  registration    text not null,
  url             text not null,
  url_id          integer not null references webhook_urls,  -- set by a trigger
  -- failing: a recovery workflow probes it and its other events wait. disabled: it answered 410.
  status          text not null default 'active' check (status in ('active', 'failing', 'disabled')),
  failing_since   timestamptz(3),
  probes          smallint not null default 0,  -- place of the next probe in the schedule
  next_probe_at   timestamptz(3),
  last_error      text,
  created_at      timestamptz(3) not null default product_now(now()),
  updated_at      timestamptz(3) not null default product_now(now()),
  recent_failures int not null default 0,
  probe_event     bigint,  -- what a failing endpoint is probed with
  probe_failures  smallint not null default 0,  -- of that event, in this recovery
  primary key (tenant_id, registration),
  check (registration in ('card', 'account', 'deposit', 'cardholder', 'kyc', 'payout', 'transfer'))
);
create index webhook_endpoints_failing on webhook_endpoints (next_probe_at) where status = 'failing';

create function webhook_url_is_set() returns trigger language plpgsql as $$
begin
  insert into webhook_urls (tenant_id, url) values (new.tenant_id, new.url)
  on conflict (tenant_id, md5(url)) do update set left_at = null
  returning id into new.url_id;
  return new;
end $$;
create function webhook_url_is_left() returns trigger language plpgsql as $$
begin
  update webhook_urls u set left_at = product_now()
   where u.id = old.url_id
     and not exists (select from webhook_endpoints w where w.tenant_id = old.tenant_id and w.url_id = old.url_id);
  return null;
end $$;
create trigger webhook_endpoints_set_url before insert or update of url on webhook_endpoints
  for each row execute function webhook_url_is_set();
create trigger webhook_endpoints_leave_url after update of url or delete on webhook_endpoints
  for each row execute function webhook_url_is_left();

-- Changes of very many events that are marked and not made yet. Dispatchers make them in portions, those of an endpoint one after
-- another (src/tenants/webhooks/delivery/moves.ts). Nothing is delivered to an endpoint while events of its are to be parked.
create table webhook_moves (
  number       bigint generated always as identity primary key,
  action       text not null check (action in ('park', 'park_for_resend', 'unpark', 'keep_for_resend', 'retry', 'resend', 'resend_due')),
  tenant_id    id not null references tenants,
  registration text not null,
  shard        smallint not null generated always as (webhook_shard(tenant_id, registration)) stored,
  last_number  bigint,  -- of events; later ones are left alone
  from_time    timestamptz(3),  -- of a resend: when its events happened, and how they stand
  to_time      timestamptz(3),
  states       text[],
  after_at     timestamptz(3) not null default '-infinity',  -- the place where the last portion ended
  after_number bigint not null default 0
);
create index webhook_moves_of on webhook_moves (tenant_id, registration, number);

-- Who delivers the webhooks of each shard. A process claims, sends and records for a shard only under its present number, a fencing
-- token that grows with each taker. Another process may take a lease that was not renewed for 15 s
-- (src/tenants/webhooks/delivery/leases.ts).
create table webhook_shards (
  shard      smallint primary key,
  fence      integer not null default 0,
  holder     text,  -- a process; null: given back
  stands_in  boolean not null default false,  -- holds without a workflow, because Temporal is away
  wanted_at  timestamptz,  -- when a workflow's activity in another process last asked for it
  renewed_at timestamptz not null default clock_timestamp()
) with (fillfactor = 50);
insert into webhook_shards (shard) select generate_series(0, 15);

-- Time of a tenant's last replay. One replay in 10 s is allowed over all processes.
create table webhook_resends (
  tenant_id id primary key references tenants,
  at        timestamptz(3) not null
);

-- The demo client and the operator that the sandbox created. Their credentials are in credentials.json. Their names may change,
-- so this table tells which tenants they are.
create table demo_tenants (
  purpose   text primary key check (purpose in ('client', 'admin')),
  tenant_id id not null references tenants
);
