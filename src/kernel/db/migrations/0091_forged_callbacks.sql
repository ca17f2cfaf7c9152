-- Anybody can send what no signature vouches for. It leaves a count and a hash, at most one row a party and hour, and never
-- its bytes: what a stranger sends must not fill the disk.
create table forged_callbacks (
  party     text not null,
  hour      timestamptz(0) not null,
  count     bigint not null check (count > 0),
  last_hash bytea,                           -- SHA-256 of the last one's bytes; absent for what was kept before this table
  last_at   timestamptz(3) not null,
  primary key (party, hour)
);
insert into forged_callbacks (party, hour, count, last_at)
select party, date_trunc('hour', received_at, 'UTC'), count(*), max(received_at)
  from provider_callbacks where not verified group by 1, 2;
delete from provider_callbacks where not verified;
-- A process of the release before this one may still insert some until it is stopped: they go with what is thirty days old.
create index provider_callbacks_by_age on provider_callbacks (received_at);
