-- Top-ups by card and withdrawals to one become transfers (kinds `card_topup`, `card_withdrawal`);
-- `external_card_transactions` keeps what only they have: the card's token, the payer's way, the acquirer's page. Stop,
-- migrate, start: no release before this one knows these tables. Whether what is booked is what the books should hold the
-- engine finds out when it looks (adopted = false), which is at once (due_by).

-- What had gone back was one sum, whatever parts the acquirer tells of: it becomes one part, under an id made of the record's.
create or replace function pg_temp.part_of(id) returns text language sql immutable as $$ select 'ref_' || right($1, 26) $$;

-- As it stands on the wire.
create or replace function pg_temp.instant(timestamptz) returns text language sql stable
  as $$ select to_char($1 at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;

-- The word, as far as the columns tell it: the acquirer's own answer takes its place at the next look.
--   pending: none, the order may have been given        requires_action, processing: so says the acquirer
--   completed, returned: all of it moved, less what came back        failed: nothing moved, but for what stands in suspense
insert into transfers (id, kind, tenant_id, account_id, status, terms, reference_id, idempotency_key, caller_id, party,
                       party_ref, ordered_at, word, word_at, parts, failure, adopted, due_by, reached, created_at, updated_at)
select t.id, 'card_' || t.kind, t.tenant_id, t.account_id, t.status,
       jsonb_build_object('amount', t.amount::text, 'fee', t.fee::text, 'currency', t.currency,
                          'actionExpiresAt', to_json(t.action_expires_at)),
       t.id, t.idempotency_key, t.caller_id, 'externalCards', t.id, t.created_at,
       case when t.status <> 'pending' then jsonb_strip_nulls(jsonb_build_object(
         'status', case when t.status in ('completed', 'returned') or t.suspended > 0 then 'succeeded' else t.status end,
         'failureCode', case when t.failure not in ('failed', 'returned') then t.failure end,
         'moved', case when t.status in ('completed', 'returned') or (t.status = 'processing' and t.kind = 'withdrawal')
                       then t.amount else t.suspended end::text,
         'returns', case when t.returned_amount = 0 then '[]'::jsonb else jsonb_build_array(jsonb_build_object(
                      'id', 'return-' || t.id, 'amount', t.returned_amount::text)) end)) end,
       case when t.status <> 'pending' then t.updated_at end,
       case when t.returns = 0 then '[]'::jsonb
            else jsonb_build_array(jsonb_build_object('id', pg_temp.part_of(t.id), 'name', 'return-' || t.id)) end,
       t.failure, false, now(),
       jsonb_strip_nulls(jsonb_build_object('pending', pg_temp.instant(t.created_at), 'completed', pg_temp.instant(t.completed_at)))
         || case when t.status in ('pending', 'completed') then '{}'
                 else jsonb_build_object(t.status, pg_temp.instant(t.updated_at)) end,
       t.created_at, t.updated_at
  from external_card_transactions t;

-- The system's own decision to credit a charge that arrived while it was waited for.
insert into transfer_decisions (id, transfer_id, kind, amount, currency, decided_by, at)
select 'dec_' || right(t.id, 26), t.id, 'credit', t.amount, t.currency, 'system', t.completed_at
  from external_card_transactions t
 where t.kind = 'topup' and t.status in ('completed', 'returned') and t.completed_at is not null
 order by t.completed_at, t.id;

-- What is booked. Its references: the record's id; of a further movement (more has gone back, or has come again) an id of its
-- own, which only its event tells, by the idempotency key of the call.
insert into transfer_entries (transfer_id, component, part, account_id, currency, amount, reference_id, at)
select r.id,
       case when l.number is null then split_part(l.account_id, ':', 1)
            when l.type in ('pending', 'transfer') then 'held'
            else case l.subtype when 'card_topup' then 'credited' when 'card_withdrawal' then 'paid'
                                when 'withdrawal_fee' then 'fee' when 'payout_returned' then 'returned'
                                else 'chargedBack' end end,
       case when l.subtype in ('payout_returned', 'deposit_chargeback', 'chargeback_reversed') then pg_temp.part_of(r.id) end,
       case when l.number is not null then l.account_id end, l.currency,
       case when l.number is null or l.subtype in ('card_topup', 'payout_returned') then l.available
            when l.type in ('pending', 'transfer') then l.pending
            else -l.available end,
       l.reference_id, l.at
  from (select t.id, t.id as reference from external_card_transactions t
        union all
        (select distinct on (e.reference_id) t.id, e.reference_id
          from external_card_transactions t
          join ledger_legs m on m.account_id = t.account_id and m.number is not null and m.at >= t.created_at
               and m.subtype = any (case t.kind when 'topup' then '{deposit_chargeback,chargeback_reversed}'::text[]
                                                else '{payout_returned}' end)
          join events e on e.reference_id = m.reference_id and e.idempotency_key = t.idempotency_key
         where t.returns > 1 and m.reference_id <> t.id
           and not exists (select 1 from transfer_entries x where x.reference_id = m.reference_id)
         order by e.reference_id, t.id)) r
  join ledger_legs l on l.reference_id = r.reference
 order by l.at, l.number;

update breaks set resolved_at = now(), resolved_by = 'system', note = 'Shown as suspense of its transfer.'
 where resolved_at is null and kind = 'external_card_unmatched';
-- The engine shows each chargeback once, by its part: the newest break of a record is that one.
update breaks b set detail = pg_temp.part_of(b.subject)
  from (select distinct on (subject) id from breaks where kind = 'external_card_chargeback'
         order by subject, created_at desc, id desc) newest
 where b.id = newest.id;

alter table external_card_transactions
  drop column tenant_id, drop column account_id, drop column kind, drop column status, drop column currency,
  drop column amount, drop column fee, drop column action_expires_at, drop column idempotency_key, drop column caller_id,
  drop column failure, drop column returned_amount, drop column returns, drop column suspended, drop column completed_at,
  drop column watched_until, drop column created_at, drop column updated_at,
  add foreign key (id) references transfers;
