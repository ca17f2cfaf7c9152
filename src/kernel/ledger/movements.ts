import type { Sql } from '../db/database';
import { beginOf } from '../db/page-begin';
import { isId, madeAt } from '../ids';
import { Decimal } from '../money/money';
import { CLOCKS_APART_MS, TIME_AFTER_ID_MS } from '../product-clock';
import type { Balances } from './entries';

/** An entry of an account with the balances after it, as operators see it: holds and card events, too. */
export interface Movement extends Pick<Balances, 'available' | 'pending'> {
  accountId: string;
  tenantId: string | null;
  /** Number of the entry on its account. */
  number: string;
  at: Date;
  /** Public id of the account or card transaction, where there is one. */
  id: string | null;
  type: string;
  subtype: string | null;
  referenceId: string | null;
  currency: string;
  /** Balances after the entry. */
  balance: Balances;
}

interface Row {
  account_id: string;
  tenant_id: string | null;
  number: string;
  at: Date;
  id: string | null;
  type: string;
  subtype: string | null;
  reference_id: string | null;
  currency: string;
  available: string;
  pending: string;
  balance_available: string;
  balance_pending: string;
  balance_spent: string;
}

const COLUMNS = `l.account_id, l.tenant_id, l.number, l.at, l.id, l.type, l.subtype, l.reference_id, l.currency,
  l.available, l.pending, l.balance_available, l.balance_pending, l.balance_spent`;

export interface MovementsPage {
  /** The last entry of the previous page. */
  after?: { at: Date; number: string } | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
  limit: number;
}

/** The entries of an account, a card or a virtual IBAN, newest first. The index `ledger_legs_of_account` serves it. */
export async function movementsOf(
  sql: Sql,
  accountId: string,
  { after, from, to, limit }: MovementsPage,
): Promise<Movement[]> {
  const begin = beginOf(after && [after.at.toISOString(), after.number], to, ['infinity', '0']);
  const rows = await sql.query<Row>(
    `select ${COLUMNS} from ledger_legs l
      where l.account_id = $1 and l.number is not null and (l.at, l.number) < ($2::timestamptz, $3::bigint) and l.at >= $4::timestamptz
      order by l.at desc, l.number desc limit $5`,
    [accountId, ...begin, from ?? '-infinity', limit],
  );
  return rows.map(movementOf);
}

/**
 * Finds an account transaction by its id. No index holds the id, because each posting would pay for it. The id tells
 * its moment, so the index `ledger_legs_of_tenant` is read around that moment, for each tenant.
 */
export async function findMovement(sql: Sql, id: string): Promise<Movement | undefined> {
  if (!isId('accountTransaction', id)) return undefined;
  const made = madeAt(id).getTime();
  // The id has the machine's time. The entry has the product's, which was ahead by at most the present offset.
  const [row] = await sql.query<Row>(
    `select ${COLUMNS} from tenants t cross join lateral (
       select * from ledger_legs
        where tenant_id = t.id and listed and at between $2::timestamptz and $3::timestamptz + product_offset() and id = $1) l`,
    [id, new Date(made - CLOCKS_APART_MS), new Date(made + TIME_AFTER_ID_MS)],
  );
  return row && movementOf(row);
}

const movementOf = (row: Row): Movement => ({
  accountId: row.account_id,
  tenantId: row.tenant_id,
  number: row.number,
  at: row.at,
  id: row.id,
  type: row.type,
  subtype: row.subtype,
  referenceId: row.reference_id,
  currency: row.currency,
  available: new Decimal(row.available),
  pending: new Decimal(row.pending),
  balance: {
    available: new Decimal(row.balance_available),
    pending: new Decimal(row.balance_pending),
    spent: new Decimal(row.balance_spent),
  },
});
