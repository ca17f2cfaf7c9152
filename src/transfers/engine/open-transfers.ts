import type { Sql } from '../../kernel/db/database';

/**
 * Statuses, of any kind, that wait for the party, a person or the time. The condition of the index behind {@link
 * countOpenTransfers}.
 */
export const OPEN_STATUSES = [
  ...['created', 'awaiting_payment', 'pending', 'requires_action', 'pending_approval', 'processing', 'sent'],
  ...['manual_review', 'received', 'recalled', 'suspended', 'executing', 'awaiting_settlement', 'confirming'],
];

/** Finds an open transfer of an account, or an open exchange order that would credit it. */
export async function openTransferOn(
  sql: Sql,
  { accountId, tenantId }: { accountId: string; tenantId: string },
): Promise<{ id: string; kind: string; status: string } | undefined> {
  const open = OPEN_STATUSES.map((status) => `'${status}'`).join(', ');
  // Raw: each half is served by its own index.
  const [found] = await sql.query<{ id: string; kind: string; status: string }>(
    `select id, kind, status from transfers where account_id = $1 and status in (${open})
      union all
     select id, kind, status from transfers
      where tenant_id = $2 and kind = 'exchange_order' and status in (${open}) and terms->>'toAccountId' = $1
      limit 1`,
    [accountId, tenantId],
  );
  return found;
}

export interface OpenTransfers {
  kind: string;
  status: string;
  /** Time since creation. */
  age: 'up_to_1h' | 'up_to_1d' | 'up_to_7d' | 'older';
  count: number;
}

/** Counts open transfers by age class, for metrics. Raw, so that the condition equals the index's. */
export async function countOpenTransfers(sql: Sql): Promise<OpenTransfers[]> {
  const open = OPEN_STATUSES.map((status) => `'${status}'`).join(', ');
  return sql.query<OpenTransfers>(
    `select kind, status, age, count(*)::int as count
       from (select kind, status, case when created_at > product_now(now()) - interval '1 hour' then 'up_to_1h'
                                       when created_at > product_now(now()) - interval '1 day' then 'up_to_1d'
                                       when created_at > product_now(now()) - interval '7 days' then 'up_to_7d' else 'older' end as age
               from transfers where status in (${open}) limit 100000) t
      group by kind, status, age`,
  );
}
