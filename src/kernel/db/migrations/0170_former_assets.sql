-- What a network has listed and lists no more: what the books still hold of it is compared with its chain as before.
alter table networks add column former_assets jsonb not null default '[]';
