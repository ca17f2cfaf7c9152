import type { Sql } from '../db/database';
import { Decimal } from '../money/money';
import { type Balances, INTERNAL_ACCOUNTS, internalAccountId } from './entries';

export type { Balances } from './entries';

export type LedgerAccountKind = 'card' | 'user' | 'iban' | 'master';

export interface LedgerAccount extends Balances {
  id: string;
  kind: LedgerAccountKind;
  tenantId: string;
  currency: string;
  /** How many entries it has had: the number of the last one. */
  entries: number;
  /** When the last one was; no later one is stamped earlier. */
  lastAt: Date;
}

interface Row {
  id: string;
  kind: LedgerAccountKind;
  tenant_id: string;
  currency: string;
  available: string;
  pending: string;
  spent: string;
  entries: string;
  last_at: Date;
}

const COLUMNS = 'id, kind, tenant_id, currency, available, pending, spent, entries, last_at';

/** Opens an account with zero balances, and the internal accounts of its currency when it is the first in it. */
export async function openLedgerAccount(
  tx: Sql,
  account: { id: string; kind: LedgerAccountKind; tenantId: string; currency: string },
): Promise<void> {
  await tx.query('insert into ledger_accounts (id, kind, tenant_id, currency) values ($1, $2, $3, $4)', [
    account.id,
    account.kind,
    account.tenantId,
    account.currency,
  ]);
  if (account.kind === 'card') return; // its account has opened them
  await ensureInternalAccounts(tx, account.currency);
}

/** For money in a currency that no client may have an account in, such as a payer's. */
export async function ensureInternalAccounts(tx: Sql, currency: string): Promise<void> {
  await tx.query(
    `insert into ledger_accounts (id, kind, currency) select x, 'internal', $2 from unnest($1::text[]) x
     on conflict do nothing`,
    [INTERNAL_ACCOUNTS.map((name) => internalAccountId(name, currency)), currency],
  );
}

export interface LockedAccounts {
  accounts: LedgerAccount[];
  /** The database's time after the locks were taken. */
  now: Date;
}

/** Locks the accounts in the ledger's one order, the busiest last, and gives their balances and the database's time. */
export function lockLedgerAccounts(tx: Sql, ids: string[]): Promise<LockedAccounts> {
  return lockThose(tx, 'ledger-lock', 'id = any($1)', ids);
}

/**
 * The same for accounts that another record names, so that they need not be read first.
 * @param name of the prepared statement
 * @param selection SQL that selects account ids, with `$1` for `values`
 */
export function lockSelectedAccounts(
  tx: Sql,
  name: string,
  selection: string,
  values: string[],
): Promise<LockedAccounts> {
  return lockThose(tx, name, `id in (${selection})`, values);
}

async function lockThose(
  tx: Sql,
  name: string,
  condition: string,
  values: string[],
): Promise<LockedAccounts> {
  const rows = await tx.prepared<Row & { now: Date }>(
    name,
    `select ${COLUMNS}, date_trunc('milliseconds', clock_timestamp()) as now from ledger_accounts
      where ${condition} and kind <> 'internal' order by kind = 'master', kind, id for no key update`,
    [values],
  );
  return { accounts: rows.map(ledgerAccount), now: rows.at(-1)?.now ?? (await databaseTime(tx)) };
}

/** For a posting between internal accounts alone, which locks nothing. */
async function databaseTime(sql: Sql): Promise<Date> {
  const [row] = await sql.query<{ now: Date }>(`select date_trunc('milliseconds', clock_timestamp()) as now`);
  if (!row) throw new Error('the database has no time');
  return row.now;
}

/** The balances of the accounts as last committed, without a lock. */
export async function readBalances(sql: Sql, ids: string[]): Promise<Map<string, LedgerAccount>> {
  const rows = await sql.query<Row>(`select ${COLUMNS} from ledger_accounts where id = any($1)`, [ids]);
  return new Map(rows.map((row) => [row.id, ledgerAccount(row)]));
}

/** The balances of one account after its last entry up to that moment; zeros before its first. */
export async function balancesAt(sql: Sql, accountId: string, at: Date): Promise<Balances> {
  const [row] = await sql.query<{ available: string; pending: string; spent: string }>(
    `select balance_available as available, balance_pending as pending, balance_spent as spent
       from ledger_legs where account_id = $1 and at <= $2 and number is not null
      order by at desc, number desc limit 1`,
    [accountId, at],
  );
  return {
    available: new Decimal(row?.available ?? 0),
    pending: new Decimal(row?.pending ?? 0),
    spent: new Decimal(row?.spent ?? 0),
  };
}

function ledgerAccount(row: Row): LedgerAccount {
  return {
    id: row.id,
    kind: row.kind,
    tenantId: row.tenant_id,
    currency: row.currency,
    available: new Decimal(row.available),
    pending: new Decimal(row.pending),
    spent: new Decimal(row.spent),
    entries: Number(row.entries),
    lastAt: row.last_at,
  };
}
