-- Deposits become transfers; `deposits` keeps what only a deposit has. What an earlier release has booked is named by
-- component and part; whether that is what its books should hold the engine finds out when it looks (adopted = false), which
-- is at once (due_by). Stop, migrate, start: no release before this one knows these tables.

create function pg_temp.wire_time(timestamptz) returns text language sql immutable
  as $$ select to_char($1 at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;

-- What goes back, in the currency in which it was paid. Only a break told that the party had taken back that it was done.
create temporary view earlier_refunds as
select r.*, case r.kind when 'return' then coalesce(d.paid_currency, d.currency) else d.currency end as currency,
       case when exists (select from breaks b where b.kind = 'deposit_refund_undone' and b.subject = d.id and b.detail = r.id)
            then 'failed' else r.status end as told
  from deposit_refunds r join deposits d on d.id = r.deposit_id;

-- The word, as far as the columns tell it: the party's own answer takes its place at the next look. What was returned before
-- a credit had been taken off what was paid; a payment that had failed left no more than the status.
insert into transfers (id, kind, tenant_id, account_id, status, terms, reference_id, idempotency_key, caller_id, party,
                       party_ref, ordered_at, word, word_at, parts, failure, adopted, due_by, reached, created_at, updated_at)
select d.id, 'deposit', d.tenant_id, d.account_id, d.status,
       q.terms || jsonb_build_object('externalId', d.external_id, 'expiresAt', pg_temp.wire_time(d.expires_at)),
       d.reference_id, d.idempotency_key, d.caller_id, 'checkout', d.session_id,
       case when d.session_id is not null then d.created_at end,
       case when d.session_id is not null then jsonb_build_object(
         'key', d.id,
         'page', case when d.paid_amount is not null and not x.unpaid then 'paid'
                      when d.status in ('failed', 'cancelled', 'expired') then d.status
                      else 'open' end,
         'risk', case when d.failure = 'risk' then 'review' else 'normal' end,
         'payments', case when d.paid_amount is null then '[]'::jsonb else jsonb_build_array(jsonb_build_object(
                       'id', 'paid', 'amount', (d.paid_amount + x.returned)::text,
                       'currency', coalesce(d.paid_currency, d.currency),
                       'status', case when x.unpaid then 'failed' when d.settled_at is null then 'pending'
                                      else 'settled' end)) end,
         'refunds', coalesce((select jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
                       'id', r.provider_id, 'key', case when r.origin = 'operator' then r.id end,
                       'amount', r.amount::text, 'currency', r.currency, 'status', r.told)) order by r.created_at, r.id)
                     from earlier_refunds r
                    where r.deposit_id = d.id and r.provider_id is not null and r.status <> 'requested'), '[]'),
         'disputes', coalesce((select jsonb_agg(jsonb_build_object(
                       'id', p.provider_id, 'amount', p.amount::text, 'currency', d.currency,
                       'status', case p.status when 'debited' then 'open' else 'won' end) order by p.created_at)
                     from deposit_disputes p where p.deposit_id = d.id), '[]')) end,
       case when d.session_id is not null then d.updated_at end,
       coalesce((select jsonb_agg(jsonb_build_object('id', x.id, 'name', x.name) order by x.created_at, x.id)
          from (select r.id::text as id, case when r.origin = 'operator' then r.id::text else r.provider_id end as name,
                       r.created_at
                  from deposit_refunds r where r.deposit_id = d.id and (r.origin = 'operator' or r.provider_id is not null)
                union all
                select p.reference_id, p.provider_id, p.created_at from deposit_disputes p where p.deposit_id = d.id) x), '[]'),
       d.failure, false, now(),
       jsonb_strip_nulls(jsonb_build_object('created', pg_temp.wire_time(d.created_at), 'completed', pg_temp.wire_time(d.completed_at)))
         || case when d.status in ('created', 'completed') then '{}' else jsonb_build_object(d.status, pg_temp.wire_time(d.updated_at)) end,
       d.created_at, d.updated_at
  from deposits d join quotes q on q.id = d.quote_id
  cross join lateral (
    select coalesce(sum(r.amount), 0) as returned, d.status = 'failed' and d.decision is distinct from 'rejected' as unpaid
      from deposit_refunds r where r.deposit_id = d.id and r.kind = 'return' and r.status = 'succeeded') x;

-- Decisions: of people, and the system's own. An approval is of an amount; one that stands no more, for something else was
-- paid meanwhile, is of none. What parts of the credit came to stands as it was rounded then.
insert into transfer_decisions (id, transfer_id, kind, amount, currency, data, reason, decided_by, at)
select x.id, x.deposit_id, x.kind, x.amount, x.currency, x.data, x.reason, x.decided_by, x.at from (
  select 'dec_' || right(d.id, 26) as id, d.id as deposit_id, 'credit' as kind, d.charged_amount as amount, d.currency,
         jsonb_build_object('creditedAmount', d.credited_amount::text, 'serviceFee', d.service_fee::text) as data,
         null as reason, 'system' as decided_by, d.completed_at as at
    from deposits d where d.completed_at is not null
  union all
  select 'dec_a' || lpad(c.id::text, 25, '0'), c.deposit_id, 'approve', case when c.stands then c.amount end,
         case when c.stands then c.currency end, '{}', c.reason, c.decided_by, c.at
    from (select c.*, coalesce(d.paid_amount, d.charged_amount) as amount, coalesce(d.paid_currency, d.currency) as currency,
                 (d.decision = 'approved' or d.completed_at is not null)
                   and c.id = max(c.id) over (partition by c.deposit_id) as stands
            from deposit_decisions c join deposits d on d.id = c.deposit_id) c
   where c.decision = 'approved'
  union all
  select r.id, r.deposit_id, case r.kind when 'return' then 'reject' else 'refund' end, r.amount, r.currency, '{}', r.reason,
         r.requested_by, r.created_at
    from earlier_refunds r where r.origin = 'operator'
  union all
  select 'dec_b' || right(d.id, 25), d.id, 'shares', null, null, jsonb_build_object('parts', jsonb_object_agg(p.part,
           jsonb_build_object('base', (p.amount - p.excess)::text, 'net', p.debit::text, 'fee', (p.gross - p.debit)::text))),
         null, 'system', d.updated_at
    from deposits d
    join (select r.deposit_id, r.id::text as part, r.amount, r.excess, r.debit, r.gross from deposit_refunds r
           where r.kind = 'refund' and r.status <> 'failed'
          union all
          select p.deposit_id, p.reference_id, p.amount, p.excess, p.debit, p.gross from deposit_disputes p
           where p.status = 'debited') p on p.deposit_id = d.id and p.amount > p.excess
   group by d.id
  union all
  select 'dec_' || right(r.id, 26), r.deposit_id, 'refused', null, null, jsonb_build_object('key', r.id, 'code', 'refused'), null,
         'system', r.updated_at
    from deposit_refunds r where r.origin = 'operator' and r.status = 'failed' and r.provider_id is null) x
 order by x.at, x.id;

-- Money of sessions that no deposit knows: deposits of nobody's. Of one that a deposit came to know later it is that one's.
insert into transfers (id, kind, status, terms, reference_id, party, party_ref, ordered_at, word, word_at, adopted, due_by,
                       reached, created_at, updated_at)
select 'dep_' || right(u.id, 26), 'deposit', 'manual_review', 'null', u.id, 'checkout', u.session_id, u.created_at,
       jsonb_build_object('key', null, 'page', 'paid', 'risk', 'normal', 'refunds', '[]'::jsonb, 'disputes', '[]'::jsonb,
         'payments', jsonb_build_array(jsonb_build_object('id', 'paid', 'amount', u.amount::text, 'currency', u.currency,
                                                          'status', 'settled'))),
       u.created_at, false, now(), jsonb_build_object('manual_review', pg_temp.wire_time(u.created_at)), u.created_at, u.created_at
  from unmatched_payments u
 where not exists (select from deposits d where d.session_id = u.session_id);

-- What is booked. Client accounts: what is credited, held, refunded, charged back; internal accounts by their own names.
insert into transfer_entries (transfer_id, component, part, account_id, currency, amount, reference_id, at)
select t.id,
       case when l.account_id like 'fx_position:%' then 'fx'
            when l.account_id like '%:%' then split_part(l.account_id, ':', 1)
            when l.subtype = 'checkout' then 'credited'
            when l.type = 'pending' or (l.type = 'transfer' and l.subtype = 'deposit_refund') then 'held'
            when l.subtype = 'deposit_refund' then 'refunded'
            else 'chargedBack' end,
       case when l.account_id like '%:%' or l.subtype = 'checkout' then null
            when l.subtype = 'deposit_refund' then coalesce(r.id::text, l.reference_id::text)
            else l.reference_id::text end,
       case when l.account_id like '%:%' then null else l.account_id end, l.currency,
       case when l.account_id like '%:%' or l.subtype = 'checkout' then l.available
            when l.type = 'pending' or l.type = 'transfer' then l.pending
            else -l.available end,
       l.reference_id, l.at
  from (select t.id, t.reference_id as reference from transfers t where t.kind = 'deposit'
        union select r.deposit_id, r.reference_id from deposit_refunds r
        union select p.deposit_id, p.reference_id from deposit_disputes p
        union select t.id, u.id from unmatched_payments u
                join transfers t on t.party = 'checkout' and t.party_ref = u.session_id) t
  join ledger_legs l on l.reference_id = t.reference
  -- A return has the deposit's reference too, and no entries of a client's.
  left join deposit_refunds r on r.deposit_id = t.id and r.reference_id = l.reference_id and r.kind = 'refund'
                             and l.subtype = 'deposit_refund'
 order by l.at, l.number;

update breaks set resolved_at = now(), resolved_by = 'system', note = 'Shown as suspense of its transfer.'
 where resolved_at is null
   and kind in ('deposit_paid_again', 'deposit_unmatched', 'deposit_refund_excess', 'deposit_dispute_excess');
-- The engine names the party's refund: what was shown before is not shown again.
update breaks b set detail = 'refund ' || r.provider_id
  from deposit_refunds r
 where b.kind = 'deposit_refund_not_ours' and b.subject = r.deposit_id and b.detail = r.id and r.origin = 'provider';

drop view earlier_refunds;
drop table deposit_decisions, deposit_refunds, deposit_disputes, unmatched_payments;
alter table deposits
  drop column tenant_id, drop column account_id, drop column external_id, drop column method, drop column status,
  drop column amount, drop column currency, drop column charged_amount, drop column credited_amount,
  drop column service_fee, drop column account_currency, drop column rate, drop column fee_fixed, drop column fee_percent,
  drop column reference_id, drop column expires_at, drop column session_id, drop column paid_amount,
  drop column paid_currency, drop column settled_at, drop column suspended, drop column decision, drop column failure,
  drop column refunded_amount, drop column refund_open, drop column idempotency_key, drop column caller_id,
  drop column watched_until, drop column created_at, drop column updated_at, drop column completed_at,
  add foreign key (id) references transfers;
