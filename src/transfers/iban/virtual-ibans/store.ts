import {
  columnsOf,
  filtered,
  type IdPage,
  type Locking,
  locked,
  NOW,
  newestFirst,
  raw,
  table,
} from '../../../kernel/db/build';
import type { Sql } from '../../../kernel/db/database';
import { foundRecords } from '../../../kernel/db/found';
import { recordTable } from '../../../kernel/db/record-table';

/** A company's virtual IBAN. Its id is also its ledger account, and the `accountId` of its account transactions. */
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

const COLUMNS = ['id', 'tenantId', 'iban', 'bic', 'status', 'createdAt', 'updatedAt'];
const ibans = recordTable<VirtualIban>('virtual_ibans', {}, COLUMNS);
const periods = () => table('virtual_iban_periods');

export const findVirtualIban = (
  sql: Sql,
  tenantId: string,
  locking: Locking = {},
): Promise<VirtualIban | undefined> => ibans.one(sql, ibans().where({ tenantId }).modify(locked, locking));

/** @param reach the company that must own it, or null for any */
export const findById = (sql: Sql, reach: string | null, id: string): Promise<VirtualIban | undefined> =>
  ibans.one(sql, ibans().where({ id }).modify(filtered, { tenantId: reach }));

/**
 * Finds the owner of an incoming credit. Locks the IBAN until the end of the transaction, so that it is not disabled
 * meanwhile.
 */
export const findByIban = (tx: Sql, iban: string): Promise<VirtualIban | undefined> =>
  ibans.one(tx, ibans().where({ iban, status: 'active' }).forShare());

/** The virtual IBAN that is written so, with or without spaces. */
export const foundVirtualIbans = (sql: Sql, text: string, limit: number) =>
  foundRecords(
    sql,
    { table: 'virtual_ibans', column: 'iban', text: text.replaceAll(' ', '').toUpperCase() },
    limit,
  );

/** A page of all virtual IBANs, newest first. @param tenantId the company, or null for any */
export const listVirtualIbans = (sql: Sql, tenantId: string | null, page: IdPage): Promise<VirtualIban[]> =>
  ibans.all(sql, ibans().modify(filtered, { tenantId }).modify(newestFirst, page));

/** Takes the next number of the range. A transaction that fails leaves a gap. */
export async function nextNumber(tx: Sql): Promise<bigint> {
  const [row] = await tx.query<{ next: string }>(
    `select nextval(pg_get_serial_sequence('virtual_ibans', 'number')) as next`,
  );
  return BigInt(row?.next ?? 0);
}

/** Raw: the builder has no `overriding system value`. */
export async function insertVirtualIban(
  tx: Sql,
  given: Pick<VirtualIban, 'id' | 'tenantId' | 'iban' | 'bic'> & { number: bigint },
): Promise<VirtualIban> {
  const [row] = await tx.query<VirtualIban>(
    `insert into virtual_ibans (id, tenant_id, number, iban, bic, status) overriding system value
     values ($1, $2, $3, $4, $5, 'active') returning ${columnsOf(COLUMNS)}`,
    [given.id, given.tenantId, given.number.toString(), given.iban, given.bic],
  );
  return row as VirtualIban;
}

export function setStatus(tx: Sql, id: string, status: VirtualIban['status']): Promise<VirtualIban> {
  const updatedAt = raw('greatest(updated_at, ?)', [NOW]);
  return ibans.saved(tx, ibans().where({ id }).update({ status, updatedAt }));
}

export async function beginPeriod(tx: Sql, id: string, at: Date): Promise<void> {
  await tx.run(periods().insert({ virtualIbanId: id, enabledAt: at }));
}

export async function endPeriod(tx: Sql, id: string, at: Date): Promise<void> {
  const disabledAt = raw('greatest(?::timestamptz, enabled_at)', [at]);
  await tx.run(periods().where({ virtualIbanId: id }).whereNull('disabledAt').update({ disabledAt }));
}
