-- Release 1.0 books a deposit without the column `withheld`, so an amount from before the booking would stay withheld for ever.
-- Only a refusal withholds booked coins. A later release may drop this trigger.
create function holding_changes_release_booked() returns trigger language plpgsql as $$
begin
  if not exists (select from transfer_decisions
                  where transfer_id = new.cause and kind = 'screening_refused') then
    new.withheld := 0;
  end if;
  return new;
end $$;
create trigger holding_changes_release_booked before update on holding_changes
  for each row when (new.withheld > 0 and new.withheld = old.withheld and new.booked <> old.booked)
  execute function holding_changes_release_booked();
