-- Where a key is required it is the operation's own: unique within the tenant of whoever called (an operator calls from a
-- tenant of its own), whatever becomes of the stored answers.
alter table deposits add column caller_id id;
alter table payouts add column caller_id id;
alter table iban_payouts add column caller_id id;
alter table external_card_transactions add column caller_id id;

-- Before, one key could be used again by another spelling of the path: the later ones keep theirs with their id behind it.
update deposits d set idempotency_key = idempotency_key || ' ' || id
 where exists (select 1 from deposits e where e.account_id = d.account_id and e.idempotency_key = d.idempotency_key and e.id < d.id);
update iban_payouts d set idempotency_key = idempotency_key || ' ' || id
 where exists (select 1 from iban_payouts e where e.virtual_iban_id = d.virtual_iban_id
                  and e.idempotency_key = d.idempotency_key and e.id < d.id);
update external_card_transactions d set idempotency_key = idempotency_key || ' ' || id
 where exists (select 1 from external_card_transactions e where e.account_id = d.account_id and e.kind = d.kind
                  and e.idempotency_key = d.idempotency_key and e.id < d.id);

-- Nobody knows any more who called: as if the account's own tenant had.
update deposits set caller_id = tenant_id;
update payouts set caller_id = tenant_id;
update iban_payouts set caller_id = tenant_id;
update external_card_transactions set caller_id = tenant_id;

drop index payouts_idempotency_key;
create unique index deposits_idempotency_key on deposits (account_id, idempotency_key, caller_id);
create unique index payouts_idempotency_key on payouts (account_id, idempotency_key, caller_id);
create unique index iban_payouts_idempotency_key on iban_payouts (virtual_iban_id, idempotency_key, caller_id);
create unique index external_card_transactions_idempotency_key
  on external_card_transactions (account_id, kind, idempotency_key, caller_id);
