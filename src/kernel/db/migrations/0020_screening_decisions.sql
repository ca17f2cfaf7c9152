-- What people decide on a screening, and the history of its results.
alter table screenings
  -- False: nobody waits for the result, because people have decided or the transfer has ended.
  add column waits      boolean not null default true,
  add column decided    text check (decided in ('cleared', 'refused')),  -- by people
  add column decided_by text,  -- operator:<name>
  add column decided_at timestamptz(3);

-- Nobody waits for a payout that is ordered or has ended, nor for a deposit whose present word has no such screening.
update screenings s set waits = false
  from transfers t
 where t.id = s.subject and s.status = 'pending'
   and case s.direction
       when 'outbound' then t.ordered_at is not null
         or t.status in ('completed', 'rejected', 'failed', 'cancelled', 'returned')
       else t.word -> 'screening' is null or t.word ->> 'state' = 'gone' or s.key <> t.id || '-' || (t.word ->> 'units')
       end;

-- The list of what waits, its metrics and its break.
create index screenings_waiting on screenings (asked_at, key) where status = 'pending' and waits;
drop index screenings_pending;

-- Each change of a screening, for the story of its transfer. A trigger writes the rows.
create table screening_results (
  number     bigint generated always as identity primary key,
  key        text collate "C" not null,  -- the screening
  subject    id not null,  -- the transfer
  at         timestamptz(3) not null,
  status     text not null,
  reason     text,  -- a code of the party's
  score      text,
  version    int,  -- of the party's report; null: it has not answered, or counts no versions
  decided_by text  -- operator:<name>; null: the party
);
create index screening_results_of_subject on screening_results (subject, number);

create function note_screening_result() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and new.decided is distinct from old.decided then
    insert into screening_results (key, subject, at, status, decided_by)
    values (new.key, new.subject, new.decided_at, new.decided, new.decided_by);
  elsif tg_op = 'INSERT'
        or (new.status, new.reason, new.score, new.version is null)
           is distinct from (old.status, old.reason, old.score, old.version is null) then
    insert into screening_results (key, subject, at, status, reason, score, version)
    values (new.key, new.subject, new.updated_at, new.status, new.reason, new.score, new.version);
  end if;
  return null;
end $$;
create trigger screenings_note_result after insert or update on screenings
  for each row execute function note_screening_result();

-- Screenings from before this table.
insert into screening_results (key, subject, at, status, reason, score, version)
select key, subject, updated_at, status, reason, score, version from screenings order by asked_at, key;

-- A clearance by people lets money move, so it names an operator who presents his session, as an approval does.
create or replace function transfer_decisions_guard() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if new.kind in ('approve', 'screening_cleared') then
    perform assert_presented(new.decided_by, 'money');
  elsif not is_sandbox(session_user)
    and coalesce((select (terms -> 'rest' ->> 'until')::timestamptz from transfers where id = new.transfer_id), 'infinity') > product_now() then
    raise exception 'the destination rests' using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end $$;
create or replace trigger transfer_decisions_guard before insert on transfer_decisions
  for each row when (new.kind in ('approve', 'rested', 'screening_cleared')) execute function transfer_decisions_guard();
