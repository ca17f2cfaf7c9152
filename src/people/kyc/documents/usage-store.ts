import type { Sql } from '../../../kernel/db/database';

/** Stored files: how many, and their size. */
export interface Usage {
  count: number;
  bytes: number;
}

/** Files of all users of a tenant and of its cardholders, as triggers count them. */
export const usageOfTenant = (sql: Sql, tenantId: string): Promise<Usage> =>
  usage(sql, 'select count, bytes from stored_files where tenant_id = $1', tenantId);

/** Documents of a user. The index of a user's documents serves it. */
export const usageOfUser = (sql: Sql, userId: string): Promise<Usage> =>
  usage(
    sql,
    'select count(*), coalesce(sum(size), 0) as bytes from kyc_documents where user_id = $1',
    userId,
  );

async function usage(sql: Sql, statement: string, id: string): Promise<Usage> {
  const [row] = await sql.query<{ count: string; bytes: string }>(statement, [id]);
  return { count: Number(row?.count ?? 0), bytes: Number(row?.bytes ?? 0) };
}
