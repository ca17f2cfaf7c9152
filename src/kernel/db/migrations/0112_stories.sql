-- What the story of a record is made of is found by the record. Each index is of few rows: the events of cards and accounts,
-- which are nearly all, are in none of them (they are found by their reference).

-- Which record an event tells of. Its data is JSON that we have rendered: what a client has written in it is escaped.
create function event_record(data text, data_id text) returns text immutable parallel safe language sql
  return coalesce(substring(data from '"(?:recordId|cardholderId|userId)":"([a-z]+_[0-9a-z]+)"'), data_id);
create index events_of_record on events (event_record(data, data_id), number)
  where registration in ('deposit', 'cardholder', 'kyc', 'payout', 'transfer');
create index events_by_data_id on events (data_id)
  where registration in ('deposit', 'cardholder', 'kyc', 'payout', 'transfer');

create index breaks_of on breaks (subject, created_at);
