-- Apart from the cards: some lock BINs before cards, others after.

-- The programme's, for each of its cards; `max_authorization` and `blocked_mccs` are older.
alter table bins
  add column max_per_day numeric,
  add column max_per_month numeric,
  add column allowed_mccs text[] not null default '{}',
  add column blocked_countries text[] not null default '{}';
