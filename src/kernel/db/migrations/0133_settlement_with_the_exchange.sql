-- What the exchange has of us, or we of it: an internal account of each currency that has accounts.
insert into ledger_accounts (id, kind, currency)
select 'settlement:' || currencies.currency, 'internal', currencies.currency
  from (select distinct currency from ledger_accounts) currencies
on conflict do nothing;
