-- A change of each party's list that was read, and where the page began on which it stood: a list in which it stands no more has
-- shrunk, so that places in it mean something else by now.
create table list_anchors (
  party     text primary key,
  place     text,                            -- null: the beginning
  change_id text not null,
  read_at   timestamptz(3) not null
);
