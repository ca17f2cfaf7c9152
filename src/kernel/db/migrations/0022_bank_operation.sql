-- When the bank has answered a file of ours: by a report about the file, or by money of one of its orders. Null: not yet.
alter table bank_files add column answered_at timestamptz(3);
-- When a person has ended the wait, by resolving the break of a silent file.
alter table bank_files add column given_up_at timestamptz(3);
-- The file (camt.056) that asks a payout back.
alter table bank_orders add column recall_file_id bigint references bank_files (id);
-- An order that has moved stands in an answered file.
update bank_files set answered_at = placed_at
 where direction = 'out' and result = 'placed'
   and exists (select from bank_orders where file_id = bank_files.id and stage <> 'ordered');
create index bank_files_unanswered on bank_files (placed_at)
  where direction = 'out' and result = 'placed' and kind = 'pain.001.001.09' and answered_at is null
    and given_up_at is null;
create index bank_files_refused_at on bank_files (created_at) where result = 'refused';
-- The list of the desk, newest first.
create index bank_files_by_result on bank_files (result, id);

-- Balances that parties report, with our books, as far back as a difference is judged. One row a reading. Replaces
-- processor_balances and bank_differences, which no release has.
create table balance_readings (
  party    text not null check (party in ('cardProcessor', 'payouts', 'bank')),
  currency text not null,
  read_at  timestamptz(3) not null,
  as_of    timestamptz(3) not null,  -- of the reported balance
  reported numeric not null,
  booked   numeric not null,
  primary key (party, currency, read_at)
);
drop table processor_balances;
drop table bank_differences;
