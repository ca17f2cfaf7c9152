-- The sandbox's card processor is an application of its own: orders about a card have keys, as a card's own has, and each can
-- be asked for. What was under way before is listed nowhere; it is asked for, as after any lost callback.
alter table sandbox_processor_cards add column closure_key text collate "C";  -- the idempotency key of the closure
alter table sandbox_processor_cards add column closing_at timestamptz(3);     -- when it was taken

create table sandbox_processor_tokenizations (
  key       text collate "C" primary key,  -- the idempotency key of the order
  reference text collate "C" not null,     -- of the card
  wallet    text not null,
  taken_at  timestamptz(3) not null
);
