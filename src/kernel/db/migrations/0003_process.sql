-- Cases for an operator: money or statements of a party that fit no record.
create table breaks (
  id          id primary key,
  tenant_id   id references tenants,  -- absent where the money belongs to nobody that we know
  kind        text not null,
  subject     text collate "C" not null,  -- the record, or the provider's object, that it is about
  detail      text not null,
  amount      numeric,
  currency    text,
  created_at  timestamptz(3) not null default product_now(),
  resolved_at timestamptz(3),
  resolved_by text,
  note        text,
  check ((amount is null) = (currency is null)),
  check ((resolved_at is null) = (resolved_by is null))
);
create unique index breaks_once on breaks (kind, subject, detail);
create index breaks_open on breaks (created_at) where resolved_at is null;
create index breaks_of on breaks (subject, created_at);
create index breaks_in_order on breaks (created_at, id);

-- Stops by an operator. A row exists while its stop is in force. The audit log keeps ended stops.
create table stops (
  kind       text not null,  -- src/process/stops/record.ts
  subject    text collate "C" not null,  -- the id, or the name, of what is stopped
  tenant_id  id,  -- whose it is
  reason     text not null,
  stopped_by text not null,
  at         timestamptz(3) not null,
  primary key (kind, subject)
);
create index stops_in_order on stops (at);

-- Capabilities, of the installation or of one tenant, and parties that an operator has switched off. A row is kept when its switch
-- is on again. Processes read the open rows at most twice a second.
create table switches (
  id         bigint generated always as identity primary key,
  kind       text not null check (kind in ('capability', 'party')),
  name       text not null,
  tenant_id  text references tenants,
  off_at     timestamptz(3) not null,
  off_by     text not null,
  off_reason text not null,
  on_at      timestamptz(3),
  on_by      text,
  on_reason  text,
  check (kind = 'capability' or tenant_id is null),
  check (((on_at is null) = (on_by is null)) and ((on_at is null) = (on_reason is null)))
);
-- At most one open row a switch. The hot path reads open rows only.
create unique index switches_off on switches (kind, name, coalesce(tenant_id, '')) where on_at is null;

-- Requests of one operator that another operator decides. Nothing is carried out before the decision.
create table approvals (
  id           id primary key,
  kind         text not null,  -- name of a decision of the desk
  subject      id not null,  -- the record that it is about
  tenant_id    id,
  amount       numeric,  -- null: the decision moves no money
  currency     text,
  terms        jsonb not null,  -- of the kind's own shape; never changed
  changes      jsonb not null default '[]',  -- what it will do, for people: [{ field, from, to }]
  rests_on     jsonb,  -- facts of the subject by which it was asked for. Null: the kind compares its own terms
  reason       text not null,
  requested_by text not null,
  requested_at timestamptz(3) not null default product_now(now()),
  status       text not null default 'pending' check (status in ('pending', 'approved', 'rejected')),
  decided_by   text,
  decided_at   timestamptz(3),
  note         text,  -- what was said with the decision
  needs        int not null default 1 check (needs in (1, 2)),  -- operators who approve, none of them who asked
  permission   text not null default 'security',  -- which those who approve have
  seal         bytea,  -- keyed hash of what was asked for (src/process/approvals/seal.ts). Null: a program asks
  first_by     text,  -- the first of two
  first_at     timestamptz(3),
  check ((amount is null) = (currency is null)),
  check ((first_by is null) = (first_at is null)),
  check (status <> 'approved' or needs = 1 or (first_by is not null and first_by not in (decided_by, requested_by))),
  check (((status = 'pending') = (decided_by is null)) and ((decided_by is null) = (decided_at is null))),
  check (needs = 2 or requested_by like 'operator:%'),
  check (status <> 'approved' or decided_by <> requested_by)
);
create trigger approvals_are_final before update on approvals
  for each row when (old.status <> 'pending') execute function refuse_change('a decided approval is never changed');
create trigger approvals_stay before delete or truncate on approvals
  for each statement execute function refuse_change('a decided approval is never changed');
create index approvals_waiting on approvals (requested_at) where status = 'pending';
create index approvals_about on approvals (subject);
create index approvals_of_subject on approvals (subject, kind) where status = 'pending';
create index approvals_in_order on approvals (requested_at, id);

-- Decisions of one person or program alone. Their sums are compared with limits (src/process/limits). Decisions of two people
-- are not in this table.
create table decided_alone (
  id            bigint generated always as identity primary key,
  subject       id not null,  -- the account or transfer that it is about
  tenant_id     id,
  decided_by    text not null,  -- operator:<name>, or an admin's client id
  day           date not null,  -- UTC
  amount        numeric not null check (amount >= 0),
  currency      text not null,
  rate          numeric not null check (rate > 0),  -- what one unit was worth in the base currency
  worth         numeric not null check (worth >= 0),  -- in the base currency
  base_currency text not null  -- of the installation, then
);
create index decided_alone_about on decided_alone (subject);
create index decided_alone_of_day on decided_alone (day);

-- The newest rates that an API process knows. Limits are counted by them, because the command line asks no party.
create table counting_rates (
  one         boolean primary key default true check (one),
  as_of       timestamptz(3) not null,
  fresh_until timestamptz(3),  -- null: they never grow old
  mids        jsonb not null  -- { currency: decimal text }, all in the same currency
);

-- Settings of the installation. Its processes write them when they start.
create table installation_settings (
  name   text primary key,  -- src/process/limits/store.ts
  value  text not null,
  set_at timestamptz(3) not null default product_now(now())
);
-- Dual control is switched off in a sandbox only.
create function installation_settings_refuse() returns trigger language plpgsql as $$
begin
  if is_sandbox(current_user) then return new; end if;
  raise exception 'a live installation has dual control' using errcode = 'insufficient_privilege';
end $$;
create trigger installation_settings_refuse before insert or update on installation_settings
  for each row when (new.name = 'dual_control' and new.value = 'off') execute function installation_settings_refuse();

-- Verified callbacks of parties, as received. Each is kept once. They are deleted after thirty days.
create table provider_callbacks (
  id          id primary key,
  party       text not null,
  external_id text collate "C" not null,  -- the party's own name for it
  body        bytea not null,  -- the exact bytes, sealed under the id
  headers     jsonb not null,  -- an allow-list: neither signatures nor credentials
  received_at timestamptz(3) not null default product_now(),
  handled_at  timestamptz(3),
  outcome     text
);
create unique index provider_callbacks_once on provider_callbacks (party, external_id);
create index provider_callbacks_by_age on provider_callbacks (received_at);

-- Callbacks without a valid signature, counted by party and hour. Their bytes are not kept, because a stranger could fill the
-- disk with them.
create table forged_callbacks (
  party     text not null,
  hour      timestamptz(0) not null,
  count     bigint not null check (count > 0),
  last_hash bytea not null,  -- SHA-256 of the last one's bytes
  last_at   timestamptz(3) not null,
  primary key (party, hour)
);

-- Places up to which a party's list of changes was read. The last two minutes are read again.
create table party_places (
  party   text not null,
  read_at timestamptz(3) not null,
  place   text not null,
  primary key (party, read_at)
);

-- One change of each party's list, and the place at which its page began. If the change is gone from that page, the list has
-- shrunk and its places have moved.
create table list_anchors (
  party     text primary key,
  place     text,  -- null: the beginning
  change_id text not null,
  read_at   timestamptz(3) not null
);

-- Each time that commits were found to be lost. Watchers forget what they remember when a row is new.
create table lost_commits (
  number   int generated always as identity primary key,
  since    timestamptz(3) not null,  -- by the machine's time; everything that was committed later may be lost
  found_at timestamptz(3) not null default clock_timestamp(),
  reason   text not null check (reason in ('mark', 'timeline', 'cluster', 'restore'))
);

-- Parties whose list of changes cannot be read now. Each of their transfers is asked for instead.
create table unreadable_lists (
  party text primary key,
  since timestamptz(3) not null
);

-- When the watcher last read each party's list without a failure. The metric party_list_age_seconds shows the age.
create table list_readings (
  party   text primary key,
  read_at timestamptz(3) not null
);

-- Orders that the card processor and the reviewer list. The version that was heard last makes a repeat in the list cheap. due_by
-- is the time by which a workflow must have asked for the order, so that a lost signal is noticed.
create table party_orders (
  party     text not null,
  ref       text collate "C" not null,  -- what the party is asked for: the key of our order
  subject   id not null,  -- whose workflow asks: a card, a tokenization, a cardholder
  tenant_id id not null,
  version   double precision,  -- a whole number; absent where the party counts none
  due_by    timestamptz(3),
  -- the list names it as ended; the watcher signals such workflows a few at a time
  in_turn   boolean not null default false,
  primary key (party, ref)
);
create index party_orders_due on party_orders (party, due_by) where due_by is not null;
create index party_orders_in_turn on party_orders (party, ref) where in_turn;

-- Names that a party has told and that no transfer has. A name is kept until the party was asked for it, so that a lost signal
-- is noticed.
create table reported_names (
  party         text not null,
  ref           text collate "C" not null,  -- what the party is asked for
  first_reported_at timestamptz(3) not null,
  due_by        timestamptz(3) not null,  -- the party must have been asked by then
  primary key (party, ref)
);
create index reported_names_due on reported_names (party, due_by);

-- A price that holds until expires_at and is used once. Its terms belong to the domain that made it.
create table quotes (
  id         id primary key,
  tenant_id  id not null references tenants,
  account_id id not null,  -- of the quoting domain; virtual IBANs are not in `accounts`
  kind       text not null,
  terms      jsonb not null,
  expires_at timestamptz(3) not null,
  used_by    id,  -- the record that took it
  used_at    timestamptz(3),
  created_at timestamptz(3) not null,
  check ((used_by is null) = (used_at is null)),
  check (kind in ('deposit', 'payout', 'iban_payout', 'card_issue', 'card_topup', 'account_exchange'))
);
create index quotes_by_age on quotes using brin (created_at);
-- Finds unused quotes, which are deleted some time after they expire.
create index quotes_unused on quotes (expires_at) where used_by is null;
