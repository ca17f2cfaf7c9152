-- Ids that a party gave to records of ours, where the party does not find a record by our name. No row holds personal data.
create table party_names (
  party    text not null,
  name     text collate "C" not null,  -- ours: a cardholder's id, or the key of an order
  ref      text collate "C",  -- the party's id; null: an order was begun, and its answer may be lost
  named_at timestamptz(3) not null default product_now(),
  primary key (party, name)
);

-- Balances that the card processor reports for its cards, with our books. One row a currency: the last reading.
create table processor_balances (
  currency      text primary key,
  reported      numeric not null,
  booked        numeric not null,
  as_of         timestamptz(3) not null,
  differs_since timestamptz(3)  -- null: both were equal
);
