-- outside a transaction
-- Screenings of deposits on chains and of destinations on chains. The address is on the transfer and not here, because a
-- payout's is personal data.
create table if not exists screenings (
  key        text collate "C" primary key,  -- our key at the party
  subject    id not null,  -- the transfer
  tenant_id  id,  -- absent: the money belongs to no known tenant
  direction  text not null check (direction in ('inbound', 'outbound')),
  chain      text not null,
  asset      text not null,
  amount     numeric not null,
  status     text not null check (status in ('pending', 'cleared', 'refused')),
  reason     text,  -- a code of the party's
  score      text,
  version    int,  -- of the party's report; null: it has not answered, or counts no versions
  asked_at   timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
-- The story of a transfer.
create index if not exists screenings_of_subject on screenings (subject, asked_at);
-- The list of what waits, and its metrics.
create index if not exists screenings_pending on screenings (asked_at, key) where status = 'pending';

-- Coins at an address that a sweep leaves there: a screening is pending, or refused and nobody has decided.
alter table holding_changes add column if not exists withheld numeric not null default 0;
create index concurrently if not exists holding_changes_withheld on holding_changes (chain, asset, address) where withheld > 0;
