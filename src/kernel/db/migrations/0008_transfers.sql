create table transfers (
  id              id primary key,
  kind            text not null,  -- src/transfers/engine/kinds
  tenant_id       id references tenants,  -- absent: the money belongs to no known tenant and is in suspense
  account_id      id,  -- the ledger account
  status          text not null,
  terms           jsonb not null,  -- amounts, currencies, rates: agreed once, never changed
  reference_id    id not null,  -- of its account transactions
  idempotency_key text collate "C",
  caller_id       id,  -- whose key it is: the tenant of whoever called
  party           text not null,
  party_ref       text collate "C",  -- the party's name for it, or the key that we ask by
  ordered_at      timestamptz(3),  -- the order may have reached the party since: committed by a step before the first call
  word            jsonb,  -- the party's whole state of the record, as applied last
  word_at         timestamptz(3),
  doubted         jsonb,  -- a word that takes something back; it is applied when it was read twice
  doubted_at      timestamptz(3),
  -- refunds, disputes, returns: our id, the party's, in the order first seen
  parts           jsonb not null default '[]',
  failure         text,  -- a code of ours
  revision        int not null default 0,  -- counts changes; a word that was read before the last change is not applied
  quiet           int not null default 0,  -- looks in a row that found nothing new
  look_at         timestamptz(3),  -- its workflow looks again by itself then
  due_by          timestamptz(3),  -- its workflow must have looked by then; null: nothing is expected
  -- what the party owes us and no release covers, by the kind's rules; null: nothing. The engine writes it with each word and decision
  unreleased      numeric,
  reached         jsonb not null default '{}',  -- when it first had each status
  created_at      timestamptz(3) not null default product_now(now()),
  updated_at      timestamptz(3) not null default product_now(now())
);
create unique index transfers_of_party on transfers (party, party_ref);
create unique index transfers_idempotency_key on transfers (caller_id, account_id, kind, idempotency_key);
-- Operators search by a client's idempotency key alone.
create index transfers_by_idempotency_key on transfers (idempotency_key, id) where idempotency_key is not null;
create index transfers_of_account on transfers (account_id, kind, id);
-- Lists of a tenant: orders of the exchange and withdrawals from it.
create index transfers_of_tenant on transfers (tenant_id, kind, id)
  where kind in ('exchange_order', 'exchange_withdrawal');
create index transfers_of_tenant_by_time on transfers (tenant_id, kind, created_at)
  where kind in ('exchange_order', 'exchange_withdrawal');
create index transfers_due on transfers (kind, due_by) where due_by is not null;
create index transfers_waiting on transfers (kind, updated_at) where status in ('manual_review', 'pending_approval');
create index transfers_of_account_by_time on transfers (account_id, kind, created_at);
-- Orders that the exchange owes us for. A settlement check counts and releases them.
create index exchange_orders_owed on transfers ((terms->>'toCurrency'), id)
  where kind = 'exchange_order' and unreleased > 0;
-- Withdrawals that are cancelled when their destination is disabled.
create index withdrawals_open_not_ordered on transfers ((terms->>'destinationId'))
  where kind = 'exchange_withdrawal' and ordered_at is null and (status in ('created', 'pending_approval', 'processing',
                  'sent'));
-- Deposits that a new block or a reorganisation concerns.
create index transfers_on_chain on transfers ((terms->>'chain'), (coalesce(word->>'blockNumber', terms->>'blockNumber')::bigint))
  where kind = 'chain_deposit';
create index transfers_on_chain_waiting on transfers ((terms->>'chain'))
  where kind = 'chain_deposit' and word->>'state' in ('seen', 'absent');
-- Open transfers, for the metrics.
create index transfers_open on transfers (kind, status, created_at)
  where status in ('created', 'awaiting_payment', 'pending', 'requires_action', 'pending_approval', 'processing',
                  'sent', 'manual_review', 'received', 'recalled', 'suspended', 'executing', 'awaiting_settlement',
                  'confirming');
-- Sums of deposits by address.
create index transfers_on_chain_by_address on transfers ((terms->>'chain'), (terms->>'address'))
  where kind = 'chain_deposit';
-- Deposits of which no node was asked yet.
create index transfers_on_chain_without_word on transfers ((terms->>'chain'))
  where kind = 'chain_deposit' and word is null;

-- The last 64 words of a transfer's party, for people who investigate it. `transfers.word` decides. The slot is the revision
-- modulo 64, so the key bounds the rows. Words hold no personal data.
create table transfer_words (
  transfer_id id not null references transfers,
  slot        smallint not null,
  revision    int not null,  -- of the transfer, once the word was applied
  version     bigint,  -- the party's, where it counts any
  word        jsonb not null,
  at          timestamptz(3) not null,
  primary key (transfer_id, slot)
);

-- Decisions about a transfer, by people and by the system. Rows are only added.
create table transfer_decisions (
  number      bigint generated always as identity primary key,  -- in the order in which they were taken
  id          id not null unique,  -- the key of the order that follows from it
  transfer_id id not null references transfers,
  kind        text not null,
  amount      numeric,
  currency    text,
  account_id  id,
  data        jsonb not null default '{}',
  reason      text,
  decided_by  text not null,  -- system, or who
  at          timestamptz(3) not null default product_now(now()),
  check ((amount is null) = (currency is null))
);
create index transfer_decisions_on on transfer_decisions (transfer_id, number);
create trigger transfer_decisions_are_final before delete or update or truncate on transfer_decisions
  for each statement execute function ledger_refuse_change();

-- Changes of the books by a transfer, written with their postings. The sum of a component and part is what is booked. Where
-- account_id is null, the component names the internal account.
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
create index transfer_entries_in_suspense on transfer_entries (transfer_id) where component = 'suspense';
create index transfer_entries_of_settlement on transfer_entries (currency, at) include (amount)
  where component = 'settlement';
-- Finds amounts sent in the last seconds, which a reading of the exchange may not include yet.
create index transfer_entries_sent_of_settlement on transfer_entries (currency, at) include (amount)
  where component in ('settlement', 'owed') and amount > 0;
create trigger transfer_entries_are_final before delete or update or truncate on transfer_entries
  for each statement execute function ledger_refuse_change();

-- What stands in suspense now: the sum of a transfer's entries there, by currency, where it is not zero. Written with the entries,
-- under the lock of the transfer's row.
create table suspense_items (
  transfer_id id not null references transfers,
  currency    text not null,
  amount      numeric not null,  -- below zero: ours to claim
  since       timestamptz(3) not null,  -- the earliest time of an entry there; a later entry may have an earlier time
  primary key (transfer_id, currency)
);
create index suspense_items_waiting on suspense_items (since);

create function keep_suspense() returns trigger language plpgsql security definer
  set search_path = public, pg_temp
as $$
begin
  insert into suspense_items as s (transfer_id, currency, amount, since)
  select n.transfer_id, n.currency, n.amount,
         (select min(e.at) from transfer_entries e
           where e.transfer_id = n.transfer_id and e.component = 'suspense' and e.currency = n.currency)
    from (select transfer_id, currency, sum(amount) as amount from new_entries where component = 'suspense'
           group by transfer_id, currency) n
  on conflict (transfer_id, currency) do update set amount = s.amount + excluded.amount, since = excluded.since;
  if found then
    delete from suspense_items s using new_entries n
     where s.transfer_id = n.transfer_id and s.currency = n.currency and s.amount = 0;
  end if;
  return null;
end $$;
create trigger transfer_entries_keep_suspense after insert on transfer_entries referencing new table as new_entries
  for each statement execute function keep_suspense();

-- Transfers that count for a tenant's daily threshold, in the threshold's currency at the mid rate of their creation. Rows are
-- written while a threshold is set (src/transfers/approval).
create table daily_outflows (
  transfer_id id primary key references transfers deferrable initially deferred,
  tenant_id   id not null references tenants,
  day         date not null,  -- UTC
  amount      numeric check (amount >= 0),  -- null: there was no fresh rate
  currency    text not null,
  rate        numeric,
  check ((amount is null) = (rate is null))
);
create index daily_outflows_of on daily_outflows (tenant_id, day);

-- The sums of a tenant's day, and what has changed since they were last taken. Who holds the tenant's day adds the changes to the
-- sums and deletes them. A transfer that fails only adds a change, so it waits for nobody.
create table daily_outflow_sums (
  tenant_id id not null references tenants,
  day       date not null,
  currency  text not null,
  amount    numeric not null,
  outflows  bigint not null,  -- how many count
  unknown   bigint not null,  -- how many of those have no amount
  primary key (tenant_id, day, currency)
);
create table daily_outflow_changes (
  tenant_id id not null,
  day       date not null,
  currency  text not null,
  amount    numeric not null,
  outflows  smallint not null,
  unknown   smallint not null
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create index daily_outflow_changes_of on daily_outflow_changes (tenant_id, day);

-- Whether a transfer of that status counts for its day.
create function counts_of_day(status text) returns boolean immutable language sql
  return status not in ('rejected', 'failed', 'cancelled');

-- A transfer counts from its creation on, or once more because it has succeeded after all, or no longer.
create function change_day(outflow daily_outflows, by int) returns void language sql as $$
  insert into daily_outflow_changes (tenant_id, day, currency, amount, outflows, unknown)
  values (outflow.tenant_id, outflow.day, outflow.currency, by * coalesce(outflow.amount, 0), by,
          case when outflow.amount is null then by else 0 end)
$$;
create function keep_day_of_outflow() returns trigger language plpgsql as $$
begin
  -- Its transfer is inserted after it, in the same transaction.
  if not exists (select from transfers where id = new.transfer_id and not counts_of_day(status)) then
    perform change_day(new, 1);
  end if;
  return null;
end $$;
create function keep_day_of_transfer() returns trigger language plpgsql as $$
begin
  perform change_day(o, case when counts_of_day(new.status) then 1 else -1 end)
     from daily_outflows o where o.transfer_id = new.id;
  return null;
end $$;
create trigger daily_outflows_keep_day after insert on daily_outflows for each row execute function keep_day_of_outflow();
create trigger transfers_keep_day after update of status on transfers
  for each row when (counts_of_day(old.status) <> counts_of_day(new.status)) execute function keep_day_of_transfer();

-- Deposits from outside through hosted checkout. Amounts are the payer's currency unless they are named otherwise.
create table deposits (
  id              id primary key references transfers,
  quote_id        id not null unique references quotes,
  return_url      text not null,
  token_hash      bytea not null unique,  -- SHA-256 of the token in the checkout's address
  redirect_sealed bytea  -- the provider's page
);

-- Money that leaves an account for a bank, a card or a chain.
create table payouts (
  id          id primary key references transfers deferrable initially deferred,
  tenant_id   id not null references tenants,
  quote_id    id not null unique references quotes,
  external_id text collate "C",
  user_id     id references users,  -- whose data key seals the destination; null: the installation's key
  destination bytea not null  -- sealed under the id
);
create unique index payouts_external_id on payouts (tenant_id, external_id);
create index payouts_of_user on payouts (user_id) where user_id is not null;

-- Money that leaves a virtual IBAN by SEPA.
create table iban_payouts (
  id          id primary key references transfers deferrable initially deferred,
  tenant_id   id not null references tenants,
  quote_id    id not null unique references quotes,
  external_id text collate "C",
  destination bytea not null  -- sealed under the id
);
create unique index iban_payouts_external_id on iban_payouts (tenant_id, external_id);

-- Destinations that a tenant has named for payouts, where its new destinations rest.
create table payout_destinations (
  tenant_id   id not null references tenants,
  fingerprint bytea not null,  -- a keyed hash: src/transfers/payouts/destinations/fingerprint.ts
  active_from timestamptz(3),  -- money goes to it by itself from then on. Null: an operator refused it
  decided_by  text,  -- the operator who ended its rest, or refused it
  decided_at  timestamptz(3),
  primary key (tenant_id, fingerprint),
  check (active_from is not null or decided_by is not null)
);

-- Who paid a credit to a virtual IBAN, where the bank tells. Apart from the bank's word, which holds no personal data.
create table iban_credit_remitters (
  id       id primary key references transfers,
  remitter bytea not null  -- { name, iban? } sealed under the id; opened for the account's statements
);

-- Money between an account and somebody's payment card elsewhere, by the token of that card.
create table external_card_transactions (
  id            id primary key references transfers,
  user_id       id references users,  -- whose data key seals the token; null: the installation's key
  token         bytea not null,  -- the card's token, sealed under the id
  return_url    text,
  redirect_hash bytea not null unique,  -- of the token in our redirect address
  action_url    bytea  -- the provider's page, sealed under the id by the installation's key
);
create index external_card_transactions_of_user on external_card_transactions (user_id) where user_id is not null;

-- Bank accounts that a tenant may withdraw fiat to. Operators keep this allow-list. The account of a row never changes, and a
-- disabled row stays, because withdrawals name it.
create table withdrawal_destinations (
  id                 id primary key,
  tenant_id          id not null,
  currency           text not null,
  label              text,
  destination        bytea not null,  -- sealed under the id; opened to order a withdrawal, or for an approver
  destination_masked json not null,
  account_hash       bytea not null,  -- keyed hash of account and currency, to recognise a repeat
  active_from        timestamptz(3) not null,
  added_by           text not null,
  waived_at          timestamptz(3),  -- made active before its time by an operator
  waived_by          text,
  disabled_at        timestamptz(3),
  disabled_by        text,
  created_at         timestamptz(3) not null,
  updated_at         timestamptz(3) not null
);
create unique index withdrawal_destinations_account on withdrawal_destinations (tenant_id, account_hash)
  where disabled_at is null;
create index withdrawal_destinations_of_tenant on withdrawal_destinations (tenant_id, id desc);

-- State of the settlement check of a currency: how far the exchange has paid what it owes us.
create table settlement_checks (
  currency   text primary key,
  -- The exchange's report at the last check, and its time by the exchange's clock.
  reported   numeric not null,
  as_of      timestamptz(3) not null,
  sent_out   numeric not null,  -- sent out in total by our books at that time
  -- Money that came and no order was released for. Below zero: more has left than the books know.
  left_over  numeric not null,
  -- The part of sent_out before summed_to. Every transaction that began before summed_to has ended.
  summed     numeric not null,
  summed_to  timestamptz(3) not null,
  checked_at timestamptz(3) not null,
  -- An older reading may not include a withdrawal by an operator, so it releases nothing.
  news_from  timestamptz(3)
);

-- Reports of the exchange, read every few minutes. They do not change settlement_checks.
create table settlement_readings (
  currency      text not null,
  as_of         timestamptz(3) not null,
  reported      numeric not null,
  booked        numeric not null,
  -- Since when reported and booked have differed at each reading.
  differs_since timestamptz(3),
  primary key (currency, as_of)
);
