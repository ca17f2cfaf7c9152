-- Whoever is to decide makes a secret that nobody else has seen, and those who decide already admit them: two, where two can.
-- The installation's own needs nobody.
alter table operators
  add column proposed_by text,                     -- who has admitted first, where it takes two
  add column admitted_by text,                     -- who has admitted, last
  add column admitted_at timestamptz(3);           -- until then nothing is decided
update operators set admitted_by = created_by, admitted_at = created_at where created_by <> 'installation';
alter table operators
  add constraint operators_admitted check ((admitted_by is null) = (admitted_at is null)),
  add constraint operators_admitted_by_two check (admitted_by <> proposed_by);
