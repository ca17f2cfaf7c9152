-- outside a transaction

-- What the exchange owes us and has not paid yet: how far its balances are known to have come, a row a currency.
create table if not exists settlement_checks (
  currency   text primary key,
  -- What the exchange reported at the last check, and when that was true by its clock.
  reported   numeric not null,
  as_of      timestamptz(3) not null,
  -- All that was sent out of it by our books when that was asked for.
  sent_out   numeric not null,
  -- Of what has come, what no order was released for; below zero where more has gone than we know of.
  left_over  numeric not null,
  -- Of all that was sent out, what was until a moment so long ago that nothing earlier is still to be committed.
  summed     numeric not null,
  summed_to  timestamptz(3) not null,
  checked_at timestamptz(3) not null
);

-- What the exchange has reported, read every few minutes; none of it moves a check.
create table if not exists settlement_readings (
  currency      text not null,
  as_of         timestamptz(3) not null,
  reported      numeric not null,
  booked        numeric not null,
  -- Since when the two have differed, without a reading in between at which they did not.
  differs_since timestamptz(3),
  primary key (currency, as_of)
);

create index concurrently if not exists transfer_entries_of_settlement on transfer_entries (currency, at) include (amount)
  where component = 'settlement';

-- Orders that wait for their settlement, the longest first.
create index concurrently if not exists exchange_orders_waiting
  on transfers ((terms->>'toCurrency'), (reached->>'awaiting_settlement'), id)
  where kind = 'exchange_order' and status = 'awaiting_settlement';

-- As transfers_open, with what exchange orders wait in; the release before counts by the other.
create index concurrently if not exists transfers_open_of_all_kinds on transfers (kind, status, created_at)
  where status in ('created', 'awaiting_payment', 'pending', 'requires_action', 'pending_approval', 'processing', 'sent',
                   'manual_review', 'received', 'recalled', 'suspended', 'executing', 'awaiting_settlement');
