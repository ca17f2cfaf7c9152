-- What the whole installation goes by: written by its processes when they start, read by whoever decides.
create table installation_settings (
  name   text primary key,                         -- admin_limit
  value  text not null,
  set_at timestamptz(3) not null default date_trunc('milliseconds', now())
);

-- What one operator, or an admin's program, has decided without a second one: what sums are made of that the limit is for
-- (src/process/limits). What two have decided does not stand here.
create table decided_alone (
  id         bigint generated always as identity primary key,
  subject    id not null,                          -- the account or transfer that it is about
  decided_by text not null,                        -- operator:<name>, or an admin's client id
  day        date not null,                        -- UTC
  amount     numeric not null check (amount >= 0),
  currency   text not null
);
create index decided_alone_about on decided_alone (subject, day);
create index decided_alone_by on decided_alone (decided_by, day);
