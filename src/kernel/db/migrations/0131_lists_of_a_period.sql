-- Every list of records takes from and to of created_at: where few fall into the period they are found by it, instead of the
-- whole list being gone through by its ids.
create index users_of_tenant_by_time on users (tenant_id, created_at);
create index accounts_of_tenant_by_time on accounts (tenant_id, created_at);
create index cardholders_of_tenant_by_time on cardholders (tenant_id, created_at);
create index cards_of_tenant_by_time on cards (tenant_id, created_at);
create index transfers_of_account_by_time on transfers (account_id, kind, created_at);
