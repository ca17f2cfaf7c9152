-- outside a transaction

-- Every list of records takes from and to of created_at: where few fall into the period they are found by it, instead of the
-- whole list being gone through by its ids.
create index concurrently if not exists users_of_tenant_by_time on users (tenant_id, created_at);
create index concurrently if not exists accounts_of_tenant_by_time on accounts (tenant_id, created_at);
create index concurrently if not exists cardholders_of_tenant_by_time on cardholders (tenant_id, created_at);
create index concurrently if not exists cards_of_tenant_by_time on cards (tenant_id, created_at);
create index concurrently if not exists transfers_of_account_by_time on transfers (account_id, kind, created_at);

-- Lists of the desk that read all that waits for Temporal, and all that was ever asked for.
create index concurrently if not exists workflow_commands_parked on workflow_commands (parked_at) where parked_at is not null;
create index concurrently if not exists approvals_in_order on approvals (requested_at, id);

-- Messages of card networks name the card by the processor's own name for it.
create index concurrently if not exists cards_by_processor_reference on cards (processor_reference)
  where processor_reference is not null;
