-- One reading of the clock a row. clock_timestamp() gives another time each time it is asked, so two defaults of one row
-- could differ by a millisecond: a new user was "changed" after it was made. now() is the start of the transaction, one
-- value for all of it. Truncated as every other time is, for a time must not be rounded into the future.
alter table ledger_accounts
  alter column last_at set default date_trunc('milliseconds', now()),
  alter column created_at set default date_trunc('milliseconds', now());
alter table workflow_commands
  alter column created_at set default date_trunc('milliseconds', now()),
  alter column due_at set default date_trunc('milliseconds', now());
alter table tenants
  alter column created_at set default date_trunc('milliseconds', now()),
  alter column updated_at set default date_trunc('milliseconds', now());
alter table users
  alter column created_at set default date_trunc('milliseconds', now()),
  alter column updated_at set default date_trunc('milliseconds', now());
alter table accounts
  alter column created_at set default date_trunc('milliseconds', now()),
  alter column updated_at set default date_trunc('milliseconds', now());
alter table bins
  alter column created_at set default date_trunc('milliseconds', now()),
  alter column updated_at set default date_trunc('milliseconds', now());
alter table cardholders
  alter column created_at set default date_trunc('milliseconds', now()),
  alter column updated_at set default date_trunc('milliseconds', now()),
  alter column watched_until set default date_trunc('milliseconds', now());
alter table cards
  alter column created_at set default date_trunc('milliseconds', now()),
  alter column updated_at set default date_trunc('milliseconds', now());
alter table webhook_endpoints
  alter column created_at set default date_trunc('milliseconds', now()),
  alter column updated_at set default date_trunc('milliseconds', now());
alter table card_tokenizations
  alter column created_at set default date_trunc('milliseconds', now()),
  alter column updated_at set default date_trunc('milliseconds', now());
alter table kyc_documents
  alter column created_at set default date_trunc('milliseconds', now()),
  alter column updated_at set default date_trunc('milliseconds', now());
alter table deposit_refunds
  alter column created_at set default date_trunc('milliseconds', now()),
  alter column updated_at set default date_trunc('milliseconds', now());
alter table deposit_disputes
  alter column created_at set default date_trunc('milliseconds', now()),
  alter column updated_at set default date_trunc('milliseconds', now());
alter table external_card_transactions
  alter column created_at set default date_trunc('milliseconds', now()),
  alter column updated_at set default date_trunc('milliseconds', now());
alter table virtual_ibans
  alter column created_at set default date_trunc('milliseconds', now()),
  alter column updated_at set default date_trunc('milliseconds', now());
alter table iban_payouts
  alter column created_at set default date_trunc('milliseconds', now()),
  alter column updated_at set default date_trunc('milliseconds', now());
