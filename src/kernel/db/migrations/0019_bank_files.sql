-- Files of ISO 20022 that are exchanged with a bank over a folder. Each message is made once, and booked once.
create table bank_files (
  id            bigint generated always as identity primary key,
  direction     text not null check (direction in ('out', 'in')),
  kind          text not null,  -- pain.001.001.09 and so on; empty: a refused file that could not be read
  message_id    text collate "C",  -- null: of a refused file
  name          text not null,  -- of the file
  sha256        text collate "C",  -- in hex; null: of a refused file that was not read
  -- out: made (its content stands here), staged (written under `staged_as`), placed (has its name). in: booked, refused.
  result        text not null check (result in ('made', 'staged', 'placed', 'booked', 'refused')),
  reason        text,  -- of a refusal: a code and a place in the file, without personal data
  repeats       int not null default 0,  -- how often the same file came again
  transactions  int not null default 0,
  control_sum   numeric not null default 0,
  staged_as     text,
  content       bytea,  -- sealed; null once the file is placed
  created_at    timestamptz(3) not null default product_now(),
  placed_at     timestamptz(3),
  constraint bank_files_messages unique (direction, kind, message_id)
);
create unique index bank_files_refused on bank_files (name, coalesce(sha256, '')) where result = 'refused';
create index bank_files_to_place on bank_files (id) where result in ('made', 'staged');

-- Orders for the bank: payouts, and returns of received payments.
create table bank_orders (
  key           text collate "C" primary key,  -- our idempotency key
  purpose       text not null check (purpose in ('payout', 'return')),
  credit_id     text collate "C",  -- of a return: the received payment
  end_to_end_id text collate "C" not null constraint bank_orders_names unique,
  service       text not null check (service in ('sepa', 'swift')),
  amount        numeric not null check (amount > 0),
  currency      text not null,
  payee         bytea,  -- sealed; null once the order stands in a file
  fingerprint   bytea not null,  -- sealed SHA-256 of what was ordered, so that a key stands for one order
  file_id       bigint references bank_files (id),
  group_id      text collate "C",  -- the group (PmtInf) within the file
  stage         text not null default 'ordered' check (stage in ('ordered', 'accepted', 'sent', 'completed', 'failed')),
  failure_code  text,
  sent          numeric not null default 0 check (sent >= 0),
  debited       numeric not null default 0 check (debited >= 0),  -- by booked entries
  recall        text check (recall in ('asked', 'pending', 'accepted', 'refused')),
  version       int not null default 1,
  created_at    timestamptz(3) not null default product_now()
);
create index bank_orders_to_send on bank_orders (created_at, key) where file_id is null and stage = 'ordered';
create index bank_orders_by_file on bank_orders (file_id);
create index bank_orders_not_booked on bank_orders (currency) where sent > debited;
create index bank_orders_by_credit on bank_orders (credit_id) where credit_id is not null;

-- Money of an order that has come back. The interbank message and the booked entry may both tell of it.
create table bank_order_returns (
  id            text collate "C" primary key,
  order_key     text collate "C" not null references bank_orders (key),
  amount        numeric not null check (amount > 0),
  reason        text,
  told_by       text collate "C",  -- reference of a pacs.004
  booked_by     text collate "C"   -- name of an entry
);
create index bank_order_returns_by_order on bank_order_returns (order_key);
create index bank_order_returns_not_booked on bank_order_returns (order_key) where booked_by is null;

-- Payments that the bank has received for an IBAN of our range.
create table bank_credits (
  id             text collate "C" primary key,
  iban           text not null,
  account        text not null,
  amount         numeric not null check (amount > 0),
  currency       text not null,
  payer          bytea,  -- sealed; null: the bank names none
  end_to_end_id  text collate "C",
  transaction_id text collate "C",
  uetr           text collate "C",
  recall_asked   boolean not null default false,  -- the payer's bank asks it back
  version        int not null default 1,
  created_at     timestamptz(3) not null default product_now()
);
create index bank_credits_by_transaction on bank_credits (transaction_id) where transaction_id is not null;
create index bank_credits_by_uetr on bank_credits (uetr) where uetr is not null;
create index bank_credits_by_end_to_end on bank_credits (end_to_end_id) where end_to_end_id is not null;

-- What the payer's bank has taken back of a received payment.
create table bank_credit_recalls (
  id        text collate "C" primary key,
  credit_id text collate "C" not null references bank_credits (id),
  amount    numeric not null check (amount > 0)
);
create index bank_credit_recalls_by_credit on bank_credit_recalls (credit_id);

-- Booked entries, each once, whichever messages repeat it.
create table bank_entries (
  name         text collate "C" primary key,  -- hash of account, side and the bank's reference
  account      text not null,
  side         text not null check (side in ('credit', 'debit')),
  amount       numeric not null check (amount > 0),
  currency     text not null,
  concerns     text collate "C",  -- key of an order, or id of a received payment; null: nothing of ours
  file_id      bigint not null references bank_files (id),
  statement_id bigint,
  created_at   timestamptz(3) not null default product_now()
);
create index bank_entries_not_stated on bank_entries (account, currency) where statement_id is null;
create index bank_entries_to_state on bank_entries (concerns) where statement_id is null;

-- Statements of our accounts, with their booked balances.
create table bank_statements (
  id         bigint generated always as identity primary key,
  account    text not null,
  currency   text not null,
  number     bigint,  -- in the bank's series; null: the bank counts none
  year       int not null,  -- a series may begin anew with a year
  opening    numeric not null,
  closing    numeric not null,
  until      timestamptz(3) not null,
  file_id    bigint not null references bank_files (id),
  created_at timestamptz(3) not null default product_now(),
  constraint bank_statements_numbers unique (account, currency, year, number)
);
create index bank_statements_last on bank_statements (account, currency, until desc, id desc);

-- Since when the books differ from the bank's balance.
create table bank_differences (
  currency   text primary key,
  difference numeric not null,
  since      timestamptz(3) not null
);

-- What has changed at the bank, as the lists of both parties read it.
create table bank_changes (
  id      bigint generated always as identity primary key,
  party   text not null check (party in ('payouts', 'bank')),
  ref     text collate "C" not null,
  version int not null
);
create index bank_changes_by_party on bank_changes (party, id);
