-- Operations on chains that no node is asked about: what a person's word has counted of gas, and how often such a word was taken back.
alter table gas_operations
  add column if not exists gas_counted numeric,
  add column if not exists taken_back int not null default 0;
update gas_operations set taken_back = 1 where failure_code = 'taken_back';

-- A deposit that was taken back while it waited for a rate has ended since: those that waited before are looked at.
update transfers t set due_by = now()
 where kind = 'chain_deposit' and status = 'confirming' and word->>'state' = 'gone'
   and exists (select from transfer_decisions d where d.transfer_id = t.id and d.kind = 'taken_back');
