import type { Sql } from '../../../kernel/db/database';

/** A company's virtual IBAN. Its id is its ledger account's too, and the `accountId` of its account transactions. */
export interface VirtualIban {
  id: string;
  /** The company. */
  tenantId: string;
  iban: string;
  bic: string;
  status: 'active' | 'disabled';
  createdAt: Date;
  updatedAt: Date;
}

const COLUMNS = `id, tenant_id as "tenantId", iban, bic, status, created_at as "createdAt", updated_at as "updatedAt"`;

export async function findVirtualIban(
  sql: Sql,
  tenantId: string,
  lock?: 'share' | 'update',
): Promise<VirtualIban | undefined> {
  const locks = { share: 'for share', update: 'for no key update' };
  const [row] = await sql.query<VirtualIban>(
    `select ${COLUMNS} from virtual_ibans where tenant_id = $1 ${lock ? locks[lock] : ''}`,
    [tenantId],
  );
  return row;
}

/** @param reach the company whose it must be, or null for any company's */
export async function findById(sql: Sql, reach: string | null, id: string): Promise<VirtualIban | undefined> {
  const [row] = await sql.query<VirtualIban>(
    `select ${COLUMNS} from virtual_ibans where id = $1 and ($2::text is null or tenant_id = $2)`,
    [id, reach],
  );
  return row;
}

/** Whose money an incoming credit is; held to the end of the transaction, so that it is not disabled meanwhile. */
export async function findByIban(tx: Sql, iban: string): Promise<VirtualIban | undefined> {
  const [row] = await tx.query<VirtualIban>(
    `select ${COLUMNS} from virtual_ibans where iban = $1 and status = 'active' for share`,
    [iban],
  );
  return row;
}

export async function listVirtualIbans(sql: Sql): Promise<VirtualIban[]> {
  return sql.query<VirtualIban>(`select ${COLUMNS} from virtual_ibans order by id`);
}

/** The next number of the range. Taken also by a transaction that fails: the range has holes. */
export async function nextNumber(tx: Sql): Promise<bigint> {
  const [row] = await tx.query<{ next: string }>(
    `select nextval(pg_get_serial_sequence('virtual_ibans', 'number')) as next`,
  );
  return BigInt(row?.next ?? 0);
}

export async function insertVirtualIban(
  tx: Sql,
  given: Pick<VirtualIban, 'id' | 'tenantId' | 'iban' | 'bic'> & { number: bigint },
): Promise<VirtualIban> {
  const [row] = await tx.query<VirtualIban>(
    `insert into virtual_ibans (id, tenant_id, number, iban, bic, status) overriding system value
     values ($1, $2, $3, $4, $5, 'active') returning ${COLUMNS}`,
    [given.id, given.tenantId, given.number.toString(), given.iban, given.bic],
  );
  return row as VirtualIban;
}

export async function setStatus(tx: Sql, id: string, status: VirtualIban['status']): Promise<VirtualIban> {
  const [row] = await tx.query<VirtualIban>(
    `update virtual_ibans set status = $2,
            updated_at = greatest(updated_at, date_trunc('milliseconds', clock_timestamp()))
      where id = $1 returning ${COLUMNS}`,
    [id, status],
  );
  return row as VirtualIban;
}

export async function beginPeriod(tx: Sql, id: string, at: Date): Promise<void> {
  await tx.query('insert into virtual_iban_periods (virtual_iban_id, enabled_at) values ($1, $2)', [id, at]);
}

export async function endPeriod(tx: Sql, id: string, at: Date): Promise<void> {
  await tx.query(
    `update virtual_iban_periods set disabled_at = greatest($2, enabled_at)
      where virtual_iban_id = $1 and disabled_at is null`,
    [id, at],
  );
}
