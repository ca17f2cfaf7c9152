-- outside a transaction

-- Where a tenant may withdraw fiat to from the exchange: an allow-list that the operator keeps. A row's account never changes;
-- one that is disabled stays, for its withdrawals name it.
create table if not exists withdrawal_destinations (
  id                 id primary key,
  tenant_id          id not null,
  currency           text not null,
  label              text,
  destination        bytea not null,           -- sealed under the id; opened to order a withdrawal, or for an approver
  destination_masked json not null,
  account_hash       bytea not null,           -- keyed: of the account and the currency, to know the same again
  active_from        timestamptz(3) not null,
  added_by           text not null,
  waived_at          timestamptz(3),           -- it became active then, before its time
  waived_by          text,
  disabled_at        timestamptz(3),
  disabled_by        text,
  created_at         timestamptz(3) not null,
  updated_at         timestamptz(3) not null
);
create unique index concurrently if not exists withdrawal_destinations_account
  on withdrawal_destinations (tenant_id, account_hash) where disabled_at is null;
create index concurrently if not exists withdrawal_destinations_of_tenant on withdrawal_destinations (tenant_id, id desc);

-- Those that the exchange has not been told of, by where they go: they end when that is disabled.
create index concurrently if not exists withdrawals_not_ordered on transfers ((terms ->> 'destinationId'))
  where kind = 'exchange_withdrawal' and ordered_at is null;
