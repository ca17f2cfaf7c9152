-- Limits and merchant rules of a card or of a user, and what they spend, day by day. The release before this one judges no
-- limits and counts nothing: set the first ones when this release serves everywhere.
create table spending_limits (
  subject_id        id primary key,            -- a card, or a user: then for all of their cards together
  version           int not null,              -- counts the changes; 0, without a row, before the first
  per_transaction   numeric check (per_transaction > 0),
  per_day           numeric check (per_day > 0),
  per_month         numeric check (per_month > 0),
  blocked_mccs      text[] not null default '{}',
  allowed_mccs      text[] not null default '{}', -- none: every one is
  blocked_countries text[] not null default '{}', -- ISO 3166-1 alpha-2
  updated_at        timestamptz(3) not null default date_trunc('milliseconds', now())
);

-- Authorized less released, by the UTC day of the authorization. There are rows of a card while it is `limited`, of a user while
-- limits of theirs stand: from the month on in which counting began. A card's are under its lock, a user's under that of the
-- master account of the currency.
create table spending (
  subject_id id not null,
  currency   text not null,
  day        date not null,
  amount     numeric not null check (amount >= 0),
  primary key (subject_id, currency, day)
) with (fillfactor = 80);
create type new_spending as (subject_id text, currency text, day date, amount numeric);

-- Limits are to be looked at, and what it spends is counted. Kept on the card, so that an authorization of one without limits
-- reads nothing more.
alter table cards add column limited boolean not null default false;
