-- What the card processor says by itself (src/cards/processor).

-- Messages of one transaction at a network, and the chain of ours that they belong to. They may come in any order: what came
-- before the authorization that it was about is remembered, for that one must not hold the same money again.
create table network_references (
  card_id          id not null,
  reference        text collate "C" not null,   -- the network's
  currency         text not null,               -- a message in another currency is of another chain
  authorization_id id,                          -- null: nothing of it was held yet
  settled_ahead    numeric not null default 0 check (settled_ahead >= 0),   -- cleared, and not authorized before
  settled_ahead_at timestamptz(3),              -- when the last of these was sent
  reversed_ahead   numeric not null default 0 check (reversed_ahead >= 0),  -- reversed, and not held then
  reversed_ahead_at timestamptz(3),
  final_at         timestamptz(3),              -- when the last final clearing was sent: what was sent before holds nothing
  released_unanswered numeric not null default 0 check (released_unanswered >= 0), -- of declines: a reversal does not release it again
  primary key (card_id, reference, currency)
) with (fillfactor = 80);
