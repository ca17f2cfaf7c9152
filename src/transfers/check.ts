import type { Sql } from '../kernel/db/database';
import type { LedgerProblem } from '../kernel/ledger/problem';

/**
 * Checks the running sums of daily outflows and of suspense against their rows. Raw, because each check is one
 * statement over all rows.
 * @returns the differences; an empty list when all sums hold
 */
export async function checkRunningSums(sql: Sql): Promise<LedgerProblem[]> {
  const [days, suspense] = await Promise.all([
    sql.query<LedgerProblem>(`
      with kept as (
        select tenant_id, day, currency, sum(amount) as amount, sum(outflows) as outflows, sum(unknown) as unknown
          from (select * from daily_outflow_sums union all select * from daily_outflow_changes) s
         group by tenant_id, day, currency
      ), made as (
        select o.tenant_id, o.day, o.currency, coalesce(sum(o.amount), 0) as amount, count(*) as outflows,
               count(*) filter (where o.amount is null) as unknown
          from daily_outflows o join transfers t on t.id = o.transfer_id
         where counts_of_day(t.status) group by o.tenant_id, o.day, o.currency
      )
      select 'sum of a day differs from its outflows' as problem, tenant_id::text as subject,
             concat_ws(' ', day, currency, coalesce(k.amount, 0), '<>', coalesce(m.amount, 0)) as detail
        from kept k full join made m using (tenant_id, day, currency)
       where (coalesce(k.amount, 0), coalesce(k.outflows, 0), coalesce(k.unknown, 0))
             <> (coalesce(m.amount, 0), coalesce(m.outflows, 0), coalesce(m.unknown, 0))
       order by tenant_id, day, currency`),
    sql.query<LedgerProblem>(`
      select 'suspense differs from its entries' as problem, transfer_id::text as subject,
             concat_ws(' ', currency, coalesce(s.amount::text, 'nothing'), '<>', coalesce(e.amount::text, 'nothing'),
                       case when s.amount = e.amount then concat_ws(' ', 'since', s.since, '<>', e.since) end) as detail
        from suspense_items s
        full join (select transfer_id, currency, sum(amount) as amount, min(at) as since from transfer_entries
                    where component = 'suspense' group by transfer_id, currency having sum(amount) <> 0) e
          using (transfer_id, currency)
       where (s.amount, s.since) is distinct from (e.amount, e.since)
       order by transfer_id, currency`),
  ]);
  return [...days, ...suspense];
}
