-- Orders that the card processor and the reviewer tell of: which version of each was heard, so that what is listed again needs no
-- look, and by when one that was told of must have been asked for, whatever becomes of the signal.
create table party_orders (
  party     text not null,
  ref       text collate "C" not null,           -- what the party is asked for: the key of our order
  subject   id not null,                         -- whose workflow asks: a card, a tokenization, a cardholder
  tenant_id id not null,
  version   double precision,                    -- a whole number; absent where the party counts none
  due_by    timestamptz(3),
  in_turn   boolean not null default false,      -- one that has ended, listed: its workflow is told in its turn, a few at a time
  primary key (party, ref)
);
create index party_orders_due on party_orders (party, due_by) where due_by is not null;
create index party_orders_in_turn on party_orders (party, ref) where in_turn;
