-- Money that crosses our border: what is the same of every kind of transfer. What only one kind has stands in a table of
-- its own under the same id.
alter table transfers rename to account_transfers; -- between accounts of a tenant: this name is now for money that crosses our border

create table transfers (
  id              id primary key,
  kind            text not null,                 -- src/transfers/engine/kinds
  tenant_id       id references tenants,         -- absent: it is nobody's, and all of it stands in suspense
  account_id      id,                            -- the ledger account, of whatever domain
  status          text not null,
  terms           jsonb not null,                -- amounts, currencies, rates: agreed once, never changed
  reference_id    id not null,                   -- of its account transactions
  idempotency_key text collate "C",
  caller_id       id,                            -- whose key it is: the tenant of whoever called
  party           text not null,
  party_ref       text collate "C",              -- the party's name for it, or the key that we ask by
  ordered_at      timestamptz(3),                -- it may have reached the party since
  word            jsonb,                         -- the party's whole state, as it was applied last
  word_at         timestamptz(3),
  doubted         jsonb,                         -- a word that takes something back, read once: it counts when read again
  doubted_at      timestamptz(3),
  parts           jsonb not null default '[]',   -- refunds, disputes, returns: our id, the party's, in the order first seen
  failure         text,                          -- a code of ours
  adopted         boolean not null default true, -- false: made by an earlier release, and its books are not what they should be
  revision        int not null default 0,        -- changes so far: a word that was asked for before one is not applied
  quiet           int not null default 0,        -- looks in a row that found nothing new
  look_at         timestamptz(3),                -- its workflow looks again by itself then
  due_by          timestamptz(3),                -- its workflow must have looked by then; null while it rests
  reached         jsonb not null default '{}',   -- when it first had each status
  created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),
  updated_at      timestamptz(3) not null default date_trunc('milliseconds', now())
);
create unique index transfers_of_party on transfers (party, party_ref);
create unique index transfers_idempotency_key on transfers (caller_id, account_id, kind, idempotency_key);
create index transfers_of_account on transfers (account_id, kind, id);
create index transfers_due on transfers (kind, due_by) where due_by is not null;
create index transfers_waiting on transfers (kind, updated_at) where status in ('manual_review', 'pending_approval');

-- What was decided about a transfer, by people and by the system where time or path matters. Rows are only added.
create table transfer_decisions (
  number      bigint generated always as identity primary key,   -- in the order in which they were taken
  id          id not null unique,                -- the key of the order that follows from it
  transfer_id id not null references transfers,
  kind        text not null,
  amount      numeric,
  currency    text,
  account_id  id,
  data        jsonb not null default '{}',
  reason      text,
  decided_by  text not null,                     -- system, or who
  at          timestamptz(3) not null default date_trunc('milliseconds', now()),
  check ((amount is null) = (currency is null))
);
create index transfer_decisions_on on transfer_decisions (transfer_id, number);

-- What the books hold because of a transfer: each row is one change, posted with it; the sum of a component and part is what
-- is booked. `account_id` null: the internal account that the component names.
create table transfer_entries (
  number       bigint generated always as identity primary key,
  transfer_id  id not null references transfers,
  component    text not null,
  part         id,
  account_id   id,
  currency     text not null,
  amount       numeric not null check (amount <> 0),
  reference_id id not null,
  at           timestamptz(3) not null
);
create index transfer_entries_of on transfer_entries (transfer_id);
create index transfer_entries_by_reference on transfer_entries (reference_id);

create trigger transfer_decisions_are_final before update or delete or truncate on transfer_decisions
  for each statement execute function ledger_refuse_change();
create trigger transfer_entries_are_final before update or delete or truncate on transfer_entries
  for each statement execute function ledger_refuse_change();

-- `payout.status_changed`, `transfer.status_changed`.
alter table events drop constraint events_registration_check,
  add check (registration in ('card', 'account', 'deposit', 'cardholder', 'kyc', 'payout', 'transfer'));
alter table webhook_endpoints drop constraint webhook_endpoints_registration_check,
  add check (registration in ('card', 'account', 'deposit', 'cardholder', 'kyc', 'payout', 'transfer'));

-- Where the reading of a party's list of changes had come to, and when: the last two minutes are read again.
create table party_places (
  party   text not null,
  read_at timestamptz(3) not null,
  place   text not null,
  primary key (party, read_at)
);
create index transfer_entries_in_suspense on transfer_entries (transfer_id) where component = 'suspense';
