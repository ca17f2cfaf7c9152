-- The reserve of a card: a ledger account of its own under the card, so that Postgres keeps it as it keeps all money.
alter table ledger_accounts drop constraint ledger_accounts_kind_check;
alter table ledger_accounts add constraint ledger_accounts_kind_check
  check (kind in ('card', 'card_buffer', 'user', 'iban', 'master', 'internal')) not valid; -- wider than before: all rows fit

alter table cards add column buffer_account_id id;                             -- null: it has never had a buffer
alter table cards add constraint cards_buffer_account foreign key (buffer_account_id) references ledger_accounts not valid;
-- The freeze reason `insufficient_funds` was set by the client, and stands until unfrozen or funded.
alter table cards add column insufficient_asked boolean not null default false;

alter table quotes drop constraint quotes_kind_check;
alter table quotes add constraint quotes_kind_check
  check (kind in ('deposit', 'payout', 'iban_payout', 'card_issue', 'card_topup')) not valid;

-- What a client has asked of a card and is carried out by a process (interface.md 4.1, v2 cards).
create table card_operations (
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
alter table card_operations
  add foreign key (tenant_id) references tenants not valid,
  add foreign key (card_id) references cards not valid,
  add foreign key (account_id) references accounts not valid;
create unique index card_operations_key on card_operations (caller_id, card_id, type, idempotency_key);
create index card_operations_of_card on card_operations (card_id, id desc);
create unique index card_operations_one_closure on card_operations (card_id) where type = 'close';
create index card_operations_open on card_operations (updated_at) where status in ('accepted', 'processing');
