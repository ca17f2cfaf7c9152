-- outside a transaction

-- A reading of before then may not know of what an operator has taken home, and releases nothing.
alter table settlement_checks add column if not exists news_from timestamptz(3);

-- What has left the exchange's balance by our books in the last seconds, which a reading may not know of.
create index concurrently if not exists transfer_entries_sent_of_settlement on transfer_entries (currency, at) include (amount)
  where component in ('settlement', 'owed') and amount > 0;
