-- What of a tenant's transfers counts for its daily threshold, in its currency at the mid rate of when each was made: only
-- while one is set (src/transfers/approval). What became of it since stands in its transfer.
create table daily_outflows (
  transfer_id id primary key,
  tenant_id   id not null,
  day         date not null,                       -- UTC
  amount      numeric check (amount >= 0),         -- null: there was no fresh rate
  currency    text not null,
  rate        numeric,
  check ((amount is null) = (rate is null))
);
create index daily_outflows_of on daily_outflows (tenant_id, day);
alter table daily_outflows
  add foreign key (transfer_id) references transfers deferrable initially deferred not valid, -- its row comes first
  add foreign key (tenant_id) references tenants not valid;
