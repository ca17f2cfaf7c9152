-- What parties have told, kept until it was asked for, whatever becomes of the signal. A transfer's own `due_by` says so; a name
-- that no transfer has stands here until it is known what it is.
create table told_names (
  party         text not null,
  ref           text collate "C" not null,       -- what the party is asked for
  first_told_at timestamptz(3) not null,
  due_by        timestamptz(3) not null,         -- it must have been asked for by then, or whoever asks was lost
  primary key (party, ref)
);
create index told_names_due on told_names (party, due_by);

-- Parties whose list of changes cannot be read now: their transfers are asked for instead. No row: it can be.
create table unreadable_lists (
  party text primary key,
  since timestamptz(3) not null
);
