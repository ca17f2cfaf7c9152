-- What became of the records that belong to an account or a card, in the order of its entries: a mixed history is these and the
-- listed entries, by one number. A change takes the next number of its account under the account's lock, in the transaction
-- that makes it, so that no page misses what commits late. Histories of statuses begin with this release: what is over has no
-- number any more.
create table status_changes (
  account_id      id not null,               -- the ledger account: an account's, a virtual IBAN's, a card's
  at              timestamptz(3) not null,   -- never earlier than the entry before it
  number          bigint not null,
  id              id not null,
  kind            text not null,             -- src/kernel/ledger/status-changes.ts
  record_id       id not null,
  reference_id    id not null,               -- of the record's account transactions
  status          text not null,
  previous_status text,                      -- absent: it was made with this one
  failure         text,
  primary key (account_id, at, number)
);
create trigger status_changes_are_final before update or delete or truncate on status_changes
  for each statement execute function ledger_refuse_change();
