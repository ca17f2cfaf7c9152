-- Payouts, from accounts and from virtual IBANs, become transfers; `payouts` and `iban_payouts` keep what only a payout has.
-- What an earlier release has booked is named by component and part; whether that is what its books should hold the engine
-- finds out when it looks (adopted = false), which is at once (due_by). Stop, migrate, start: no release before this one knows
-- these tables.

-- Both kinds alike. `sent` and `back`: what the party had sent, and what of it had come back, in the received currency.
create temporary view earlier_payouts as
select 'payout' as kind, p.id, p.tenant_id, p.account_id, p.status, p.idempotency_key, p.caller_id,
       'payout-' || p.id as party_ref, p.submitted_at, p.failure, p.sent_at, p.completed_at, p.returned_at,
       coalesce(p.returned_received, 0) as back, p.received_amount, p.revision, p.created_at, p.updated_at,
       jsonb_build_object(
         'method', p.method, 'currency', p.currency, 'amount', p.amount::text, 'fee', p.fee::text,
         'receivedCurrency', p.received_currency, 'receivedAmount', p.received_amount::text, 'rate', p.rate::text,
         -- One that nobody has judged yet is judged by the threshold of now.
         'needsApproval', case
           when p.status = 'created' then not exists (
             select from jsonb_array_elements(coalesce(t.settings->'payouts'->'approvalAbove',
               '[{"currency": "USD", "amount": "10000.00"}, {"currency": "EUR", "amount": "10000.00"},
                 {"currency": "GBP", "amount": "10000.00"}]')) a
              where a->>'currency' = p.currency and p.amount + p.fee <= (a->>'amount')::numeric)
           else p.status = 'pending_approval' or exists (select from payout_decisions d where d.payout_id = p.id) end) as terms
  from payouts p join tenants t on t.id = p.tenant_id
union all
select 'iban_payout', p.id, p.tenant_id, p.virtual_iban_id, p.status, p.idempotency_key, p.caller_id,
       p.id, p.submitted_at, p.failure, p.sent_at, p.completed_at, case when p.status = 'returned' then p.updated_at end,
       p.returned_amount, p.amount, 0, p.created_at, p.updated_at,
       jsonb_build_object(
         'method', 'sepa', 'currency', 'EUR', 'amount', p.amount::text, 'fee', p.fee::text,
         'receivedCurrency', 'EUR', 'receivedAmount', p.amount::text, 'rate', '1', 'needsApproval', false)
  from iban_payouts p;

-- The word, as far as the columns tell it: the party's own takes its place at the next look. Without one: not ordered, or the
-- party has not decided; what it has refused is a decision below. What came back is one part, under the payout's own id, by
-- the name that the sandbox's party gives it.
insert into transfers (id, kind, tenant_id, account_id, status, terms, reference_id, idempotency_key, caller_id, party,
                       party_ref, ordered_at, word, word_at, parts, failure, adopted, revision, due_by, reached, created_at,
                       updated_at)
select p.id, p.kind, p.tenant_id, p.account_id, p.status, p.terms, p.id, p.idempotency_key, p.caller_id, 'payouts',
       p.party_ref, p.submitted_at,
       case when p.status in ('sent', 'completed', 'returned') then jsonb_strip_nulls(jsonb_build_object(
         'status', case when p.status = 'returned' and p.back = 0 then 'completed' else p.status end,
         'failureCode', case when p.status = 'returned' and p.failure ~ '^[a-z][a-z0-9_]{0,63}$' then p.failure end,
         'sent', p.received_amount::text,
         'returns', case when p.back = 0 then '[]'::jsonb else jsonb_build_array(jsonb_build_object(
                      'id', 'return-' || p.party_ref || '-1', 'amount', p.back::text)) end)) end,
       case when p.status in ('sent', 'completed', 'returned') then p.updated_at end,
       case when p.back = 0 then '[]'::jsonb else jsonb_build_array(jsonb_build_object(
         'id', p.id, 'name', 'return-' || p.party_ref || '-1')) end,
       -- A party's own text is no code, and may name a person.
       case when p.failure is null or p.failure ~ '^[a-z][a-z0-9_]{0,63}$' then p.failure else 'failed' end,
       false, p.revision, now(),
       (select jsonb_object_agg(x.status, to_char(x.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
          from (values ('created', p.created_at), ('sent', p.sent_at), ('completed', p.completed_at),
                       ('returned', p.returned_at),
                       (case when p.status not in ('created', 'sent', 'completed', 'returned') then p.status end, p.updated_at))
                 as x (status, at) where x.status is not null and x.at is not null),
       p.created_at, p.updated_at
  from earlier_payouts p;

-- Decisions: of people, and the system's own.
insert into transfer_decisions (id, transfer_id, kind, data, reason, decided_by, at)
select x.id, x.transfer_id, x.kind, x.data, x.reason, x.decided_by, x.at from (
  select 'dec_' || right(d.payout_id, 26) as id, d.payout_id as transfer_id,
         case d.decision when 'approved' then 'approve' else 'reject' end as kind, '{}'::jsonb as data, d.reason,
         d.decided_by, d.at
    from payout_decisions d
  union all
  -- The account or its user could no longer pay.
  select 'dec_c' || right(p.id, 25), p.id, 'cancel', '{}', p.failure, 'system', p.updated_at
    from earlier_payouts p where p.status = 'cancelled'
  union all
  -- The party has failed it, at its order or later. A word of its own counts more.
  select 'dec_r' || right(p.id, 25), p.id, 'refused',
         jsonb_build_object('key', p.id, 'code', coalesce(t.failure, 'failed')), null, 'system', p.updated_at
    from earlier_payouts p join transfers t on t.id = p.id where p.status = 'failed'
  union all
  -- It came back to an account that had been closed: nothing of it was credited.
  select 'dec_d' || right(p.id, 25), p.id, 'account_closed',
         jsonb_build_object('sent', p.received_amount::text, 'fee', p.fee::text, 'backs', '{}'::jsonb), null, 'system',
         p.returned_at
    from payouts p where p.status = 'returned' and p.returned_amount = 0 and p.returned_received > 0) x
 order by x.at, x.id;

-- What is booked, by the references of its entries: the payout's own; a further return to a virtual IBAN has one that only its
-- event ties to the payout, by the key of the call. Holds are named by what is pending, all else by what is available.
insert into transfer_entries (transfer_id, component, part, account_id, currency, amount, reference_id, at)
select x.id, x.component, case when x.component = 'returned' then x.id end, case when not x.internal then x.account_id end,
       x.currency, case when x.component = 'held' then x.pending when x.component in ('paid', 'fee') then -x.available
                        else x.available end, x.reference_id, x.at
  from (
    select r.id, l.account_id, l.currency, l.available, l.pending, l.reference_id, l.at, l.number,
           l.number is null as internal,
           case when l.account_id like 'fx_position:%' then 'fx'
                when l.number is null then split_part(l.account_id, ':', 1)
                when l.type in ('pending', 'transfer') then 'held'
                when l.type = 'withdraw' then 'paid'
                when l.type = 'fee' then 'fee'
                else 'returned' end as component
      from (select p.id, p.id as reference from earlier_payouts p
            union
            select p.id, e.reference_id from iban_payouts p
              join events e on e.tenant_id = p.tenant_id and e.event = 'account_transaction'
                           and e.type = 'deposit' and e.subtype = 'payout_returned'
                           and e.idempotency_key = p.idempotency_key and e.data::json->>'accountId' = p.virtual_iban_id
             where p.returns > 1) r
      join ledger_legs l on l.reference_id = r.reference) x
 where case x.component when 'held' then x.pending else x.available end <> 0
 order by x.at, x.number;

drop view earlier_payouts;

update breaks set resolved_at = now(), resolved_by = 'system', note = 'Shown as suspense of its transfer.'
 where resolved_at is null and kind = 'payout_unmatched';

drop table payout_decisions;
alter table payouts
  drop column account_id, drop column method, drop column status, drop column currency, drop column amount, drop column fee,
  drop column received_currency, drop column received_amount, drop column rate, drop column idempotency_key,
  drop column caller_id, drop column description, drop column failure, drop column submitted_at, drop column sent_at,
  drop column completed_at, drop column returned_at, drop column returned_amount, drop column returned_received,
  drop column revision, drop column watched_until, drop column created_at, drop column updated_at,
  add foreign key (id) references transfers deferrable initially deferred; -- its own row comes first: the account is locked last
alter table iban_payouts
  drop column virtual_iban_id, drop column status, drop column amount, drop column fee, drop column idempotency_key,
  drop column caller_id, drop column failure, drop column submitted_at, drop column sent_at, drop column completed_at,
  drop column returned_amount, drop column returns, drop column watched_until, drop column created_at,
  drop column updated_at,
  add foreign key (id) references transfers deferrable initially deferred;
