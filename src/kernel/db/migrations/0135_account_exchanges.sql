-- Quotes of exchanges between accounts. Wider than before, so all rows fit.
alter table quotes drop constraint quotes_kind_check, add constraint quotes_kind_check
  check (kind in ('deposit', 'payout', 'iban_payout', 'card_issue', 'card_topup', 'account_exchange')) not valid;

-- What was agreed of an exchange between two accounts of a tenant. It is completed with its posting, so it has no status; its
-- account transactions carry its id as their reference.
create table account_exchanges (
  id              id primary key,
  tenant_id       id not null,
  quote_id        id not null,
  from_account_id id not null,
  to_account_id   id not null,
  sell_currency   text not null,
  sell_amount     numeric not null,       -- the whole debit: what is exchanged, and the fee
  fee             numeric not null,
  buy_currency    text not null,
  buy_amount      numeric not null,
  rate            numeric not null,       -- of the bought currency for one of the sold, less the tenant's spread
  mid             numeric not null,       -- what the rate came from
  remainder       numeric not null,       -- of the bought currency, exact: what is lost below its minor unit
  idempotency_key text collate "C" not null,
  caller_id       id not null,            -- the tenant of whoever called
  created_at      timestamptz(3) not null
);
create unique index account_exchanges_idempotency_key on account_exchanges (caller_id, from_account_id, idempotency_key);
