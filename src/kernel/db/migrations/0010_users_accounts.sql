-- A user's meta is stored as given: json keeps the order of its fields and characters that jsonb would refuse.
alter table users alter column meta drop default;
alter table users alter column meta type json using meta::json;
alter table users alter column meta set default '{}';

-- What a cardholder's record shows of its person ("J*** D**"): the data itself is in the linked user's meta alone.
alter table cardholders add column masked_name text not null;

-- A transfer is two account transactions with this reference; what was said of it stands here.
create table transfers (
  reference_id    id primary key,
  tenant_id       id not null references tenants,
  from_account_id id not null references accounts,
  to_account_id   id not null references accounts,
  amount          numeric not null,
  currency        text not null,
  description     text,
  created_at      timestamptz(3) not null
);

-- Which posting group an off-ramp's reference stands for, so that the operator can follow it.
alter table offramp_references add column reference_id id not null;
alter table offramp_references add column account_id id not null references accounts;
