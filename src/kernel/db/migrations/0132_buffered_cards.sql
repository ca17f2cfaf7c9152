-- outside a transaction

-- The reserve of a card: a ledger account of its own under the card, so that Postgres keeps it as it keeps all money. Each of these
-- tables is changed by itself: to hold one while waiting for another would shut the ledger. Checks are wider than before, so all
-- rows fit.
alter table ledger_accounts drop constraint if exists ledger_accounts_kind_check, add constraint ledger_accounts_kind_check
  check (kind in ('card', 'card_buffer', 'user', 'iban', 'master', 'internal')) not valid;
alter table quotes drop constraint if exists quotes_kind_check, add constraint quotes_kind_check
  check (kind in ('deposit', 'payout', 'iban_payout', 'card_issue', 'card_topup')) not valid;
alter table cards
  add column if not exists buffer_account_id id,                                  -- null: it has never had a buffer
  -- The freeze reason `insufficient_funds` was set by the client, and stands until unfrozen or funded.
  add column if not exists insufficient_asked boolean not null default false;

-- What a client has asked of a card and is carried out by a process (interface.md 4.1, v2 cards).
create table if not exists card_operations (
  id          id primary key,
  tenant_id   id not null,
  card_id     id not null,
  account_id  id not null,                 -- what funds the card
  type        text not null check (type in ('issue', 'topup', 'withdraw', 'close')),
  status      text not null check (status in ('accepted', 'processing', 'completed', 'failed')),
  currency    text not null,
  principal   numeric not null,            -- what was asked for: the card's part, its reserve, and the fee
  buffer      numeric not null,
  fee         numeric not null,
  quote_id    id,
  result      json,                        -- what was posted, when it is completed
  failure     json,
  idempotency_key text collate "C",
  caller_id   id not null,                 -- the tenant of whoever called
  created_at  timestamptz(3) not null,
  updated_at  timestamptz(3) not null
);
create unique index if not exists card_operations_idempotency_key
  on card_operations (caller_id, card_id, type, idempotency_key) where type <> 'issue';
-- A card that is being issued is new in each call.
create unique index if not exists card_operations_issue_idempotency_key
  on card_operations (caller_id, idempotency_key) where type = 'issue';
create index if not exists card_operations_of_card on card_operations (card_id, id desc);
create unique index if not exists card_operations_one_closure on card_operations (card_id) where type = 'close';
create index if not exists card_operations_open on card_operations (updated_at) where status in ('accepted', 'processing');
