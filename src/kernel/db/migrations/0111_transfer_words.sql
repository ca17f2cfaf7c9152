-- The words of a transfer's party as they came: what a person reads to understand it. `transfers.word` is the last one and
-- stays the truth. A ring of 64 a transfer, by the revision that the word made: it is bounded by its key, and its one index
-- serves both the write and the story. No personal data: words have none.
create table transfer_words (
  transfer_id id not null,
  slot        smallint not null,
  revision    int not null,                      -- of the transfer, once the word was applied
  version     bigint,                            -- the party's, where it counts any
  word        jsonb not null,
  at          timestamptz(3) not null,
  primary key (transfer_id, slot)
);
alter table transfer_words add foreign key (transfer_id) references transfers not valid;
