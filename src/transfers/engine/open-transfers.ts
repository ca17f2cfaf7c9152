import type { Sql } from '../../kernel/db/database';

/** Whatever kind: it waits for its party, a person or the time. The words of the index that serves {@link countOpenTransfers}. */
export const OPEN_STATUSES = [
  ...['created', 'awaiting_payment', 'pending', 'requires_action', 'pending_approval', 'processing', 'sent'],
  ...['manual_review', 'received', 'recalled', 'suspended', 'executing', 'awaiting_settlement', 'confirming'],
];

/** A transfer of an account that waits for something: its own, or an order of the exchange that would credit it. */
export async function openTransferOn(
  sql: Sql,
  { accountId, tenantId }: { accountId: string; tenantId: string },
): Promise<{ id: string; kind: string; status: string } | undefined> {
  const open = OPEN_STATUSES.map((status) => `'${status}'`).join(', ');
  // Raw: each half by the index of its own.
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
  /** How long ago they were made. */
  age: 'up_to_1h' | 'up_to_1d' | 'up_to_7d' | 'older';
  count: number;
}

/** For metrics. Raw: the index's own condition, and ages in classes. */
export async function countOpenTransfers(sql: Sql): Promise<OpenTransfers[]> {
  const open = OPEN_STATUSES.map((status) => `'${status}'`).join(', ');
  return sql.query<OpenTransfers>(
    `select kind, status, age, count(*)::int as count
       from (select kind, status, case when created_at > now() - interval '1 hour' then 'up_to_1h'
                                       when created_at > now() - interval '1 day' then 'up_to_1d'
                                       when created_at > now() - interval '7 days' then 'up_to_7d' else 'older' end as age
               from transfers where status in (${open}) limit 100000) t
      group by kind, status, age`,
  );
}
