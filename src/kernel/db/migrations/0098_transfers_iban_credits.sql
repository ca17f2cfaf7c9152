-- What the bank has received for virtual IBANs becomes transfers (kind `iban_credit`), under the bank's name for it. A
-- payment in suspense is one without an account; which IBAN it was for was not kept. The engine compares what is booked with
-- what it should be at the first look (adopted = false), which is at once (due_by).

-- As it stands on the wire.
create or replace function pg_temp.instant(timestamptz) returns text language sql stable
  as $$ select to_char($1 at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;

insert into transfers (id, kind, tenant_id, account_id, status, terms, reference_id, party, party_ref, ordered_at, word,
                       word_at, adopted, due_by, reached, created_at, updated_at)
select 'ibc_' || right(c.reference_id, 26), 'iban_credit', v.tenant_id, c.virtual_iban_id, c.outcome,
       jsonb_build_object('iban', v.iban, 'amount', c.amount::text, 'currency', c.currency),
       c.reference_id, 'bank', c.bank_id, c.booked_at,
       jsonb_build_object('id', c.bank_id, 'iban', coalesce(v.iban, ''), 'amount', c.amount::text, 'currency', c.currency,
                          'recalls', '[]'::jsonb, 'returns', '[]'::jsonb),
       c.booked_at, false, now(),
       jsonb_build_object('received', pg_temp.instant(c.booked_at), c.outcome, pg_temp.instant(c.booked_at)),
       c.booked_at, c.booked_at
  from iban_credits c left join virtual_ibans v on v.id = c.virtual_iban_id;

insert into transfer_entries (transfer_id, component, account_id, currency, amount, reference_id, at)
select 'ibc_' || right(c.reference_id, 26),
       case when l.number is null then split_part(l.account_id, ':', 1) else 'credited' end,
       case when l.number is not null then l.account_id end, l.currency, l.available, l.reference_id, l.at
  from iban_credits c join ledger_legs l on l.reference_id = c.reference_id
 order by l.at, l.number;

update breaks set resolved_at = now(), resolved_by = 'system', note = 'Shown as suspense of its transfer.'
 where resolved_at is null and kind = 'iban_credit_unmatched';

-- Where the bank's list is read to stands in `party_places`.
drop table iban_credits, iban_credit_place;
