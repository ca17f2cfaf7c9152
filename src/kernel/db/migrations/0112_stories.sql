-- Which record an event tells of. Its data is JSON that we have rendered: what a client has written in it is escaped.
create function event_record(data text, data_id text) returns text immutable parallel safe language sql
  return coalesce(substring(data from '"(?:recordId|cardholderId|userId)":"([a-z]+_[0-9a-z]+)"'), data_id);
