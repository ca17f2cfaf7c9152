-- Messages of the card processor whose answer is not that of their idempotency key: no answer was there in time, so that a
-- decline was given, whatever was committed meanwhile; or the card is none that we know.
create table processor_messages (
  id          id primary key,
  message_id  text collate "C" not null unique,  -- the processor's
  reason      text not null check (reason in ('unanswered', 'unknown_card')),
  fingerprint bytea not null,
  message     jsonb not null,                    -- as it came; names of cards and merchants, no numbers of cards
  status      smallint not null,                 -- what was answered, for ever
  body        text not null,
  tenant_id   id,                                -- where the card was known then
  received_at timestamptz(3) not null,           -- not after it came: by the clock of the database
  due_by      timestamptz(3) not null,
  settled_at  timestamptz(3),                    -- what may have been held is released
  created_at  timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp())
);
create index processor_messages_open on processor_messages (due_by) where settled_at is null;
