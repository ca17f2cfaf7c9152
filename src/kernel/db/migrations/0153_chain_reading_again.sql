-- A chain that was reorganised: what stands above `back_to` is told by every block up to `back_until`, for a node may name the old
-- chain for a while. `checked_number`: the last block that was read a second time, once it was deep.
alter table chain_places
  add column if not exists back_to bigint,
  add column if not exists back_until bigint,
  add column if not exists checked_number bigint;
update chain_places set checked_number = block_number where checked_number is null;
alter table chain_places alter column checked_number set not null;

-- Of a transaction with very many, some are kept: how many others it has stands with the last of them.
alter table unlisted_tokens add column if not exists more int not null default 0;
