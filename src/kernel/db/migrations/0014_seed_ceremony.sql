-- Exports and imports of the wallets' seed. Each uses an approval of two operators once. No row holds a secret.
create table seed_ceremonies (
  approval_id id primary key,  -- so that an approval is used once
  action      text not null check (action in ('export', 'import')),
  form        text not null check (form in ('shares', 'mnemonic')),
  shares      int,  -- how many were made, or handed in; null: a mnemonic
  threshold   int,  -- how many open the seed; null: a mnemonic
  fingerprint text not null,  -- of the seed: the start of a hash of its extended public key
  at_work     text not null,  -- operator:<name>, one of the two
  held_at     timestamptz(3) not null default product_now()
);
alter table seed_ceremonies
  add constraint seed_ceremonies_approval foreign key (approval_id) references approvals (id) not valid;
